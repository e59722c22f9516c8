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
  copyResultLink: 'Copier le lien',
  share: 'Partager',
  qrCode: 'Code QR',
  qrCodeOf: (name) => `Code QR avec le lien vers ${name}`,
  linkValidUntil: (time) => `Toute personne ayant le lien peut télécharger le fichier jusqu’au ${time}.`,
  sameWithOther: 'Faire de même avec un autre fichier',
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
