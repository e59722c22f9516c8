import type en from './en.ts'

const words: typeof en = {
  options: 'Optionen',
  optionsFailed: (reason) => `Die Optionen konnten nicht geladen werden. ${reason}`,
  presets: 'Vorlagen',
  noPreset: 'Keine',
  savePreset: 'Als Vorlage speichern',
  presetName: 'Name der Vorlage',
  save: 'Speichern',
  deletePreset: 'Vorlage löschen',
  copyLink: 'Link zu diesen Einstellungen kopieren',
  linkCopied: 'Link kopiert.',
  reset: 'Zurücksetzen',
  optionsOf: (counted) => `Optionen für ${counted}`,
  table: 'Dateien',
  name: 'Name',
  size: 'Größe',
  state: 'Status',
  actions: 'Aktionen',
  details: 'Details',
  detailsOf: (name) => `Details zu ${name}`,
  beforeAfter: 'Vorher und nachher',
  quality: 'Andere Qualität ausprobieren',
  noPreview: 'Für diesen Dateityp gibt es keine Vorschau. Lade die Datei herunter, um sie zu sehen.',
  previewFailed: 'Die Vorschau konnte nicht geladen werden.',
}

export default words
