import { pluralIn } from '../../words/plural.ts'
import type en from './en.ts'

const plural = pluralIn('fr')

/** Machine translation, not yet checked by a native speaker. */
const words: typeof en = {
  title: 'Pages',
  pages: (count) => plural(count, 'page', 'pages'),
  selected: (count, of) => `${plural(count, 'sélectionnée', 'sélectionnées')} sur ${of}`,
  page: (page) => `Page ${page}`,
  rotatedBy: (degrees) => `pivotée de ${degrees}°`,
  isRemoved: 'supprimée',
  isSplitAfter: 'division après cette page',
  selectAll: 'Tout sélectionner',
  selectNone: 'Ne rien sélectionner',
  rotateLeft: 'Pivoter à gauche',
  rotateRight: 'Pivoter à droite',
  moveBack: 'Déplacer à gauche',
  moveForward: 'Déplacer à droite',
  remove: 'Supprimer',
  restore: 'Rétablir',
  split: 'Diviser après',
  unsplit: 'Ne pas diviser après',
  splitEvery: 'Diviser toutes les … pages',
  splitNow: 'Diviser',
  reset: 'Réinitialiser',
  size: 'Taille des miniatures',
  range: 'Pages sélectionnées',
  rangeHint: 'Par exemple 1-5, 10, 15-last. Vide : toutes les pages.',
  actions: 'Actions pour les pages sélectionnées',
  keys: {
    always:
      'Les flèches passent d’une page à l’autre, Espace sélectionne, Maj avec les flèches étend la sélection, Ctrl+A sélectionne tout.',
    move: 'Alt avec les flèches déplace les pages.',
    rotate: 'R fait pivoter à droite, L à gauche.',
    remove: 'Suppr supprime ou rétablit.',
    split: 'S divise après la page.',
  },
  movedTo: (page, at, of) => `Page ${page} déplacée en position ${at} sur ${of}`,
  rotatedTo: (count, page, degrees) =>
    count === 1 ? `Page ${page} pivotée de ${degrees}°` : plural(count, 'page pivotée', 'pages pivotées'),
  removedNow: (count) => plural(count, 'page supprimée', 'pages supprimées'),
  restoredNow: (count) => plural(count, 'page rétablie', 'pages rétablies'),
  files: (count) => plural(count, 'fichier', 'fichiers'),
  opening: 'Ouverture du PDF…',
  locked: 'Ce PDF est protégé. Saisissez son mot de passe.',
  wrongPassword: 'Mot de passe incorrect. Réessayez.',
  password: 'Mot de passe',
  open: 'Ouvrir',
  tooLarge: 'Ce PDF est trop volumineux pour un aperçu dans le navigateur.',
  unreadable: 'Ce PDF ne peut pas être affiché dans le navigateur.',
  drawOnServer: 'Afficher les pages depuis le serveur',
  drawOnServerHint: 'Le fichier sera d’abord envoyé.',
  sending: 'Envoi…',
  drawing: 'Création des aperçus…',
  noPreview: 'Pas d’aperçu',
  tooMany: (max) =>
    `Ce PDF a plus de ${max} pages, trop pour les afficher. Saisissez les numéros de page ci-dessous.`,
}

export default words
