import type en from './en.ts'

const words: typeof en = {
  names: { 'google-drive': 'Google Drive', dropbox: 'Dropbox', onedrive: 'OneDrive' },
  from: (name) => `Aus ${name}`,
  title: (name) => `Dateien in ${name}`,
  close: 'Schließen',
  connect: 'Verbinden',
  notConnected: 'Dieser Cloud-Speicher ist nicht verbunden.',
  refused: 'Der Cloud-Speicher wurde nicht verbunden, weil der Zugriff abgelehnt wurde.',
  search: 'Nach Namen suchen',
  find: 'Suchen',
  back: 'Zurück',
  files: 'Dateien',
  nothing: 'Dieser Ordner ist leer.',
  more: 'Mehr laden',
  addFiles: (count) => (count === 1 ? '1 Datei hinzufügen' : `${count} Dateien hinzufügen`),
  busy: 'Bitte warten …',
  disconnect: 'Trennen',
  importFailed: 'Die Dateien konnten nicht aus dem Cloud-Speicher geladen werden.',
  saveTo: (name) => `In ${name} speichern`,
  saveAllTo: (name) => `Alle in ${name} speichern`,
  saveHere: (count) => (count === 1 ? '1 Ergebnis hier speichern' : `${count} Ergebnisse hier speichern`),
  saved: (name) => `In ${name} gespeichert.`,
  folders: 'Ordner',
  noFolders: 'In diesem Ordner gibt es keine weiteren Ordner.',
  saveFailed: 'Die Ergebnisse konnten nicht im Cloud-Speicher gespeichert werden.',
}

export default words
