import { pluralIn } from '../../../words/plural.ts'
import type en from './en.ts'

const plural = pluralIn('fr')

/** Machine translation, not yet checked by a native speaker. */
const words: typeof en = {
  title: 'Historique',
  lead: 'Vos conversions, jusqu’à leur expiration.',
  state: 'État',
  tag: 'Étiquette',
  target: 'Format',
  any: 'Tous',
  states: {
    pending: 'En attente de fichiers',
    queued: 'En file d’attente',
    processing: 'En cours',
    completed: 'Terminée',
    failed: 'Échouée',
    cancelled: 'Annulée',
    expired: 'Expirée',
  },
  taskStates: {
    pending: 'En attente',
    processing: 'En cours',
    completed: 'Terminée',
    failed: 'Échouée',
    cancelled: 'Annulée',
  },
  job: 'Tâche',
  created: 'Début',
  expires: 'Disponible jusqu’au',
  result: 'Résultat',
  none: 'Aucune conversion pour l’instant.',
  older: 'Plus anciennes',
  deleteChosen: (count) =>
    count === 1 ? 'Supprimer cette tâche' : `Supprimer ${plural(count, 'tâche', 'tâches')}`,
  zip: 'Télécharger en ZIP',
  noZip: 'Le ZIP n’a pas pu être créé.',
  confirm: 'Cette action est irréversible.',
  deleted: 'Supprimé',
  restarted: 'Relancé',
  until: (time) => `Disponible jusqu’au ${time}.`,
  tasks: 'Étapes',
  task: 'Étape',
  operation: 'Opération',
  duration: 'Durée',
  when: 'Chronologie',
  cancel: 'Annuler',
  again: 'Relancer',
  remove: 'Supprimer',
  toAll: 'Toutes les tâches',
}

export default words
