import 'cronstrue/locales/fr.js'
import { pluralIn } from '../../../words/plural.ts'
import type en from './en.ts'

const plural = pluralIn('fr')

/** Machine translation, not yet checked by a native speaker. */
const words: typeof en = {
  title: 'Workflows',
  lead: 'Des pipelines planifiés.',
  none: 'Aucun workflow pour l’instant.',
  create: 'Nouveau workflow',
  edit: 'Modifier le workflow',
  save: 'Enregistrer les modifications',
  saved: 'Enregistré.',
  createButton: 'Créer le workflow',
  created: 'Workflow créé.',
  name: 'Nom',
  cron: 'Planification',
  cronHint: 'Minute, heure, jour du mois, mois, jour de la semaine',
  notCron: 'Saisissez cinq champs, par exemple 0 3 * * *',
  timezone: 'Fuseau horaire',
  nextRuns: (zone) => `Prochaines exécutions (${zone}) :`,
  overlap: 'Si l’exécution précédente est encore en cours',
  overlaps: { skip: 'Ignorer la nouvelle exécution', queue: 'L’attendre', 'cancel-previous': 'L’annuler' },
  tasks: 'Étapes',
  tasksHint:
    'Même format que POST /v1/jobs ; les fichiers doivent venir d’une URL ou d’un espace de stockage.',
  notJson: (reason) => `Ce n’est pas du JSON valable : ${reason}`,
  state: 'État',
  on: 'activé',
  off: 'désactivé',
  paused: 'désactivé après des échecs',
  failures: (count) =>
    count === 1
      ? 'la dernière exécution a échoué'
      : `${plural(count, 'dernière exécution échouée', 'dernières exécutions échouées')}`,
  next: 'Prochaine exécution',
  last: 'Dernière exécution',
  runNow: 'Exécuter maintenant',
  started: 'Démarré.',
  switchOn: 'Activer',
  switchOff: 'Désactiver',
  remove: 'Supprimer',
  removeConfirm: 'Il ne s’exécutera plus.',
  removed: 'Workflow supprimé.',
  toAll: 'Tous les workflows',
  refresh: 'Actualiser',
  runs: 'Exécutions',
  noRuns: 'Aucune exécution pour l’instant.',
  due: 'Prévue pour',
  ended: 'Fin',
  trigger: 'Déclenchée par',
  triggers: { schedule: 'planification', request: 'action manuelle' },
  job: 'Tâche',
  statuses: {
    waiting: 'en attente',
    running: 'en cours',
    completed: 'terminée',
    failed: 'échouée',
    cancelled: 'annulée',
    skipped: 'passée',
  },
}

export default words
