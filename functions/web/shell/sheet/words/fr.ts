import type en from './en.ts'

/** Machine translation, not yet checked by a native speaker. */
const words: typeof en = {
  title: 'Raccourcis clavier',
  keys: {
    a: 'Ajouter des fichiers',
    c: 'Convertir tout ce qui est prêt',
    d: 'Télécharger',
    n: 'Aller au problème suivant',
    u: 'Annuler le retrait d’un fichier',
    '?': 'Afficher cette liste',
  },
  areOn: 'Utiliser les raccourcis à une touche',
  close: 'Fermer',
}

export default words
