import { pluralIn } from '../../../words/plural.ts'
import type en from './en.ts'

const plural = pluralIn('fr')

/** Machine translation, not yet checked by a native speaker. */
const words: typeof en = {
  title: 'Convertir un dossier',
  lead: 'Convertissez tous les fichiers d’un dossier et de ses sous-dossiers. Vous obtenez un ZIP avec la même arborescence.',
  drop: 'Déposez un dossier n’importe où sur cette page',
  choose: 'Choisir un dossier',
  steps: [
    'Choisissez un dossier. Ses fichiers sont listés avec leurs sous-dossiers.',
    'Choisissez un format pour chaque type de fichier, puis convertissez tout.',
    'Les fichiers en échec peuvent être relancés séparément.',
    'Téléchargez le tout dans un ZIP qui conserve l’arborescence.',
  ],
  howTo: 'Comment ça marche',
  inFolders: (files, folders) =>
    `${plural(files, 'fichier', 'fichiers')} dans ${plural(folders, 'dossier', 'dossiers')}`,
  tree: 'Dossiers',
  count: (done, total) => `${plural(done, 'converti', 'convertis')} sur ${total}`,
  others: (count) =>
    plural(count, 'autre fichier n’est pas dans un dossier.', 'autres fichiers ne sont pas dans un dossier.'),
  toOthers: 'Afficher tous les fichiers',
}

export default words
