import type en from './en.ts'

const words: typeof en = {
  title: 'Status',
  lead: 'Aktueller Zustand des Dienstes und Leistung der letzten Zeit.',
  now: 'Jetzt',
  allOperational: 'Alle Systeme funktionieren',
  someFailing: 'Einige Systeme funktionieren nicht',
  components: 'Komponente',
  queues: 'Warteschlange',
  queue: 'Warteschlange',
  engines: 'Programm',
  state: 'Status',
  responseTime: 'Antwortzeit',
  works: 'OK',
  fails: 'antwortet nicht',
  installed: 'installiert',
  missing: 'nicht installiert',
  none: 'Keine.',
  refresh: 'Aktualisieren',
  recent: (days) => `Die letzten ${days} Tage`,
  success: 'Erfolgreiche Umwandlungen',
  median: 'Die Hälfte ist fertig nach',
  p95: '95 % sind fertig nach',
  note: 'Ohne beschädigte Dateien.',
  unreachable: 'Der Server ist nicht erreichbar. Prüfe deine Verbindung und versuche es noch einmal.',
  names: { table: 'Datenbank', files: 'Dateispeicher', disk: 'Freier Speicherplatz' },
}

export default words
