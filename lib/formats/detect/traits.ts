import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import type { FormatId } from '../index.ts'
import type { OpenedFile } from './byte-source.ts'
import { hasScripts } from './page-scripts.ts'
import { requireLimitedRepetition } from './svg-complexity.ts'
import { needsBrowser, needsBrowserForPdf } from './svg-traits.ts'

/**
 * Properties of a client's file in addition to its format: a drawing that only some engines can convert, or a page
 * whose own scripts run. Files created by a conversion have none.
 */
export const traits = ['browser-drawing', 'browser-pdf-drawing', 'page-scripts'] as const
export type Trait = (typeof traits)[number]

/** Maximum bytes of a file that are searched. */
const maxBytes = 8 * 1024 * 1024

/** Returns the traits of a file. @throws AppError FILE_TOO_LARGE for a drawing with too many repeated shapes. */
export async function detectTraits(format: FormatId, file: OpenedFile): Promise<readonly Trait[]> {
  switch (format) {
    case 'html':
      return hasScripts(await readText(format, file)) ? ['page-scripts'] : []
    case 'svg':
    case 'svgz': {
      const text = await readText(format, file)
      requireLimitedRepetition(text)
      if (needsBrowser(text)) return ['browser-drawing']
      return needsBrowserForPdf(text) ? ['browser-pdf-drawing'] : []
    }
    default:
      return []
  }
}

async function readText(format: FormatId, file: OpenedFile): Promise<string> {
  const bytes = Buffer.from(await file.read(0, Math.min(file.size, maxBytes)))
  if (format !== 'svgz') return bytes.toString('latin1')
  // Z_SYNC_FLUSH accepts a stream without its end. The engine reports a file that cannot be decompressed.
  const text = promisify(gunzip)(bytes, { finishFlush: 2, maxOutputLength: maxBytes })
  return text.then((unpacked) => unpacked.toString('latin1')).catch(() => '')
}
