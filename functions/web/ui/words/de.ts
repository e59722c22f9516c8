import type en from './en.ts'

const words: typeof en = {
  signIn: 'Anmelden',
  signInFirst: 'Melde dich an, um das zu sehen.',
  retry: 'Noch einmal',
  loading: 'Lädt',
  keep: 'Nein, behalten',
  copy: 'Kopieren',
  copied: 'Kopiert.',
}

export default words
