import type en from './en.ts'

const words: typeof en = {
  names: { 'google-drive': 'Google Drive', dropbox: 'Dropbox', onedrive: 'OneDrive' },
  from: (name) => `Aus ${name}`,
  title: (name) => `Dateien in ${name}`,
  close: 'Schließen',
  connect: 'Verbinden',
  notConnected: 'Das Laufwerk ist nicht verbunden.',
  refused: 'Das Laufwerk wurde nicht verbunden: es wurde nicht zugestimmt.',
  search: 'Nach Namen suchen',
  find: 'Suchen',
  back: 'Zurück',
  files: 'Dateien',
  nothing: 'Hier ist nichts.',
  more: 'Mehr',
  take: (count) => (count === 1 ? '1 Datei nehmen' : `${count} Dateien nehmen`),
  busy: 'Bitte warten',
  disconnect: 'Trennen',
  notFetched: 'Die Dateien ließen sich nicht aus dem Laufwerk holen.',
}

export default words
