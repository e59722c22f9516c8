import type en from './en.ts'

const words: typeof en = {
  title: 'Tastenkürzel',
  keys: {
    a: 'Dateien hinzufügen',
    c: 'Alles umwandeln, was bereit ist',
    d: 'Herunterladen',
    n: 'Zum nächsten Problem',
    u: 'Entfernen einer Datei rückgängig machen',
    '?': 'Diese Liste anzeigen',
  },
  areOn: 'Kürzel mit einzelnen Tasten verwenden',
  close: 'Schließen',
}

export default words
