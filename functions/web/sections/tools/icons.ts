import archive from 'lucide-static/icons/archive.svg'
import reorder from 'lucide-static/icons/arrow-up-down.svg'
import pages from 'lucide-static/icons/book-open.svg'
import grayscale from 'lucide-static/icons/contrast.svg'
import crop from 'lucide-static/icons/crop.svg'
import watermark from 'lucide-static/icons/droplets.svg'
import sanitize from 'lucide-static/icons/eraser.svg'
import redact from 'lucide-static/icons/eye-off.svg'
import removePages from 'lucide-static/icons/file-minus.svg'
import extractPages from 'lucide-static/icons/file-output.svg'
import merge from 'lucide-static/icons/files.svg'
import linearize from 'lucide-static/icons/gauge.svg'
import pageNumbers from 'lucide-static/icons/hash.svg'
import extractImages from 'lucide-static/icons/image.svg'
import thumbnail from 'lucide-static/icons/images.svg'
import info from 'lucide-static/icons/info.svg'
import toPdfa from 'lucide-static/icons/landmark.svg'
import flatten from 'lucide-static/icons/layers.svg'
import encrypt from 'lucide-static/icons/lock.svg'
import decrypt from 'lucide-static/icons/lock-open.svg'
import compress from 'lucide-static/icons/minimize-2.svg'
import extract from 'lucide-static/icons/package-open.svg'
import rotate from 'lucide-static/icons/rotate-cw.svg'
import ocr from 'lucide-static/icons/scan-text.svg'
import split from 'lucide-static/icons/scissors.svg'
import stamp from 'lucide-static/icons/stamp.svg'
import tags from 'lucide-static/icons/tags.svg'
import repair from 'lucide-static/icons/wrench.svg'
import type { IconElements } from '../../ui/line-icon.tsx'
import type { ToolId } from './tools.ts'

export const toolIcons: Readonly<Record<ToolId, IconElements>> = {
  'organize-pdf': pages,
  'split-pdf': split,
  'extract-pdf-pages': extractPages,
  'remove-pdf-pages': removePages,
  'reorder-pdf-pages': reorder,
  'rotate-pdf': rotate,
  'crop-pdf': crop,
  'ocr-pdf': ocr,
  'add-watermark-pdf': stamp,
  'add-page-numbers-pdf': pageNumbers,
  'edit-pdf-metadata': tags,
  'extract-pdf-images': extractImages,
  'pdf-info': info,
  'encrypt-pdf': encrypt,
  'decrypt-pdf': decrypt,
  'redact-pdf': redact,
  'sanitize-pdf': sanitize,
  'flatten-pdf': flatten,
  'compress-pdf': compress,
  'grayscale-pdf': grayscale,
  'remove-blank-pages-pdf': removePages,
  'linearize-pdf': linearize,
  'repair-pdf': repair,
  'to-pdfa': toPdfa,
  merge,
  compress,
  thumbnail,
  watermark,
  metadata: tags,
  archive,
  extract,
}
