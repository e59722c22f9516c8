import type en from './en.ts'

const words: typeof en = {
  options: 'Optionen',
  optionsFailed: (why) => `Die Optionen ließen sich nicht laden. ${why}`,
  presets: 'Vorlagen',
  noPreset: 'Keine',
  savePreset: 'Als Vorlage behalten',
  presetName: 'Name der Vorlage',
  save: 'Behalten',
  deletePreset: 'Vorlage löschen',
  copyLink: 'Link zu dieser Wahl kopieren',
  linkCopied: 'Der Link ist kopiert.',
  reset: 'Zurück zu den Vorgaben',
  optionsOf: (counted) => `Optionen für ${counted}`,
  table: 'Dateien',
  name: 'Name',
  size: 'Größe',
  state: 'Stand',
  actions: 'Aktionen',
  details: 'Einzelheiten',
  detailsOf: (name) => `Einzelheiten von ${name}`,
  beforeAfter: 'Vorher und nachher',
  quality: 'Andere Qualität versuchen',
  noPreview: 'Von dieser Art Datei gibt es keine Vorschau. Lade sie herunter, um sie zu sehen.',
  previewFailed: 'Die Vorschau ließ sich nicht laden.',
}

export default words
