import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pandoc } from '../../../lib/engines/pandoc.ts'
import type { FormatId } from '../../../lib/formats/index.ts'
import { scratchFolder } from '../../support/scratch-folder.ts'
import { readEbookText } from './inspect-ebook.ts'
import { convert, type RunSettings } from './run-engine.ts'

export const scratch = scratchFolder('pandoc-test')

export async function file(name: string, content: string | Uint8Array): Promise<string> {
  const path = join(scratch, name)
  await writeFile(path, content)
  return path
}

export const pixel =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

export async function convertSource(source: string, to: FormatId, settings: RunSettings = {}) {
  const run = await convert(pandoc, source, to, settings)
  const text = to === 'html' || to === 'md' || to === 'txt' ? undefined : await readEbookText(run.path)
  return { ...run, text: text ?? (await readFile(run.path, 'utf8')) }
}
