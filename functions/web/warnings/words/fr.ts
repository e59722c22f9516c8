import { pluralIn } from '../../words/plural.ts'
import { listCounts, listNames, type Sentences, toPercent, type WarningCatalog } from '../catalog.ts'

/** Machine translation, not yet checked by a native speaker. */
const texts: WarningCatalog['texts'] = {
  ACTIVE_CONTENT_REMOVED: 'Les scripts et autres contenus actifs ont été retirés, car PDF/A les interdit.',
  ANIMATION_DROPPED: 'Seule la première image de l’animation a été conservée.',
  ATTACHMENTS_DROPPED: 'Les pièces jointes n’ont pas été conservées.',
  AUDIO_TRACKS_DROPPED: 'Certaines pistes audio n’ont pas été conservées.',
  BOOKMARKS_DROPPED: 'Les signets n’ont pas été conservés.',
  CHANNELS_MIXED: 'Le son a été mixé sur moins de canaux.',
  CHAPTERS_DROPPED: 'Les chapitres n’ont pas été conservés.',
  COLORS_CONVERTED: 'Les couleurs ont été converties vers un autre espace colorimétrique.',
  COLOR_DEPTH_REDUCED: 'Les couleurs ont été réduites à 8 bits par canal.',
  COLUMNS_DROPPED: 'Le tableau a trop de colonnes : les dernières manquent.',
  COMMANDS_DROPPED: 'Des commandes LaTeX inconnues ont été omises avec leur texte.',
  CONTENT_LOST: 'Une partie du contenu manque dans le résultat. Vérifiez-le.',
  CONTENT_REDUCED: 'Le fichier a été converti par une autre méthode, qui conserve moins d’éléments.',
  COUNTING_STOPPED:
    'Le contenu est trop volumineux pour être entièrement comparé. Vérifiez s’il manque quelque chose.',
  COVER_DROPPED: 'L’image de couverture n’a pas été conservée.',
  DATA_DROPPED: 'Les pistes de données sans vidéo, audio ni texte n’ont pas été conservées.',
  DUPLICATES_DROPPED:
    'Plusieurs fichiers de l’archive portent le même nom ; seul le dernier de chaque nom a été conservé.',
  ENCODING_ASSUMED: 'L’encodage des caractères a été supposé. Vérifiez les accents et les symboles.',
  ENCRYPTION_REMOVED: 'Le fichier était protégé par un mot de passe ; le résultat ne l’est pas.',
  FACES_DROPPED: 'Une seule police de la collection a été convertie.',
  FOLDERS_DROPPED: 'Ce format ne gère pas les dossiers : tous les fichiers sont au même niveau.',
  FONTS_NOT_EMBEDDED: 'Le document mentionne les polices du PDF sans les incorporer.',
  FONTS_SUBSTITUTED: 'Les polices absentes ont été remplacées par des polices proches.',
  FONT_TABLES_DROPPED: 'Certaines fonctions de la police ont été perdues.',
  FORM_FLATTENED: 'Les champs du formulaire ne sont plus remplissables ; leur contenu reste visible.',
  FRAME_RATE_ASSUMED: 'La fréquence d’images des sous-titres a été supposée. Vérifiez la synchronisation.',
  GLYPHS_MISSING: 'Certains caractères n’ont pas de police : ils s’affichent comme des carrés.',
  HIDDEN_DROPPED: 'Les parties masquées du classeur n’ont pas été incluses.',
  HIDDEN_KEPT: 'Le résultat contient des éléments masqués. Supprimez ce qui doit rester privé.',
  HIGHLIGHTS_CLIPPED: 'Les zones très claires de l’image sont devenues blanches.',
  IMAGE_DAMAGED: 'La photo est endommagée ; une partie peut manquer.',
  INCLUDES_DROPPED: 'Des fichiers inclus manquent, car ils n’ont pas été envoyés.',
  ITEM_FAILED: 'Un des fichiers n’a pas pu être converti.',
  LAYOUT_NOT_REBUILT: 'La mise en page n’a pas pu être reconstruite : les pages contiennent des images.',
  LETTERS_REPLACED: 'Des caractères non valides ont été remplacés.',
  LINKS_DROPPED: 'Des liens ou des fichiers liés manquent dans le résultat.',
  MAY_BE_DAMAGED: 'Le fichier est peut-être endommagé. Vérifiez s’il manque quelque chose.',
  METADATA_DROPPED: 'Certaines informations, comme le titre ou les tags, n’ont pas été conservées.',
  METADATA_INCOMPLETE: 'Le fichier est en partie endommagé ; les métadonnées lisibles sont incluses.',
  METADATA_NOT_KEPT: 'Le format cible ne peut pas enregistrer toutes les métadonnées.',
  NOTHING_TO_DO: 'Il n’y avait rien à faire : le fichier reste inchangé.',
  NOT_SMALLER: 'Le fichier n’a pas été réduit et reste inchangé.',
  NO_TABLES: 'Aucun tableau trouvé. La feuille contient le texte, ligne par ligne.',
  NO_TEXT: 'Les pages ne contiennent pas de texte, seulement des images.',
  OCR_UNCERTAIN:
    'Certains mots ont été difficiles à lire. Vérifiez-les ou utilisez une numérisation plus nette.',
  OCR_USED: 'Le texte de certaines pages a été reconnu à partir d’images (OCR). Vérifiez-le.',
  OPTION_IGNORED: 'Une option n’a pas eu d’effet ici.',
  OPTION_NOT_HELD: 'Une option n’a pas d’effet dans ce format.',
  OPTION_NOT_USED: 'Une option n’est pas prise en charge ici et a été ignorée.',
  PAGES_DROPPED: 'Certaines pages n’ont pas été converties.',
  PAGE_CUT: 'La page est trop longue : la fin manque.',
  PDFA_CLAIM_REMOVED: 'Le résultat n’est plus un PDF/A. Convertissez-le en PDF/A si nécessaire.',
  PICTURES_DROPPED: 'Certaines images manquent dans le résultat.',
  PICTURES_REDUCED: 'Les images des pages ont été réduites pour lire le texte.',
  PICTURES_UNSHOWN: 'Certaines images ne s’affichent pas sur beaucoup de liseuses.',
  PLANES_DROPPED: 'Certains plans de l’image n’ont pas été conservés.',
  RAW_PARTS_DROPPED: 'Des parties écrites seulement pour un autre format ont été omises.',
  REFERENCES_MISSING: 'Le dessin fait référence à des éléments qu’il ne contient pas.',
  RESTRICTIONS_VOID:
    'Les deux mots de passe sont identiques : toute personne qui ouvre le PDF a tous les droits.',
  ROWS_DROPPED: 'Le tableau a trop de lignes : les dernières manquent.',
  SAMPLES_ROUNDED: 'La précision du son a été réduite.',
  SCRIPTS_NOT_RUN: 'Les scripts de la page n’ont pas été exécutés. Vérifiez s’il manque quelque chose.',
  SCRIPTS_STOPPED: 'Les scripts de la page ont pris trop de temps et ont été arrêtés. Vérifiez le résultat.',
  SHAPES_DROPPED:
    'Les formes, images ou graphiques de la feuille manquent : le format n’enregistre que les cellules.',
  SHEETS_DROPPED: 'Seule la première feuille a été convertie.',
  SIGNATURE_BROKEN: 'Le document est signé ; sa signature n’est plus valable pour le fichier modifié.',
  SIGNATURE_INVALID: 'Le PDF était signé ; les modifications invalident ses signatures.',
  STREAM_ENCODED: 'La piste audio a dû être réencodée.',
  STYLES_DROPPED: 'Des styles des sous-titres manquent, comme le gras, l’italique ou les couleurs.',
  SUBTITLES_DROPPED: 'Certains sous-titres n’ont pas été conservés.',
  TABLES_ONLY: 'Seuls les tableaux ont été convertis ; le reste du texte manque.',
  TAGS_REMOVED: 'La structure pour lecteurs d’écran a été retirée, car elle décrivait les pages d’origine.',
  TARGET_NOT_REACHED: 'La taille souhaitée n’a pas pu être atteinte ; voici la plus petite.',
  TEMPLATES_DROPPED: 'Les modèles du wiki ont été omis : lui seul peut les développer.',
  TEXT_MAY_BE_MISSING:
    'Certaines pages contiennent du texte en image. Lancez d’abord la reconnaissance de texte.',
  TEXT_MOVED: 'Le texte pivoté a été placé à l’horizontale à la fin de sa page.',
  TEXT_PRESENT: 'Toutes les pages contiennent déjà du texte : la reconnaissance a été ignorée.',
  TRANSPARENCY_DROPPED:
    'Les zones transparentes ont maintenant une couleur, car le format ne gère pas la transparence.',
  UNKNOWN_PARAMETER: 'Une option n’existe pas pour cette conversion et a été ignorée.',
  VALUES_SCALED: 'Les valeurs de l’image ont été adaptées pour être visibles.',
  VIDEO_TRACKS_DROPPED: 'Une seule piste vidéo a été conservée.',
}

