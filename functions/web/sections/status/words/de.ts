import type en from './en.ts'

const words: typeof en = {
  title: 'Status',
  lead: 'Ob eine Umwandlung jetzt gelänge, und wie es zuletzt lief.',
  now: 'Jetzt',
  allWell: 'Alles funktioniert',
  notWell: 'Etwas funktioniert nicht',
  parts: 'Teil',
  queues: 'Warteschlange',
  queue: 'Warteschlange',
  engines: 'Programm',
  state: 'Zustand',
  answer: 'Antwort nach',
  works: 'funktioniert',
  fails: 'antwortet nicht',
  installed: 'installiert',
  missing: 'nicht installiert',
  none: 'Keine.',
  again: 'Noch einmal nachsehen',
  lately: 'In letzter Zeit',
  success: 'Gelungene Umwandlungen',
  half: 'Die Hälfte ist fertig nach',
  most: '95 % sind fertig nach',
  window: (days) => `Aus den letzten ${days} Tagen, ohne Dateien, die selbst kaputt waren.`,
  unreachable: 'Der Dienst ist nicht erreichbar. Prüfe die Verbindung und versuche es noch einmal.',
  names: { table: 'Einträge', files: 'Dateien', disk: 'Freier Speicher' },
}

export default words
