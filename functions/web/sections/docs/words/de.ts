import type en from './en.ts'

const words: typeof en = {
  title: 'API-Referenz',
  events: 'Ereignisse: Webhooks, Sockets, Streams',
  errors: 'Fehler',
  search: 'Operationen durchsuchen',
  found: (count) => (count === 1 ? '1 Operation' : `${count} Operationen`),
  contents: 'Operationen',
  about: (name) => `Über: ${name}`,
  toAll: 'Alle Operationen',
  terminal: 'Im Terminal',
  parameters: 'Parameter',
  body: 'Was gesendet wird',
  reply: 'Was kommt',
  example: 'Eine Antwort, wie sie kam',
  answers: 'Antworten',
  field: 'Feld',
  type: 'Typ',
  meaning: 'Bedeutung',
  status: 'Status',
  required: 'nötig',
  nothing: 'Nichts.',
  places: { path: 'im Pfad', query: 'in der Abfrage', header: 'Kopfzeile' },
  open: 'Für alle.',
  openOr: (scopes) => `Für alle; Schlüssel und Token brauchen ${scopes}.`,
  needs: (scopes) => `Braucht ${scopes}.`,
  anIdentity: 'eine Identität',
  unreachable:
    'Die Beschreibung der API ließ sich nicht laden. Prüfe die Verbindung und versuche es noch einmal.',
}

export default words
