import { pluralIn } from '../../words/plural.ts'
import { listCounts, listNames, type Sentences, toPercent, type WarningCatalog } from '../catalog.ts'

/** Machine translation, not yet checked by a native speaker. */
const texts: WarningCatalog['texts'] = {
  ACTIVE_CONTENT_REMOVED: 'Se quitaron los scripts y otros contenidos activos, porque PDF/A los prohíbe.',
  ANIMATION_DROPPED: 'Solo se conservó el primer fotograma de la animación.',
  ATTACHMENTS_DROPPED: 'Los archivos adjuntos no se incluyeron.',
  AUDIO_TRACKS_DROPPED: 'No se conservaron todas las pistas de audio.',
  BOOKMARKS_DROPPED: 'Los marcadores no se conservaron.',
  CHANNELS_MIXED: 'El audio se mezcló en menos canales.',
  CHAPTERS_DROPPED: 'Los capítulos no se conservaron.',
  COLORS_CONVERTED: 'Los colores se convirtieron a otro espacio de color.',
  COLOR_DEPTH_REDUCED: 'Los colores se redujeron a 8 bits por canal.',
  COLUMNS_DROPPED: 'La tabla tiene demasiadas columnas: faltan las últimas.',
  COMMANDS_DROPPED: 'Se omitieron comandos de LaTeX desconocidos junto con su texto.',
  CONTENT_LOST: 'Falta parte del contenido en el resultado. Revíselo.',
  CONTENT_REDUCED: 'El archivo se convirtió por otra vía, que conserva menos.',
  COUNTING_STOPPED: 'El contenido es demasiado grande para compararlo entero. Revise si falta algo.',
  COVER_DROPPED: 'La imagen de portada no se conservó.',
  DATA_DROPPED: 'No se conservaron las pistas de datos sin video, audio ni texto.',
  DUPLICATES_DROPPED: 'Varios archivos tienen el mismo nombre; solo se conservó el último de cada nombre.',
  ENCODING_ASSUMED: 'La codificación de caracteres se dedujo. Revise los acentos y símbolos.',
  ENCRYPTION_REMOVED: 'El archivo estaba protegido con contraseña; el resultado no lo está.',
  FACES_DROPPED: 'Solo se convirtió una variante de la colección de fuentes.',
  FOLDERS_DROPPED: 'Este formato no admite carpetas: todos los archivos están juntos.',
  FONTS_NOT_EMBEDDED: 'El documento menciona las fuentes del PDF, pero no las incluye.',
  FONTS_SUBSTITUTED: 'Las fuentes que faltaban se sustituyeron por otras similares.',
  FONT_TABLES_DROPPED: 'Se perdieron algunas funciones de la fuente.',
  FORM_FLATTENED: 'Los campos del formulario ya no se pueden rellenar; su contenido sigue visible.',
  FRAME_RATE_ASSUMED: 'Se supuso la velocidad de fotogramas de los subtítulos. Revise los tiempos.',
  GLYPHS_MISSING: 'Faltan fuentes para algunos caracteres: se muestran como recuadros.',
  HIDDEN_DROPPED: 'Las partes ocultas del libro no se incluyeron.',
  HIDDEN_KEPT: 'El resultado contiene contenido oculto. Elimine lo que deba ser privado.',
  HIGHLIGHTS_CLIPPED: 'Las zonas muy claras de la imagen quedaron blancas.',
  IMAGE_DAMAGED: 'La foto está dañada; puede faltar una parte.',
  INCLUDES_DROPPED: 'Faltan archivos incluidos, porque no se enviaron.',
  ITEM_FAILED: 'Uno de los archivos no se pudo convertir.',
  LAYOUT_NOT_REBUILT: 'No se pudo reconstruir el diseño: las páginas contienen imágenes.',
  LETTERS_REPLACED: 'Se sustituyeron caracteres no válidos.',
  LINKS_DROPPED: 'Faltan enlaces o archivos enlazados en el resultado.',
  MAY_BE_DAMAGED: 'El archivo puede estar dañado. Revise si falta algo en el resultado.',
  METADATA_DROPPED: 'Algunos datos, como el título o las etiquetas, no se conservaron.',
  METADATA_INCOMPLETE: 'El archivo está dañado en parte; se incluyen los metadatos legibles.',
  METADATA_NOT_KEPT: 'El formato de destino no puede guardar todos los metadatos.',
  NOTHING_TO_DO: 'No había nada que hacer: el archivo queda igual.',
  NOT_SMALLER: 'El archivo no se redujo y queda sin cambios.',
  NO_TABLES: 'No se encontraron tablas. La hoja contiene el texto, línea por línea.',
  NO_TEXT: 'Las páginas no contienen texto, solo imágenes de él.',
  OCR_UNCERTAIN: 'Algunas palabras no se leyeron con seguridad. Revíselas o use un escaneo más nítido.',
  OCR_USED: 'El texto de algunas páginas se reconoció a partir de imágenes (OCR). Revíselo.',
  OPTION_IGNORED: 'Una opción no tuvo efecto aquí.',
  OPTION_NOT_HELD: 'Una opción no tiene efecto en este formato.',
  OPTION_NOT_USED: 'Una opción no se admite aquí y se ignoró.',
  PAGES_DROPPED: 'No se convirtieron todas las páginas.',
  PAGE_CUT: 'La página es demasiado larga: falta el final.',
  PDFA_CLAIM_REMOVED: 'El resultado ya no es PDF/A. Conviértalo a PDF/A si lo necesita.',
  PICTURES_DROPPED: 'Faltan algunas imágenes en el resultado.',
  PICTURES_REDUCED: 'Las imágenes de las páginas se redujeron para leer el texto.',
  PICTURES_UNSHOWN: 'Muchos lectores de libros electrónicos no pueden mostrar algunas imágenes.',
  PLANES_DROPPED: 'No se conservaron todos los planos de la imagen.',
  RAW_PARTS_DROPPED: 'Se omitieron partes escritas solo para otro formato.',
  REFERENCES_MISSING: 'El dibujo hace referencia a elementos que no contiene.',
  RESTRICTIONS_VOID: 'Ambas contraseñas son iguales: quien abra el PDF tiene todos los permisos.',
  ROWS_DROPPED: 'La tabla tiene demasiadas filas: faltan las últimas.',
  SAMPLES_ROUNDED: 'Se redujo la precisión del audio.',
  SCRIPTS_NOT_RUN: 'No se ejecutaron los scripts de la página. Revise si falta algo.',
  SCRIPTS_STOPPED: 'Los scripts de la página tardaron demasiado y se detuvieron. Revise si falta algo.',
  SHAPES_DROPPED: 'Faltan formas, imágenes o gráficos de la hoja: el formato solo guarda celdas.',
  SHEETS_DROPPED: 'Solo se convirtió la primera hoja.',
  SIGNATURE_BROKEN: 'El documento está firmado; la firma no es válida para el archivo modificado.',
  SIGNATURE_INVALID: 'El PDF estaba firmado; los cambios invalidan sus firmas.',
  STREAM_ENCODED: 'La pista de audio se tuvo que volver a codificar.',
  STYLES_DROPPED: 'Faltan estilos de los subtítulos, como negrita, cursiva o colores.',
  SUBTITLES_DROPPED: 'No se conservaron todos los subtítulos.',
  TABLES_ONLY: 'Solo se convirtieron las tablas; falta el resto del texto.',
  TAGS_REMOVED: 'Se quitó la estructura para lectores de pantalla, porque describía las páginas originales.',
  TARGET_NOT_REACHED: 'No se pudo alcanzar el tamaño deseado; este es el menor posible.',
  TEMPLATES_DROPPED: 'Se omitieron las plantillas de la wiki: solo ella puede expandirlas.',
  TEXT_MAY_BE_MISSING:
    'Algunas páginas contienen texto solo como imagen. Use primero el reconocimiento de texto.',
  TEXT_MOVED: 'El texto girado se colocó en horizontal al final de su página.',
  TEXT_PRESENT: 'Todas las páginas ya tienen texto: se omitió el reconocimiento.',
  TRANSPARENCY_DROPPED:
    'Las zonas transparentes tienen ahora un color, porque el formato no admite transparencia.',
  UNKNOWN_PARAMETER: 'Una opción no existe en esta conversión y se ignoró.',
  VALUES_SCALED: 'Los valores de la imagen se ajustaron para que sean visibles.',
  VIDEO_TRACKS_DROPPED: 'Solo se conservó una pista de video.',
}

