import type en from './en.ts'

/** Machine translation, not yet checked by a native speaker. */
const words: typeof en = {
  title: 'État du service',
  lead: 'Fonctionnement actuel du service et performances récentes.',
  now: 'Maintenant',
  allOperational: 'Tout fonctionne',
  someFailing: 'Certaines parties ne fonctionnent pas',
  components: 'Composant',
  queues: 'File d’attente',
  queue: 'File d’attente',
  engines: 'Moteur',
  state: 'État',
  responseTime: 'Temps de réponse',
  works: 'OK',
  fails: 'pas de réponse',
  installed: 'installé',
  missing: 'non installé',
  none: 'Aucun.',
  refresh: 'Actualiser',
  recent: (days) => `${days} derniers jours`,
  success: 'Conversions réussies',
  median: 'La moitié se termine en',
  p95: '95 % se terminent en',
  note: 'Hors fichiers endommagés.',
  unreachable: 'Le serveur est injoignable. Vérifiez votre connexion et réessayez.',
  names: { table: 'Base de données', files: 'Stockage des fichiers', disk: 'Espace disque libre' },
}

export default words
