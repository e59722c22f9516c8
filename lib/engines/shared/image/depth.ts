import type { FormatId } from '../../../formats/index.ts'
import type { Tools } from '../../engine.ts'

export function warnAboutDepth(to: FormatId, tools: Tools): void {
  const message = `The colors were reduced to 8 bits per channel: ${to} files are written with no more.`
  tools.warn('COLOR_DEPTH_REDUCED', message)
}