const plural = pluralIn('fr')

const sentences: Sentences = {
  ATTACHMENTS_DROPPED: ({ count }) =>
    `${plural(count, 'pièce jointe n’a pas été conservée', 'pièces jointes n’ont pas été conservées')}.`,
  CONTENT_LOST: ({ unit, share }) =>
    `Le résultat ne contient que ${toPercent(share)} % ${lostUnits[unit] ?? 'du contenu'}. Vérifiez-le.`,
  DUPLICATES_DROPPED: ({ names, count }) =>
    `${plural(count, 'nom apparaît', 'noms apparaissent')} plusieurs fois dans l’archive ; seul le dernier fichier de chaque nom a été conservé : ${listNames(names, count)}.`,
  FONTS_SUBSTITUTED: ({ names, count }) =>
    `${plural(count, 'police absente a été remplacée par une police proche', 'polices absentes ont été remplacées par des polices proches')} : ${listNames(names, count)}.`,
  HIDDEN_DROPPED: ({ sheets, rows, columns }) =>
    `Les parties masquées du classeur n’ont pas été incluses : ${listCounts([
      [sheets, plural(sheets, 'feuille', 'feuilles')],
      [rows, plural(rows, 'ligne', 'lignes')],
      [columns, plural(columns, 'colonne', 'colonnes')],
    ])}.`,
  LINKS_DROPPED: ({ count }) =>
    `${plural(count, 'lien ou fichier lié manque', 'liens ou fichiers liés manquent')} dans le résultat.`,
  OCR_UNCERTAIN: ({ share, pages, count }) =>
    `Sur ${plural(count, 'page', 'pages')}, ${toPercent(share)} % des mots étaient difficiles à lire : ${pages}. Vérifiez-les ou utilisez une numérisation plus nette.`,
  OCR_USED: ({ pages, count }) =>
    `Le texte de ${plural(count, 'page', 'pages')} a été reconnu à partir d’images (OCR) : ${pages}. Vérifiez-le.`,
  PAGES_DROPPED: ({ kept, total }) =>
    `Sur ${plural(total, 'page', 'pages')}, ${kept === 1 ? 'seule la première a été convertie' : `seules les ${kept} premières ont été converties`}.`,
  SHEETS_DROPPED: ({ total }) =>
    `Sur ${plural(total, 'feuille', 'feuilles')}, seule la première a été convertie.`,
}

const lostUnits: Readonly<Record<string, string>> = {
  words: 'des mots',
  images: 'des images',
  order: 'des paires de mots voisins',
}

const warnings: WarningCatalog = { texts, sentences }

export default warnings
