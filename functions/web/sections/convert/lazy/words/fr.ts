import type en from './en.ts'

/** Machine translation, not yet checked by a native speaker. */
const words: typeof en = {
  options: 'Options',
  optionsFailed: (reason) => `Les options n’ont pas pu être chargées. ${reason}`,
  presets: 'Préréglages',
  noPreset: 'Aucun',
  savePreset: 'Enregistrer comme préréglage',
  presetName: 'Nom du préréglage',
  save: 'Enregistrer',
  deletePreset: 'Supprimer le préréglage',
  copyLink: 'Copier le lien vers ces réglages',
  linkCopied: 'Lien copié.',
  reset: 'Réinitialiser',
  optionsOf: (counted) => `Options pour ${counted}`,
  table: 'Fichiers',
  name: 'Nom',
  size: 'Taille',
  state: 'État',
  actions: 'Actions',
  details: 'Détails',
  detailsOf: (name) => `Détails de ${name}`,
  beforeAfter: 'Avant et après',
  quality: 'Essayer une autre qualité',
  noPreview: 'Pas d’aperçu pour ce type de fichier. Téléchargez le fichier pour le voir.',
  previewFailed: 'L’aperçu n’a pas pu être chargé.',
}

export default words