const plural = pluralIn('es')

const sentences: Sentences = {
  ATTACHMENTS_DROPPED: ({ count }) =>
    `${plural(count, 'archivo adjunto no se incluyó', 'archivos adjuntos no se incluyeron')}.`,
  CONTENT_LOST: ({ unit, share }) =>
    `El resultado contiene solo el ${toPercent(share)} % ${lostUnits[unit] ?? 'del contenido'}. Revíselo.`,
  DUPLICATES_DROPPED: ({ names, count }) =>
    `${plural(count, 'nombre aparece', 'nombres aparecen')} varias veces en el archivo comprimido; solo se conservó el último archivo de cada nombre: ${listNames(names, count)}.`,
  FONTS_SUBSTITUTED: ({ names, count }) =>
    `${plural(count, 'fuente que faltaba se sustituyó por otra similar', 'fuentes que faltaban se sustituyeron por otras similares')}: ${listNames(names, count)}.`,
  HIDDEN_DROPPED: ({ sheets, rows, columns }) =>
    `Las partes ocultas del libro no se incluyeron: ${listCounts([
      [sheets, plural(sheets, 'hoja', 'hojas')],
      [rows, plural(rows, 'fila', 'filas')],
      [columns, plural(columns, 'columna', 'columnas')],
    ])}.`,
  LINKS_DROPPED: ({ count }) =>
    `En el resultado ${count === 1 ? 'falta' : 'faltan'} ${plural(count, 'enlace o archivo enlazado', 'enlaces o archivos enlazados')}.`,
  OCR_UNCERTAIN: ({ share, pages, count }) =>
    `En ${plural(count, 'página', 'páginas')}, el ${toPercent(share)} % de las palabras no se leyó con seguridad: ${pages}. Revíselas o use un escaneo más nítido.`,
  OCR_USED: ({ pages, count }) =>
    `El texto de ${plural(count, 'página', 'páginas')} se reconoció a partir de imágenes (OCR): ${pages}. Revíselo.`,
  PAGES_DROPPED: ({ kept, total }) =>
    `De ${plural(total, 'página', 'páginas')}, solo se ${kept === 1 ? 'convirtió la primera' : `convirtieron las primeras ${kept}`}.`,
  SHEETS_DROPPED: ({ total }) => `De ${plural(total, 'hoja', 'hojas')}, solo se convirtió la primera.`,
}

const lostUnits: Readonly<Record<string, string>> = {
  words: 'de las palabras',
  images: 'de las imágenes',
  order: 'de los pares de palabras contiguas',
}

const warnings: WarningCatalog = { texts, sentences }

export default warnings
