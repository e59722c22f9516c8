import type en from './en.ts'

/** Machine translation, not yet checked by a native speaker. */
const words: typeof en = {
  'organize-pdf': 'Organizar páginas',
  'split-pdf': 'Dividir PDF',
  'extract-pdf-pages': 'Extrair páginas',
  'remove-pdf-pages': 'Remover páginas',
  'reorder-pdf-pages': 'Reordenar páginas',
  'rotate-pdf': 'Girar páginas',
  'crop-pdf': 'Recortar páginas',
  'ocr-pdf': 'Reconhecer texto (OCR)',
  'add-watermark-pdf': 'Adicionar marca d’água',
  'add-page-numbers-pdf': 'Numerar páginas',
  'edit-pdf-metadata': 'Editar metadados do PDF',
  'extract-pdf-images': 'Extrair imagens',
  'pdf-info': 'Informações do PDF',
  'encrypt-pdf': 'Proteger PDF',
  'decrypt-pdf': 'Desbloquear PDF',
  'redact-pdf': 'Tarjar texto',
  'sanitize-pdf': 'Remover conteúdo oculto',
  'flatten-pdf': 'Achatar formulários e comentários',
  'compress-pdf': 'Comprimir PDF',
  'grayscale-pdf': 'PDF em tons de cinza',
  'remove-blank-pages-pdf': 'Remover páginas em branco',
  'linearize-pdf': 'Exibição rápida na web',
  'repair-pdf': 'Reparar PDF',
  'to-pdfa': 'Converter para PDF/A',
  merge: 'Juntar arquivos',
  compress: 'Comprimir arquivos',
  thumbnail: 'Criar miniatura',
  watermark: 'Marca d’água em imagens e vídeos',
  metadata: 'Ver metadados',
  archive: 'Criar ZIP',
  extract: 'Extrair arquivo compactado',
}

export default words
