import type en from './en.ts'

/** Machine translation, not yet checked by a native speaker. */
const words: typeof en = {
  'organize-pdf': 'Organizar páginas',
  'split-pdf': 'Dividir PDF',
  'extract-pdf-pages': 'Extraer páginas',
  'remove-pdf-pages': 'Eliminar páginas',
  'reorder-pdf-pages': 'Reordenar páginas',
  'rotate-pdf': 'Girar páginas',
  'crop-pdf': 'Recortar páginas',
  'ocr-pdf': 'Reconocer texto (OCR)',
  'add-watermark-pdf': 'Añadir marca de agua',
  'add-page-numbers-pdf': 'Numerar páginas',
  'edit-pdf-metadata': 'Editar metadatos de PDF',
  'extract-pdf-images': 'Extraer imágenes',
  'pdf-info': 'Información de PDF',
  'encrypt-pdf': 'Proteger PDF',
  'decrypt-pdf': 'Desbloquear PDF',
  'redact-pdf': 'Censurar texto',
  'sanitize-pdf': 'Eliminar contenido oculto',
  'flatten-pdf': 'Acoplar formularios y comentarios',
  'compress-pdf': 'Comprimir PDF',
  'grayscale-pdf': 'PDF en escala de grises',
  'remove-blank-pages-pdf': 'Eliminar páginas en blanco',
  'linearize-pdf': 'Vista rápida en la web',
  'repair-pdf': 'Reparar PDF',
  'to-pdfa': 'Convertir a PDF/A',
  merge: 'Unir archivos',
  compress: 'Comprimir archivos',
  thumbnail: 'Crear miniatura',
  watermark: 'Marca de agua en imágenes y videos',
  metadata: 'Ver metadatos',
  archive: 'Crear ZIP',
  extract: 'Extraer archivo comprimido',
}

export default words
