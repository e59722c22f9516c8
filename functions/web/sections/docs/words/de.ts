import type en from './en.ts'

const words: typeof en = {
  fromTerminal: 'Eine Datei aus dem Terminal umwandeln',
  title: 'API-Referenz',
  events: 'Ereignisse: Webhooks, WebSockets, Streams',
  errors: 'Fehler',
  search: 'Operationen durchsuchen',
  found: (count) => (count === 1 ? '1 Operation' : `${count} Operationen`),
  contents: 'Operationen',
  about: (name) => `Einführung: ${name}`,
  toAll: 'Alle Operationen',
  command: 'Beispielanfrage',
  parameters: 'Parameter',
  requestBody: 'Body der Anfrage',
  response: 'Antwort',
  example: 'Beispielantwort',
  statusCodes: 'Statuscodes',
  field: 'Feld',
  type: 'Typ',
  meaning: 'Beschreibung',
  status: 'Status',
  required: 'erforderlich',
  nothing: 'Keine.',
  locations: { path: 'Pfad', query: 'Query', header: 'Header' },
  open: 'Keine Anmeldung nötig.',
  openOr: (scopes) => `Keine Anmeldung nötig; Schlüssel und Token brauchen ${scopes}.`,
  needs: (scopes) => `Braucht ${scopes}.`,
  authentication: 'eine Anmeldung',
  unreachable:
    'Die Beschreibung der API konnte nicht geladen werden. Prüfe deine Verbindung und versuche es noch einmal.',
}

export default words
