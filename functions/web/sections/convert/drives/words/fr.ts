import { pluralIn } from '../../../../words/plural.ts'
import type en from './en.ts'

const plural = pluralIn('fr')

/** Machine translation, not yet checked by a native speaker. */
const words: typeof en = {
  names: { 'google-drive': 'Google Drive', dropbox: 'Dropbox', onedrive: 'OneDrive' },
  from: (name) => `Depuis ${name}`,
  title: (name) => `Fichiers de ${name}`,
  close: 'Fermer',
  connect: 'Connecter',
  notConnected: 'Cet espace de stockage n’est pas connecté.',
  refused: 'L’espace de stockage n’a pas été connecté, car l’accès a été refusé.',
  search: 'Rechercher par nom',
  find: 'Rechercher',
  back: 'Retour',
  files: 'Fichiers',
  nothing: 'Ce dossier est vide.',
  more: 'Afficher plus',
  addFiles: (count) => `Ajouter ${plural(count, 'fichier', 'fichiers')}`,
  busy: 'Veuillez patienter…',
  disconnect: 'Déconnecter',
  importFailed: 'Les fichiers n’ont pas pu être importés.',
  saveTo: (name) => `Enregistrer dans ${name}`,
  saveAllTo: (name) => `Tout enregistrer dans ${name}`,
  saveHere: (count) => `Enregistrer ${plural(count, 'résultat', 'résultats')} ici`,
  saved: (name) => `Enregistré dans ${name}.`,
  folders: 'Dossiers',
  noFolders: 'Ce dossier ne contient aucun autre dossier.',
  saveFailed: 'Les résultats n’ont pas pu être enregistrés dans l’espace de stockage.',
}

export default words
