import type en from './en.ts'

/** Machine translation, not yet checked by a native speaker. */
const words: typeof en = {
  moreOptions: 'Options avancées',
  automatic: 'Automatique',
  yes: 'Oui',
  no: 'Non',
  customNumber: 'Personnalisé',
  sliderOf: (label) => `${label}, curseur`,
  showPassword: 'Afficher le mot de passe',
  colorOf: (label) => `${label}, sélecteur de couleur`,
  between: (min, max) => `Saisissez un nombre entre ${min} et ${max}.`,
  atLeast: (min) => `Saisissez un nombre d’au moins ${min}.`,
  atMost: (max) => `Saisissez un nombre d’au plus ${max}.`,
  notAnInteger: 'Saisissez un nombre entier.',
  notANumber: 'Saisissez un nombre.',
  invalidValue: 'Vérifiez cette valeur.',
  sizeUnit: 'Unité de la taille',
  sizesOf: (originalSize) => `Tailles pour ce fichier de ${originalSize}`,
  atMostSize: (size) => `jusqu’à ${size}`,
  searchLanguages: 'Rechercher une langue',
  removeLanguage: (name) => `Retirer ${name}`,
  noLanguage: (typedText) => `Aucune langue nommée « ${typedText} ».`,
  maxLanguages: (max) => `Vous pouvez choisir jusqu’à ${max} langues.`,
  customSize: 'Taille personnalisée',
  paperWidth: 'Largeur du papier',
  paperHeight: 'Hauteur du papier',
  paperUnit: 'Unité du papier',
  pickPages: 'Choisir les pages',
  trim: 'Couper',
  startHere: 'Commencer ici',
  endHere: 'Finir ici',
  useThisFrame: 'Utiliser cette image',
  playSelection: 'Lire la sélection',
  selection: (start, end, length) => `De ${start} à ${end}, ${length}`,
}

export default words
