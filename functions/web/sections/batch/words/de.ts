import type en from './en.ts'

const words: typeof en = {
  title: 'Einen Ordner umwandeln',
  lead: 'Jede Datei darin und in den Ordnern darunter. Das Ergebnis liegt in einem ZIP, in denselben Ordnern.',
  drop: 'Einen Ordner irgendwo auf diese Seite ziehen',
  choose: 'Ordner wählen',
  steps: [
    'Bring einen Ordner. Seine Dateien stehen in der Liste, jede mit dem Ordner, in dem sie liegt.',
    'Wähle für jede Art ein Ziel und wandle alle um.',
    'Was fehlgeschlagen ist, lässt sich für sich noch einmal versuchen; der Rest wartet.',
    'Lade alles als ZIP herunter: die Ordner sind, wie sie waren.',
  ],
  howTo: 'So geht es',
  inFolders: (files, folders) =>
    `${files === 1 ? '1 Datei' : `${files} Dateien`} in ${folders === 1 ? '1 Ordner' : `${folders} Ordnern`}`,
  tree: 'Ordner',
  count: (done, total) => `${done} von ${total} fertig`,
  others: (count) =>
    count === 1 ? 'Eine weitere Datei kam ohne Ordner.' : `${count} weitere Dateien kamen ohne Ordner.`,
  toOthers: 'Alle Dateien ansehen',
}

export default words
