import type en from './en.ts'

const words: typeof en = {
  signIn: 'Anmelden',
  signInFirst: 'Melde dich an, um das zu sehen.',
  retry: 'Erneut versuchen',
  loading: 'Lädt …',
  keep: 'Abbrechen',
  copy: 'Kopieren',
  copied: 'Kopiert.',
  plans: { 'self-hosted': 'Selbst gehostet' },
}

export default words
