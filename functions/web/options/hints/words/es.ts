import type en from './en.ts'

/** Machine translation, not yet checked by a native speaker. */
const hints: typeof en = {
  '0 is fastest, 9 makes the smallest file; the pixels do not change.':
    '0 es lo más rápido, 9 da el archivo más pequeño. La imagen no cambia.',
  '0 is fastest, 9 makes the smallest archive; the files in it do not change.':
    '0 es lo más rápido, 9 da el archivo comprimido más pequeño.',
  '0.01 is barely visible, 1 is opaque. A percentage such as 30% is also accepted.':
    '0.01 apenas se ve, 1 es opaco. También valen porcentajes como 30%.',
  '1 to 100, or low, medium, high, highest. A higher quality makes a larger file.':
    'A mayor calidad, mayor tamaño de archivo.',
  '1 to 100, or low, medium, high, highest. A lower quality makes a smaller file.':
    'A menor calidad, menor tamaño de archivo.',
  '1 to 100; takes precedence over quality.': 'Tiene prioridad sobre el ajuste general de calidad.',
  '240p to 4k set the shorter side; a size such as 1280x720 is a box that the video is fitted into. The aspect ratio is kept.':
    'El lado más corto, o un tamaño máximo como 1280x720. Se conservan las proporciones.',
  'A comment or caption.': 'Un comentario o una leyenda.',
  'A page is blank when at most this percentage of it is darker than paper.':
    'Las páginas con menos tinta que este valor se consideran en blanco.',
  'A3, A4, A5, Letter, Legal, or width and height such as `210x297mm` (mm, cm, in, pt)':
    'Un tamaño estándar, o ancho y alto propios.',
  'Also print background colors and images.': 'Incluir los colores y las imágenes de fondo.',
  'Run the scripts of the page, such as those that draw charts. They have no network access.':
    'Ejecutar los scripts de la página, como los que dibujan gráficos. No tienen acceso a la red.',
  'Also removes links to websites and other files.': 'Elimina los enlaces a sitios web y a otros archivos.',
  'Allows changing a signed PDF, which invalidates its signatures. Without this option, a signed PDF is refused.':
    'Cambia el PDF aunque sus firmas dejen de ser válidas.',
  'Also removes title, author and other metadata.': 'Elimina el título, el autor y otros metadatos.',
  'An empty value removes the field; if the option is omitted, the field is kept. The other metadata fields work the same way.':
    'Sin cambios, el valor se conserva; con el campo vacío, se elimina.',
  'Creation date, such as 2026-01-31 or 2026-01-31T12:00:00Z.': 'Fecha de creación.',
  'Audio codec; copy keeps the audio stream unchanged if possible.':
    '«Copiar sin cambios» deja el audio tal como está, si es posible.',
  'Bits per color channel: fewer bits give fewer, larger shapes.':
    'Los valores bajos dan menos formas y más grandes.',
  'Bits per second of each audio track, such as 128k, if the codec supports different bit rates.':
    'Por ejemplo, 128k. Se aplica si el formato lo admite.',
  'Bits per second of the video track, such as 2M.': 'Por ejemplo, 2M.',
  'Capture the whole page, not only what fits in the window.':
    'Capturar la página completa, no solo la parte visible.',
  'Channels of each audio track: 1 for mono, 2 for stereo, 6 for 5.1; limited by the codec.':
    '1 es mono, 2 es estéreo, 6 es sonido envolvente 5.1.',
  'Color behind transparent parts, such as #ff8800 or white. By default, transparency is kept if the codec supports it; otherwise transparent parts become white in animations and black in videos.':
    'Color de las zonas transparentes. Dejar vacío para conservar la transparencia si es posible.',
  'Color behind transparent parts, such as #ff8800. Defaults to white if the format has no transparency; otherwise they stay transparent.':
    'Color de las zonas transparentes. Blanco si el formato no tiene transparencia.',
  'Constant quality: lower is better. The maximum for h264 and h265 is 51.':
    'Cuanto más bajo, mejor. H.264 y H.265 llegan hasta 51.',
  'Degrees clockwise, in addition to the rotation stored by the camera.':
    'Además de la orientación de la cámara.',
  'Degrees clockwise: 90, 180, 270 or -90.': 'Gira las páginas en sentido horario.',
  'Distance from the edge, such as 24pt or 10mm.': 'Por ejemplo, 24pt o 10mm.',
  'Dithering method for colors that are not in the palette.':
    'Cómo se imitan los colores que faltan en la paleta.',
  'Encodes in two passes: meets the bit rate more precisely but takes twice as long.':
    'Se ajusta mejor a la tasa de bits, pero tarda el doble.',
  'Encoding of the input text, such as windows-1251, iso-8859-2, koi8-r, shift_jis, gb18030, big5, euc-kr or utf-16le. Detected by default or with auto, with a warning if it had to be guessed; a byte order mark in the file takes precedence.':
    'Se detecta automáticamente. Conviene cambiarla si hay caracteres incorrectos.',
  'End time, as HH:MM:SS.ms or seconds.': 'Tiempo final, por ejemplo 00:01:30.5 o 90.5 segundos.',
  'End time, as HH:MM:SS.ms.': 'Tiempo final, por ejemplo 00:01:30.5',
  'Every font is embedded, so that pages look the same everywhere; false has no effect and causes a warning':
    'Se incrustan todas las fuentes: las páginas se ven igual en todas partes.',
  'Everything darker than this brightness, in percent, is traced.':
    'Se vectoriza todo lo que sea más oscuro.',
  'Files to extract, by name or path in the archive; * matches any characters and ? a single one, such as docs/*.pdf. Defaults to all files.':
    'Nombres o rutas de archivos, por ejemplo docs/*.pdf. Dejar vacío para extraer todos.',
  'First removes all existing metadata, such as location, camera and software; the appearance stays the same.':
    'Elimina la ubicación y los datos de la cámara y del programa. La imagen se ve igual.',
  'The format only names fonts and never embeds them; setting this option causes a warning.':
    'Este formato solo indica el nombre de las fuentes; no puede incrustarlas.',
  "Footer text of every page, replacing the document's own; {page}, {pages} and {date} are filled in":
    'Sustituye el pie de página del documento. {page}, {pages} y {date} se completan solos.',
  'For bw: everything darker than this brightness, in percent, is black.':
    'Para blanco y negro: todo lo que sea más oscuro se vuelve negro.',
  'Frames per second.': '',
  "Header text of every page, replacing the document's own; {page}, {pages} and {date} are filled in":
    'Sustituye el encabezado del documento. {page}, {pages} y {date} se completan solos.',
  'Height in pixels. The width is scaled to match unless it is set too.':
    'Dejar vacío el ancho o el alto para conservar las proporciones.',
  'Height of the bitmaps in pixels': 'Alto de los mapas de bits.',
  'Height of the window in pixels.': 'Alto de la ventana del navegador.',
  'How much corners are rounded: 0 keeps all of them sharp, 100 rounds all of them.':
    '0 mantiene agudas todas las esquinas, 100 las redondea todas.',
  'How many times the animation plays; 0 means forever.': '0 repite sin fin.',
  'How to arrange the images: vertical in a column, horizontal in a row, grid in rows and columns.':
    'Cómo se disponen las imágenes.',
  'Image resolution: screen 72 dpi, ebook 150, printer and prepress 300.':
    'Define la resolución de las imágenes.',
  'Keep only these characters: as text, or as ranges such as U+0020-007E,U+20AC':
    'Escribir los caracteres, o rangos como U+0020-007E, U+20AC.',
  'Keeps every pixel exactly; quality then sets the compression effort. By default, true for images of up to 256 colors, whose edges would otherwise blur.':
    'Conserva cada píxel exacto. La calidad define entonces el esfuerzo de compresión.',
  'Landscape (true) or portrait (false) for every page; by default, as in the document':
    'Horizontal o vertical. Por defecto, como en el documento.',
  'Languages of the text in images, at most 5 joined by +, the main one first: eng, deu, fra, spa, ita, por, nld, pol, rus, ukr, tur, ara, hin, jpn, kor, chi-sim, chi-tra.':
    'Idiomas del texto de las imágenes, primero el principal. Hasta 5.',
  'Keeps all font sizes of the document.': 'Conserva todos los tamaños de letra del documento.',
  'Area to keep, instead of margins: its distance from the left and top edges, its width and its height, in points.':
    'Izquierda, arriba, ancho y alto en puntos, en lugar de márgenes.',
  'Password that lifts the restrictions. Defaults to the value of password, or to a random one if permissions are restricted.':
    'Necesaria para cambiar los permisos. Por defecto, la contraseña, o una aleatoria.',
  'Longest side in pixels; larger pages are scaled down.':
    'Las páginas más grandes se reducen a este tamaño.',
  'Replaces straight quotes, double hyphens and three dots with typographic characters.':
    'Convierte comillas rectas, guiones dobles y tres puntos en signos tipográficos.',
  'Margin at the bottom of every page, such as 20mm, 2cm, 1in or 72pt': 'Por ejemplo, 20mm, 2cm, 1in o 72pt.',
  'Margin at the left of every page, such as 20mm, 2cm, 1in or 72pt': 'Por ejemplo, 20mm, 2cm, 1in o 72pt.',
  'Margin at the right of every page, such as 20mm, 2cm, 1in or 72pt': 'Por ejemplo, 20mm, 2cm, 1in o 72pt.',
  'Margin at the top of every page, such as 20mm, 2cm, 1in or 72pt': 'Por ejemplo, 20mm, 2cm, 1in o 72pt.',
  'Margins in pt from 0 to 200: one number for all sides, four such as "top,bottom,left,right" or "top/bottom/left/right", or by side such as "top=10,left=20". Omitted sides default to 5.':
    'Un número para todos los lados, o cuatro para arriba, abajo, izquierda y derecha, por ejemplo 10,10,20,20.',
  'Maximum length of the longest side in pixels; larger images are scaled down.':
    'Las imágenes más grandes se reducen a este tamaño.',
  'Maximum size in bytes, or a size such as 500k or 2M: first the frame rate and then the dimensions are reduced until the file fits.':
    'Por ejemplo, 500k o 2M. Los fotogramas por segundo y las dimensiones se reducen hasta alcanzar ese tamaño.',
  'Maximum size in bytes; the best quality that fits is used.':
    'Usa la mejor calidad que no supere este tamaño.',
  'Maximum size of the result in bytes, or a size such as 500k or 8M. Use it instead of quality.':
    'Por ejemplo, 500k u 8M. Usar en lugar de la calidad.',
  'Maximum size of the result in bytes; image quality is reduced until it fits.':
    'La calidad de las imágenes se reduce hasta alcanzar ese tamaño.',
  'Maximum size of the result in bytes; quality and then dimensions are reduced until it fits.':
    'La calidad, y luego las dimensiones, se reducen hasta alcanzar ese tamaño.',
  'Minimum distance from the edge, in points or pixels. By default, a 25th of the shorter side; less if there is no room.':
    'Distancia mínima al borde. Dejar vacío para ajustarla automáticamente.',
  'Quality preset; web is the same as ebook, and max makes the smallest file.':
    'Define la resolución de las imágenes.',
  'Password for the new archive (AES-256). In a 7z it also encrypts the file names.':
    'Necesaria para abrir el archivo comprimido. Un 7z oculta también los nombres de los archivos.',
  'New page order, such as 3,1,2. Pages not named follow in their original order.':
    'Por ejemplo, 3,1,2. Las demás páginas siguen en su orden original.',
  'Number of columns of a contact sheet with frames evenly spaced over the video. A single frame if rows and columns are omitted; if only one of them is set, the other has the same value.':
    'Crea una hoja de contactos. Dejar vacías filas y columnas para un solo fotograma.',
  'Number of images, evenly spaced over the video.': 'Repartidas de forma uniforme por el video.',
  'Number of pages, starting with the first; each becomes an image.':
    'Las primeras páginas, cada una como imagen.',
  'Number of rows of a contact sheet with frames evenly spaced over the video. A single frame if rows and columns are omitted; if only one of them is set, the other has the same value.':
    'Crea una hoja de contactos. Dejar vacías filas y columnas para un solo fotograma.',
  'Number printed on the first numbered page.': 'El número de la primera página.',
  'One file per range, such as 1-3,4-last. Defaults to one file per page.':
    'Un archivo por rango, por ejemplo 1-3, 4-last. Vacío: un archivo por página.',
  'Password of a protected archive. The result is not protected.':
    'Solo para archivos comprimidos protegidos. El resultado no queda protegido.',
  'Outlines as curves (spline), straight lines (polygon) or pixel steps (pixel).':
    'Cómo se dibujan los contornos.',
  'PDF/A part and conformance level.': 'Parte y nivel de conformidad de PDF/A.',
  'Page numbers and ranges such as 1-5,10,15-last. A range may run backward. Defaults to all pages.':
    'Por ejemplo, 1-5, 10, 15-last. Vacío: todas las páginas.',
  'Pages to extract, in the order you want, such as 1,3,5 or 7-last.':
    'Páginas que se extraen, en el orden deseado, por ejemplo 1, 3, 5 o 7-last.',
  'Pages to change, such as 1-5,10,15-last. Defaults to all pages.':
    'Por ejemplo, 1-5, 10, 15-last. Vacío: todas las páginas.',
  'Pages to remove, such as 2,4.': 'Páginas que eliminar, por ejemplo 2, 4.',
  'Pages to search. Defaults to all pages.': 'Páginas en las que buscar. Vacío: todas las páginas.',
  'Password for the files that need one. The result is not encrypted.':
    'Solo para archivos protegidos. El resultado no queda protegido.',
  'Password of a protected document.': 'Solo para documentos protegidos.',
  'Password that readers need to open the result.': 'Necesaria para abrir el PDF.',
  'Password to open the PDF, if it needs one.': 'Solo para PDF protegidos.',
  'Password to open the PDF, if it needs one. Most tools protect the result with the same password.':
    'Solo para PDF protegidos.',
  'Password to open the PDF. Not needed when only its permissions are restricted.':
    'No hace falta si solo están restringidos los permisos.',
  'Password to open the source, if it needs one.': 'Solo si el PDF ya está protegido.',
  'Pixels of the image per pixel of the page, 0.5 to 4.': '2 duplica la resolución.',
  'Pixels per inch at which vector drawings are rendered; 96 keeps the drawing’s own size in pixels.':
    'Los valores altos dan una imagen más grande y nítida. 96 es el tamaño original.',
  'Pixels per inch of the drawing.': 'Los valores altos dan una imagen más nítida y grande.',
  'Pixels per inch.': 'Los valores altos dan una imagen más nítida y grande.',
  'Width of the box for the thumbnail, in pixels. When left out, it follows from the height; when both are left out, the box is 256 by 256.':
    'Dejar vacío el ancho o el alto para conservar las proporciones. Por defecto: 256 × 256.',
  'Height of the box for the thumbnail, in pixels. When left out, it follows from the width; when both are left out, the box is 256 by 256.':
    'Dejar vacío el ancho o el alto para conservar las proporciones. Por defecto: 256 × 256.',
  'Plays the animation forward, then backward.': 'Se reproduce hacia delante y luego hacia atrás.',
  'Font size in points on a page, or in pixels on an image or video. By default, as large as fits well.':
    'Dejar vacío para ajustarlo automáticamente.',
  'Font size in points.': '',
  'Position of the page number on the page.': '',
  'Program that created the PDF.': 'El programa que creó el PDF.',
  'Program that created the original document.': 'El programa que creó el documento original.',
  'Embeds the fonts that the document uses, if they are available.':
    'Incrusta las fuentes del documento, si están disponibles.',
  'Reduces the image to at most 256 colors: the file becomes much smaller, but the colors are not exact.':
    'Como máximo 256 colores: mucho más pequeño, pero menos exacto.',
  'Removes all existing metadata first.': '',
  'Rotates the video clockwise by this many degrees.': 'Gira el video en sentido horario.',
  'Samples per second; the nearest rate that the codec supports is used.':
    'Se usa la frecuencia admitida más cercana.',
  'Seconds of silence between two files.': 'Segundos de silencio entre dos archivos.',
  'Shrink sheets that are wider than the page, so that no column is moved to another page':
    'Reduce las hojas anchas para que ninguna columna pase a otra página.',
  'Scale of the content on the page, 0.1 to 2.': '1 es el tamaño original.',
  'Size of the body text in pt, 4 to 60; other font sizes scale with it. Defaults to the size of the profile.':
    'Los demás tamaños se adaptan. Por defecto, según el lector electrónico.',
  'Sizes of the images in the icon, 1 to 256 pixels, such as 16,32,48. Defaults to the common sizes.':
    'Por ejemplo, 16,32,48. Dejar vacío para los tamaños habituales.',
  'Slower presets make smaller files of the same quality.':
    'Los ajustes más lentos dan archivos más pequeños con la misma calidad.',
  'Removes speckles of up to this many pixels.': 'Se eliminan las manchas más pequeñas.',
  'Removes speckles smaller than this many pixels on a side.': 'Se eliminan las manchas más pequeñas.',
  'Start time, as HH:MM:SS.ms or seconds.': 'Tiempo inicial, por ejemplo 00:00:10 o 10.5 segundos.',
  'Start time, as HH:MM:SS.ms.': 'Tiempo inicial, por ejemplo 00:00:10',
  'Straightens skewed pages; their images are re-encoded.':
    'Endereza los escaneos torcidos. Sus imágenes se recodifican.',
  'A color such as #ff0000, or a name such as red.': 'Un nombre de color, o un valor como #ff0000.',
  'Terms to remove permanently, ignoring case: a list, or separated by commas.':
    'Palabras o frases que eliminar de forma permanente, separadas por comas. No se distingue entre mayúsculas y minúsculas.',
  'Text in any script. Send either this or an image as an additional file.':
    'Texto en cualquier idioma, o bien una imagen añadida.',
  'Text such as `Page {page} of {pages}`.': 'Por ejemplo, Página {page} de {pages}.',
  'The device that images and font sizes are optimized for, such as kindle_pw3, tablet or generic_eink.':
    'Las imágenes y los tamaños de letra se adaptan a este dispositivo.',
  'The image appears coarse at first and sharpens while it loads.':
    'Aparece pronto y gana nitidez mientras se carga.',
  'Time of the frame, as HH:MM:SS.ms or seconds; if count is more than 1, the time of the first frame. Defaults to a frame that is not blank, about a third into the video.':
    'Momento del (primer) fotograma, por ejemplo 00:00:10. Dejar vacío para elegirlo automáticamente.',
  'Time of the frame, as HH:MM:SS.ms or seconds; for a contact sheet, the time of its first frame. Defaults to a frame that is not blank.':
    'Momento del (primer) fotograma, por ejemplo 00:00:10. Dejar vacío para elegirlo automáticamente.',
  'Traces the light parts instead of the dark ones.': 'Vectoriza las zonas claras en lugar de las oscuras.',
  'Video codec; copy keeps the video stream unchanged if possible.':
    '«Copiar sin cambios» deja el video tal como está, si es posible.',
  'Volume factor: 0.5 halves the volume, 2 doubles it.': '0.5 es la mitad de volumen, 2 es el doble.',
  'Separator of the fields in the input table: comma, semicolon, tab, pipe, space, colon or another character. Detected from the first lines by default or with auto.':
    'Separador de campos del archivo CSV. Por defecto se detecta automáticamente.',
  'Position of the watermark. By default, diagonal for text and center for an image; tile repeats it.':
    'Por defecto: en diagonal para un texto, en el centro para una imagen.',
  'Whether readers may add comments.': '',
  'Whether readers may edit the pages.': '',
  'Whether readers may copy text and images.': '',
  'Whether readers may fill in forms.': '',
  'Whether readers may print.': '',
  'Whether the first line of the input table contains column names. If true, a spreadsheet shows this line in bold and repeats it on each printed or PDF page. If false, a document shows it as an ordinary row.':
    'La fila de encabezado aparece en negrita y se repite en cada página impresa.',
  'Number of the font in a collection, starting at 1': 'Número de la fuente en la colección, a partir de 1.',
  'The author, or the artist of a song.': 'El autor, o el artista de una canción.',
  'Width in pixels; by default at most 480. The aspect ratio is kept.':
    'Por defecto, hasta 480. Se conservan las proporciones.',
  'Width in pixels. The height is scaled to match unless it is set too.':
    'Dejar vacío el ancho o el alto para conservar las proporciones.',
  'Width of the watermark image as a percentage of the width of the page, image or video.':
    'En porcentaje de la página, la imagen o el video.',
  'Width of the window in pixels.': 'Ancho de la ventana del navegador.',
  'Width to cut off, such as 20mm, 1in or 36pt.': 'Ancho que recortar, por ejemplo 20mm, 1in o 36pt.',
  'Separated by commas.': 'Separadas por comas.',
  'auto (or remux-if-possible) copies the streams if possible and re-encodes them otherwise; encode always re-encodes.':
    'Copiar es rápido y sin pérdida; recodificar funciona siempre.',
  'auto copies the streams if all videos have the same format and neither quality nor preset is set; encode always re-encodes.':
    'Los videos del mismo formato se pueden unir sin recodificar.',
  'color traces all colors, bw traces the dark parts in black.':
    'Vectorizar todos los colores, o solo las zonas oscuras en negro.',
  'flow creates editable text, headings, lists and tables; exact keeps each line at its position on the page. Defaults to flow.':
    'El texto editable fluye como en un documento normal; la posición exacta se parece al PDF.',
  'hybrid runs OCR on scanned pages first; fast does not.':
    'El reconocimiento de texto permite editar las páginas escaneadas, pero tarda más.',
  'keep joins the bookmarks, per_file groups them by file name, none drops them.':
    'Qué ocurre con los marcadores de los archivos.',
  'keep preserves what the camera or author stored, including the location.':
    'Conservar o eliminar los datos de la cámara y la ubicación.',
  'max fits the image into the box without enlarging it; crop fills the box and cuts off the rest; scale fits the image into the box and may enlarge it.':
    'Cómo se ajusta la imagen al ancho y al alto.',
  'max fits the image into the box without enlarging it, crop fills the box and cuts off the rest, scale stretches the image to the box.':
    'Cómo se ajusta la imagen al ancho y al alto.',
  'none removes the hints, which sharpen small text on low-resolution screens; the file becomes smaller':
    'Sin hinting, el archivo es más pequeño, pero el texto pequeño puede verse peor en pantallas de baja resolución.',
  'optimized favors the colors of moving parts; full treats all parts of the image equally.':
    'Qué partes de la imagen reciben los mejores colores.',
  'srgb or gray: gray, or grayscale, converts to shades of gray.': 'Gris convierte a tonos de gris.',
  'srgb, adobe-rgb or gray: adobe-rgb keeps more colors for print; gray, or grayscale, converts to shades of gray.':
    'Adobe RGB conserva más colores para imprimir; gris convierte a tonos de gris.',
}

export default hints
