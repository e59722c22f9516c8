import type en from './en.ts'

/** Machine translation, not yet checked by a native speaker. */
const hints: typeof en = {
  '0 is fastest, 9 makes the smallest file; the pixels do not change.':
    '0 est le plus rapide, 9 donne le plus petit fichier. L’image reste la même.',
  '0 is fastest, 9 makes the smallest archive; the files in it do not change.':
    '0 est le plus rapide, 9 donne la plus petite archive.',
  '0.01 is barely visible, 1 is opaque. A percentage such as 30% is also accepted.':
    '0,01 est à peine visible, 1 est opaque. Un pourcentage comme 30% convient aussi.',
  '1 to 100, or low, medium, high, highest. A higher quality makes a larger file.':
    'Une qualité plus élevée donne un fichier plus gros.',
  '1 to 100, or low, medium, high, highest. A lower quality makes a smaller file.':
    'Une qualité plus basse donne un fichier plus petit.',
  '1 to 100; takes precedence over quality.': 'Remplace le réglage de qualité général.',
  '240p to 4k set the shorter side; a size such as 1280x720 is a box that the video is fitted into. The aspect ratio is kept.':
    'Le côté le plus court, ou une taille comme 1280x720 à ne pas dépasser. Les proportions sont conservées.',
  'A comment or caption.': 'Un commentaire ou une légende.',
  'A page is blank when at most this percentage of it is darker than paper.':
    'Les pages qui ont moins d’encre que cela comptent comme vides.',
  'A3, A4, A5, Letter, Legal, or width and height such as `210x297mm` (mm, cm, in, pt)':
    'Une taille courante, ou votre propre largeur et hauteur.',
  'Also print background colors and images.': 'Inclure les couleurs et les images de fond.',
  'Run the scripts of the page, such as those that draw charts. They have no network access.':
    'Exécuter les scripts de la page, par exemple ceux qui dessinent des graphiques. Ils n’ont pas accès au réseau.',
  'Also removes links to websites and other files.':
    'Supprime les liens vers des sites et d’autres fichiers.',
  'Allows changing a signed PDF, which invalidates its signatures. Without this option, a signed PDF is refused.':
    'Modifie le PDF même si ses signatures ne sont plus valides.',
  'Also removes title, author and other metadata.': 'Supprime le titre, l’auteur et les autres métadonnées.',
  'An empty value removes the field; if the option is omitted, the field is kept. The other metadata fields work the same way.':
    'Ne changez rien pour conserver la valeur ; videz le champ pour la supprimer.',
  'Creation date, such as 2026-01-31 or 2026-01-31T12:00:00Z.': 'Date de création.',
  'Audio codec; copy keeps the audio stream unchanged if possible.':
    '« Copier sans changement » conserve le son tel quel, si possible.',
  'Bits per color channel: fewer bits give fewer, larger shapes.':
    'Des valeurs plus basses donnent des formes plus grandes et moins nombreuses.',
  'Bits per second of each audio track, such as 128k, if the codec supports different bit rates.':
    'Par exemple 128k. S’applique si le format le permet.',
  'Bits per second of the video track, such as 2M.': 'Par exemple 2M.',
  'Capture the whole page, not only what fits in the window.':
    'Capturer la page entière, pas seulement la partie visible.',
  'Channels of each audio track: 1 for mono, 2 for stereo, 6 for 5.1; limited by the codec.':
    '1 pour mono, 2 pour stéréo, 6 pour 5.1.',
  'Color behind transparent parts, such as #ff8800 or white. By default, transparency is kept if the codec supports it; otherwise transparent parts become white in animations and black in videos.':
    'Couleur des zones transparentes. Laissez vide pour conserver la transparence si possible.',
  'Color behind transparent parts, such as #ff8800. Defaults to white if the format has no transparency; otherwise they stay transparent.':
    'Couleur des zones transparentes. Blanc si le format n’a pas de transparence.',
  'Constant quality: lower is better. The maximum for h264 and h265 is 51.':
    'Plus la valeur est basse, meilleure est la qualité. H.264 et H.265 vont jusqu’à 51.',
  'Degrees clockwise, in addition to the rotation stored by the camera.':
    'En plus de l’orientation de l’appareil photo.',
  'Degrees clockwise: 90, 180, 270 or -90.': 'Fait pivoter les pages dans le sens horaire.',
  'Distance from the edge, such as 24pt or 10mm.': 'Par exemple 24pt ou 10mm.',
  'Dithering method for colors that are not in the palette.':
    'Comment imiter les couleurs absentes de la palette.',
  'Encodes in two passes: meets the bit rate more precisely but takes twice as long.':
    'Respecte mieux le débit, mais prend deux fois plus de temps.',
  'Encoding of the input text, such as windows-1251, iso-8859-2, koi8-r, shift_jis, gb18030, big5, euc-kr or utf-16le. Detected by default or with auto, with a warning if it had to be guessed; a byte order mark in the file takes precedence.':
    'Détecté automatiquement. Changez-le si des caractères sont faux.',
  'End time, as HH:MM:SS.ms or seconds.': 'Fin, par exemple 00:01:30.5 ou 90.5 secondes.',
  'End time, as HH:MM:SS.ms.': 'Fin, par exemple 00:01:30.5',
  'Every font is embedded, so that pages look the same everywhere; false has no effect and causes a warning':
    'Toutes les polices sont incorporées : les pages ont partout le même aspect.',
  'Everything darker than this brightness, in percent, is traced.':
    'Tout ce qui est plus sombre est vectorisé.',
  'Files to extract, by name or path in the archive; * matches any characters and ? a single one, such as docs/*.pdf. Defaults to all files.':
    'Noms ou chemins de fichiers, par exemple docs/*.pdf. Laissez vide pour tous les fichiers.',
  'First removes all existing metadata, such as location, camera and software; the appearance stays the same.':
    'Supprime le lieu et les données de l’appareil et du programme. L’image garde le même aspect.',
  'The format only names fonts and never embeds them; setting this option causes a warning.':
    'Ce format ne fait que nommer les polices, il ne peut pas les incorporer.',
  "Footer text of every page, replacing the document's own; {page}, {pages} and {date} are filled in":
    'Remplace le pied de page du document. {page}, {pages} et {date} sont remplis.',
  'For bw: everything darker than this brightness, in percent, is black.':
    'Pour le noir et blanc : tout ce qui est plus sombre devient noir.',
  'Frames per second.': '',
  "Header text of every page, replacing the document's own; {page}, {pages} and {date} are filled in":
    'Remplace l’en-tête du document. {page}, {pages} et {date} sont remplis.',
  'Height in pixels. The width is scaled to match unless it is set too.':
    'Laissez la largeur ou la hauteur vide pour conserver les proportions.',
  'Height of the bitmaps in pixels': 'Hauteur des bitmaps.',
  'Height of the window in pixels.': 'Hauteur de la fenêtre du navigateur.',
  'How much corners are rounded: 0 keeps all of them sharp, 100 rounds all of them.':
    '0 garde tous les angles vifs, 100 les arrondit tous.',
  'How many times the animation plays; 0 means forever.': '0 pour une lecture en boucle.',
  'How to arrange the images: vertical in a column, horizontal in a row, grid in rows and columns.':
    'Disposition des images.',
  'Image resolution: screen 72 dpi, ebook 150, printer and prepress 300.':
    'Définit la résolution des images.',
  'Keep only these characters: as text, or as ranges such as U+0020-007E,U+20AC':
    'Saisissez les caractères, ou des plages comme U+0020-007E, U+20AC.',
  'Keeps every pixel exactly; quality then sets the compression effort. By default, true for images of up to 256 colors, whose edges would otherwise blur.':
    'Conserve chaque pixel à l’identique. La qualité règle alors l’effort de compression.',
  'Landscape (true) or portrait (false) for every page; by default, as in the document':
    'Paysage ou portrait. Par défaut : comme dans le document.',
  'Languages of the text in images, at most 5 joined by +, the main one first: eng, deu, fra, spa, ita, por, nld, pol, rus, ukr, tur, ara, hin, jpn, kor, chi-sim, chi-tra.':
    'Langues du texte des images, la principale d’abord. 5 au maximum.',
  'Keeps all font sizes of the document.': 'Conserve toutes les tailles de police du document.',
  'Area to keep, instead of margins: its distance from the left and top edges, its width and its height, in points.':
    'Gauche, haut, largeur et hauteur en points, à la place des marges.',
  'Password that lifts the restrictions. Defaults to the value of password, or to a random one if permissions are restricted.':
    'Nécessaire pour changer les autorisations. Par défaut : le mot de passe, ou un mot de passe aléatoire.',
  'Longest side in pixels; larger pages are scaled down.':
    'Les pages plus grandes sont réduites à cette taille.',
  'Replaces straight quotes, double hyphens and three dots with typographic characters.':
    'Transforme les guillemets droits, les doubles tirets et les trois points en caractères typographiques.',
  'Margin at the bottom of every page, such as 20mm, 2cm, 1in or 72pt': 'Par exemple 20mm, 2cm, 1in ou 72pt.',
  'Margin at the left of every page, such as 20mm, 2cm, 1in or 72pt': 'Par exemple 20mm, 2cm, 1in ou 72pt.',
  'Margin at the right of every page, such as 20mm, 2cm, 1in or 72pt': 'Par exemple 20mm, 2cm, 1in ou 72pt.',
  'Margin at the top of every page, such as 20mm, 2cm, 1in or 72pt': 'Par exemple 20mm, 2cm, 1in ou 72pt.',
  'Margins in pt from 0 to 200: one number for all sides, four such as "top,bottom,left,right" or "top/bottom/left/right", or by side such as "top=10,left=20". Omitted sides default to 5.':
    'Un nombre pour tous les côtés, ou quatre pour le haut, le bas, la gauche et la droite, par exemple 10,10,20,20.',
  'Maximum length of the longest side in pixels; larger images are scaled down.':
    'Les images plus grandes sont réduites à cette taille.',
  'Maximum size in bytes, or a size such as 500k or 2M: first the frame rate and then the dimensions are reduced until the file fits.':
    'Par exemple 500k ou 2M. La fréquence d’images et les dimensions sont réduites jusqu’à ce que le fichier convienne.',
  'Maximum size in bytes; the best quality that fits is used.':
    'Utilise la meilleure qualité qui respecte cette taille.',
  'Maximum size of the result in bytes, or a size such as 500k or 8M. Use it instead of quality.':
    'Par exemple 500k ou 8M. À utiliser à la place de la qualité.',
  'Maximum size of the result in bytes; image quality is reduced until it fits.':
    'La qualité des images est réduite jusqu’à ce que le fichier convienne.',
  'Maximum size of the result in bytes; quality and then dimensions are reduced until it fits.':
    'La qualité, puis les dimensions sont réduites jusqu’à ce que le fichier convienne.',
  'Minimum distance from the edge, in points or pixels. By default, a 25th of the shorter side; less if there is no room.':
    'Distance minimale au bord. Laissez vide pour un réglage automatique.',
  'Quality preset; web is the same as ebook, and max makes the smallest file.':
    'Définit la résolution des images.',
  'Password for the new archive (AES-256). In a 7z it also encrypts the file names.':
    'Nécessaire pour ouvrir l’archive. Un 7z cache aussi les noms de fichiers.',
  'New page order, such as 3,1,2. Pages not named follow in their original order.':
    'Par exemple 3,1,2. Les autres pages suivent dans leur ordre d’origine.',
  'Number of columns of a contact sheet with frames evenly spaced over the video. A single frame if rows and columns are omitted; if only one of them is set, the other has the same value.':
    'Crée une planche-contact. Laissez lignes et colonnes vides pour une seule image.',
  'Number of images, evenly spaced over the video.': 'Réparties régulièrement sur la vidéo.',
  'Number of pages, starting with the first; each becomes an image.':
    'Les premières pages, chacune en image.',
  'Number of rows of a contact sheet with frames evenly spaced over the video. A single frame if rows and columns are omitted; if only one of them is set, the other has the same value.':
    'Crée une planche-contact. Laissez lignes et colonnes vides pour une seule image.',
  'Number printed on the first numbered page.': 'Le numéro de la première page.',
  'One file per range, such as 1-3,4-last. Defaults to one file per page.':
    'Un fichier par plage, par exemple 1-3, 4-last. Vide : un fichier par page.',
  'Password of a protected archive. The result is not protected.':
    'Seulement pour les archives protégées. Le résultat n’est pas protégé.',
  'Outlines as curves (spline), straight lines (polygon) or pixel steps (pixel).':
    'Façon de dessiner les contours.',
  'PDF/A part and conformance level.': 'Partie et niveau de conformité PDF/A.',
  'Page numbers and ranges such as 1-5,10,15-last. A range may run backward. Defaults to all pages.':
    'Par exemple 1-5, 10, 15-last. Vide : toutes les pages.',
  'Pages to extract, in the order you want, such as 1,3,5 or 7-last.':
    'Pages à extraire, dans l’ordre voulu, par exemple 1, 3, 5 ou 7-last.',
  'Pages to change, such as 1-5,10,15-last. Defaults to all pages.':
    'Par exemple 1-5, 10, 15-last. Vide : toutes les pages.',
  'Pages to remove, such as 2,4.': 'Pages à supprimer, par exemple 2, 4.',
  'Pages to search. Defaults to all pages.': 'Pages à parcourir. Vide : toutes les pages.',
  'Password for the files that need one. The result is not encrypted.':
    'Seulement pour les fichiers protégés. Le résultat n’est pas protégé.',
  'Password of a protected document.': 'Seulement pour les documents protégés.',
  'Password that readers need to open the result.': 'Nécessaire pour ouvrir le PDF.',
  'Password to open the PDF, if it needs one.': 'Seulement pour les PDF protégés.',
  'Password to open the PDF, if it needs one. Most tools protect the result with the same password.':
    'Seulement pour les PDF protégés.',
  'Password to open the PDF. Not needed when only its permissions are restricted.':
    'Inutile si seules les autorisations sont restreintes.',
  'Password to open the source, if it needs one.': 'Seulement si le PDF est déjà protégé.',
  'Pixels of the image per pixel of the page, 0.5 to 4.': '2 double la résolution.',
  'Pixels per inch at which vector drawings are rendered; 96 keeps the drawing’s own size in pixels.':
    'Des valeurs plus élevées donnent une image plus grande et plus nette. 96 est la taille d’origine.',
  'Pixels per inch of the drawing.': 'Des valeurs plus élevées donnent une image plus nette et plus grande.',
  'Pixels per inch.': 'Des valeurs plus élevées donnent une image plus nette et plus grande.',
  'Width of the box for the thumbnail, in pixels. When left out, it follows from the height; when both are left out, the box is 256 by 256.':
    'Laissez la largeur ou la hauteur vide pour conserver les proportions. Par défaut : 256 × 256.',
  'Height of the box for the thumbnail, in pixels. When left out, it follows from the width; when both are left out, the box is 256 by 256.':
    'Laissez la largeur ou la hauteur vide pour conserver les proportions. Par défaut : 256 × 256.',
  'Plays the animation forward, then backward.': 'Lecture en avant, puis en arrière.',
  'Font size in points on a page, or in pixels on an image or video. By default, as large as fits well.':
    'Laissez vide pour un ajustement automatique.',
  'Font size in points.': '',
  'Position of the page number on the page.': '',
  'Program that created the PDF.': 'Le programme qui a créé le PDF.',
  'Program that created the original document.': 'Le programme qui a créé le document d’origine.',
  'Embeds the fonts that the document uses, if they are available.':
    'Incorpore les polices du document, si elles sont disponibles.',
  'Reduces the image to at most 256 colors: the file becomes much smaller, but the colors are not exact.':
    '256 couleurs au maximum : bien plus petit, mais moins exact.',
  'Removes all existing metadata first.': '',
  'Rotates the video clockwise by this many degrees.': 'Fait pivoter la vidéo dans le sens horaire.',
  'Samples per second; the nearest rate that the codec supports is used.':
    'La fréquence prise en charge la plus proche est utilisée.',
  'Seconds of silence between two files.': 'Secondes de silence entre deux fichiers.',
  'Shrink sheets that are wider than the page, so that no column is moved to another page':
    'Réduit les feuilles larges pour qu’aucune colonne ne passe sur une autre page.',
  'Scale of the content on the page, 0.1 to 2.': '1 est la taille d’origine.',
  'Size of the body text in pt, 4 to 60; other font sizes scale with it. Defaults to the size of the profile.':
    'Les autres tailles s’adaptent. Par défaut : selon la liseuse.',
  'Sizes of the images in the icon, 1 to 256 pixels, such as 16,32,48. Defaults to the common sizes.':
    'Par exemple 16,32,48. Laissez vide pour les tailles courantes.',
  'Slower presets make smaller files of the same quality.':
    'Les préréglages plus lents donnent des fichiers plus petits à qualité égale.',
  'Removes speckles of up to this many pixels.': 'Les taches plus petites sont supprimées.',
  'Removes speckles smaller than this many pixels on a side.': 'Les taches plus petites sont supprimées.',
  'Start time, as HH:MM:SS.ms or seconds.': 'Début, par exemple 00:00:10 ou 10.5 secondes.',
  'Start time, as HH:MM:SS.ms.': 'Début, par exemple 00:00:10',
  'Straightens skewed pages; their images are re-encoded.':
    'Redresse les scans de travers. Leurs images sont réencodées.',
  'A color such as #ff0000, or a name such as red.': 'Un nom de couleur, ou une valeur comme #ff0000.',
  'Terms to remove permanently, ignoring case: a list, or separated by commas.':
    'Mots ou expressions à supprimer définitivement, séparés par des virgules. La casse est ignorée.',
  'Text in any script. Send either this or an image as an additional file.':
    'Texte dans n’importe quelle langue, ou ajoutez plutôt une image.',
  'Text such as `Page {page} of {pages}`.': 'Par exemple Page {page} sur {pages}.',
  'The device that images and font sizes are optimized for, such as kindle_pw3, tablet or generic_eink.':
    'Les images et les tailles de police sont adaptées à cet appareil.',
  'The image appears coarse at first and sharpens while it loads.':
    'Apparaît vite et se précise pendant le chargement.',
  'Time of the frame, as HH:MM:SS.ms or seconds; if count is more than 1, the time of the first frame. Defaults to a frame that is not blank, about a third into the video.':
    'Moment de la (première) image, par exemple 00:00:10. Laissez vide pour un choix automatique.',
  'Time of the frame, as HH:MM:SS.ms or seconds; for a contact sheet, the time of its first frame. Defaults to a frame that is not blank.':
    'Moment de la (première) image, par exemple 00:00:10. Laissez vide pour un choix automatique.',
  'Traces the light parts instead of the dark ones.':
    'Vectorise les zones claires au lieu des zones sombres.',
  'Video codec; copy keeps the video stream unchanged if possible.':
    '« Copier sans changement » conserve la vidéo telle quelle, si possible.',
  'Volume factor: 0.5 halves the volume, 2 doubles it.':
    '0.5 est deux fois moins fort, 2 est deux fois plus fort.',
  'Separator of the fields in the input table: comma, semicolon, tab, pipe, space, colon or another character. Detected from the first lines by default or with auto.':
    'Séparateur de champs du fichier CSV. Détecté automatiquement par défaut.',
  'Position of the watermark. By default, diagonal for text and center for an image; tile repeats it.':
    'Par défaut : en diagonale pour un texte, centré pour une image.',
  'Whether readers may add comments.': '',
  'Whether readers may edit the pages.': '',
  'Whether readers may copy text and images.': '',
  'Whether readers may fill in forms.': '',
  'Whether readers may print.': '',
  'Whether the first line of the input table contains column names. If true, a spreadsheet shows this line in bold and repeats it on each printed or PDF page. If false, a document shows it as an ordinary row.':
    'La ligne d’en-tête est en gras et répétée sur chaque page imprimée.',
  'Number of the font in a collection, starting at 1':
    'Numéro de la police dans la collection, à partir de 1.',
  'The author, or the artist of a song.': 'L’auteur, ou l’artiste d’un morceau.',
  'Width in pixels; by default at most 480. The aspect ratio is kept.':
    'Par défaut : jusqu’à 480. Les proportions sont conservées.',
  'Width in pixels. The height is scaled to match unless it is set too.':
    'Laissez la largeur ou la hauteur vide pour conserver les proportions.',
  'Width of the watermark image as a percentage of the width of the page, image or video.':
    'En pourcentage de la page, de l’image ou de la vidéo.',
  'Width of the window in pixels.': 'Largeur de la fenêtre du navigateur.',
  'Width to cut off, such as 20mm, 1in or 36pt.': 'Largeur à rogner, par exemple 20mm, 1in ou 36pt.',
  'Separated by commas.': 'Séparés par des virgules.',
  'auto (or remux-if-possible) copies the streams if possible and re-encodes them otherwise; encode always re-encodes.':
    'La copie est rapide et sans perte ; le réencodage fonctionne toujours.',
  'auto copies the streams if all videos have the same format and neither quality nor preset is set; encode always re-encodes.':
    'Les vidéos du même format peuvent être assemblées sans réencodage.',
  'color traces all colors, bw traces the dark parts in black.':
    'Vectoriser toutes les couleurs, ou seulement les zones sombres en noir.',
  'flow creates editable text, headings, lists and tables; exact keeps each line at its position on the page. Defaults to flow.':
    'Le texte modifiable s’écoule comme dans un document normal ; la position exacte ressemble au PDF.',
  'hybrid runs OCR on scanned pages first; fast does not.':
    'La reconnaissance de texte rend les pages scannées modifiables, mais prend plus de temps.',
  'keep joins the bookmarks, per_file groups them by file name, none drops them.':
    'Ce que deviennent les signets des fichiers.',
  'keep preserves what the camera or author stored, including the location.':
    'Conserver les données de l’appareil et le lieu, ou les supprimer.',
  'max fits the image into the box without enlarging it; crop fills the box and cuts off the rest; scale fits the image into the box and may enlarge it.':
    'Comment l’image s’adapte à la largeur et à la hauteur.',
  'max fits the image into the box without enlarging it, crop fills the box and cuts off the rest, scale stretches the image to the box.':
    'Comment l’image s’adapte à la largeur et à la hauteur.',
  'none removes the hints, which sharpen small text on low-resolution screens; the file becomes smaller':
    'Sans hinting, le fichier est plus petit, mais les petits textes peuvent être moins beaux sur un écran à faible résolution.',
  'optimized favors the colors of moving parts; full treats all parts of the image equally.':
    'Quelles parties de l’image reçoivent les meilleures couleurs.',
  'srgb or gray: gray, or grayscale, converts to shades of gray.': 'Gris convertit en niveaux de gris.',
  'srgb, adobe-rgb or gray: adobe-rgb keeps more colors for print; gray, or grayscale, converts to shades of gray.':
    'Adobe RGB conserve plus de couleurs pour l’impression, gris convertit en niveaux de gris.',
}

export default hints
