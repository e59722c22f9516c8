import type { FormatId } from '../../formats/index.ts'
import type { Tools } from '../engine.ts'

/** What libvips reads by itself; all other pictures come as PNG. */
export const traceable = ['jpg', 'png', 'webp', 'avif', 'gif', 'tiff'] as const satisfies readonly FormatId[]

/** A drawing holds one picture: the first. */
export function tellWhatIsDropped(from: FormatId, to: FormatId, pages: number, tools: Tools): void {
  if (pages === 1) return
  const [code, what] = from === 'tiff' ? ['PAGES_DROPPED', 'pages'] : ['ANIMATION_DROPPED', 'frames']
  tools.warn(code, `Only the first of ${pages} ${what} was traced: ${to} holds one drawing.`)
}
