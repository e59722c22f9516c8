import type en from './en.ts'

/** Machine translation, not yet checked by a native speaker. */
const words: typeof en = {
  'organize-pdf': 'Organiser les pages',
  'split-pdf': 'Diviser un PDF',
  'extract-pdf-pages': 'Extraire des pages',
  'remove-pdf-pages': 'Supprimer des pages',
  'reorder-pdf-pages': 'Réordonner les pages',
  'rotate-pdf': 'Faire pivoter les pages',
  'crop-pdf': 'Rogner les pages',
  'ocr-pdf': 'Reconnaître le texte (OCR)',
  'add-watermark-pdf': 'Ajouter un filigrane',
  'add-page-numbers-pdf': 'Numéroter les pages',
  'edit-pdf-metadata': 'Modifier les métadonnées du PDF',
  'extract-pdf-images': 'Extraire les images',
  'pdf-info': 'Informations du PDF',
  'encrypt-pdf': 'Protéger un PDF',
  'decrypt-pdf': 'Déverrouiller un PDF',
  'redact-pdf': 'Caviarder du texte',
  'sanitize-pdf': 'Supprimer le contenu masqué',
  'flatten-pdf': 'Aplatir formulaires et commentaires',
  'compress-pdf': 'Compresser un PDF',
  'grayscale-pdf': 'PDF en niveaux de gris',
  'remove-blank-pages-pdf': 'Supprimer les pages vides',
  'linearize-pdf': 'Affichage rapide sur le Web',
  'repair-pdf': 'Réparer un PDF',
  'to-pdfa': 'Convertir en PDF/A',
  merge: 'Fusionner des fichiers',
  compress: 'Compresser des fichiers',
  thumbnail: 'Créer une miniature',
  watermark: 'Filigrane pour images et vidéos',
  metadata: 'Voir les métadonnées',
  archive: 'Créer un ZIP',
  extract: 'Extraire une archive',
}

export default words
