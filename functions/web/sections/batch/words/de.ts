import type en from './en.ts'

const words: typeof en = {
  title: 'Ordner umwandeln',
  lead: 'Wandelt alle Dateien eines Ordners und seiner Unterordner um. Du bekommst ein ZIP mit derselben Ordnerstruktur.',
  drop: 'Einen Ordner irgendwo auf diese Seite ziehen',
  choose: 'Ordner wählen',
  steps: [
    'Wähle einen Ordner. Seine Dateien erscheinen in der Liste, mit ihren Unterordnern.',
    'Wähle für jede Dateiart ein Format und wandle alle um.',
    'Fehlgeschlagene Dateien kannst du einzeln noch einmal versuchen.',
    'Lade alles als ZIP herunter; die Ordnerstruktur bleibt erhalten.',
  ],
  howTo: 'So funktioniert es',
  inFolders: (files, folders) =>
    `${files === 1 ? '1 Datei' : `${files} Dateien`} in ${folders === 1 ? '1 Ordner' : `${folders} Ordnern`}`,
  tree: 'Ordner',
  count: (done, total) => `${done} von ${total} umgewandelt`,
  others: (count) =>
    count === 1
      ? '1 weitere Datei liegt in keinem Ordner.'
      : `${count} weitere Dateien liegen in keinem Ordner.`,
  toOthers: 'Alle Dateien anzeigen',
}

export default words
