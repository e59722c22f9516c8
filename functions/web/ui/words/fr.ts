import type en from './en.ts'

/** Machine translation, not yet checked by a native speaker. */
const words: typeof en = {
  signIn: 'Se connecter',
  signInFirst: 'Connectez-vous pour voir ce contenu.',
  retry: 'Réessayer',
  loading: 'Chargement…',
  keep: 'Annuler',
  copy: 'Copier',
  copied: 'Copié.',
  plans: { 'self-hosted': 'Auto-hébergé' },
}

export default words
