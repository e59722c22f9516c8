import type { FormatId } from '../../../formats/index.ts'
import type { Tools } from '../../engine.ts'

/** Formats that libvips reads itself; all other images are converted to PNG first. */
export const traceableFormats = [
  'jpg',
  'png',
  'webp',
  'avif',
  'gif',
  'tiff',
] as const satisfies readonly FormatId[]

/** Warns that only the first page or frame was traced. */
export function warnAboutUntracedImages(from: FormatId, to: FormatId, pages: number, tools: Tools): void {
  if (pages === 1) return
  const [code, unit] = from === 'tiff' ? ['PAGES_DROPPED', 'pages'] : ['ANIMATION_DROPPED', 'frames']
  tools.warn(code, `Only the first of ${pages} ${unit} was traced: ${to} stores a single drawing.`, {
    kept: 1,
    total: pages,
  })
}
