import type en from './en.ts'

/** Machine translation, not yet checked by a native speaker. */
const words: typeof en = {
  title: 'Utilisation',
  lead: 'Ce que vous avez utilisé, et ce qu’il reste de votre offre.',
  quota: 'Votre offre',
  plan: 'Offre',
  largest: 'Taille maximale des fichiers',
  filesPerJob: 'Fichiers par tâche',
  runningJobs: 'Tâches en cours',
  ofLimit: (used, limit) => `${used} sur ${limit}`,
  limited: 'Limite',
  limits: (kind, window) => `${kind} ${window}`,
  kinds: {
    requests: 'Requêtes',
    reads: 'Requêtes de lecture',
    'conversion-minutes': 'Minutes de conversion',
  },
  windows: { minute: 'par minute', hour: 'par heure', day: 'par jour', month: 'par mois' },
  limit: 'Maximum',
  left: 'Restant',
  resets: 'Remise à zéro',
  unlimited: 'illimité',
  noLimits: 'Aucune limite',
  activity: 'Activité',
  used: 'Utilisé',
  span: 'Période',
  lastDays: (days) => `${days} derniers jours`,
  by: 'Grouper par',
  groupings: { engine: 'Moteur', format: 'Format', key: 'Clé d’API' },
  jobsByDay: 'Tâches par jour',
  day: 'Jour',
  name: 'Nom',
  jobs: 'Tâches',
  completed: 'Terminées',
  failed: 'Échouées',
  minutes: 'Minutes',
  bytesIn: 'Entrée',
  bytesOut: 'Sortie',
  nothing: 'Aucune activité pendant cette période.',
}

export default words
