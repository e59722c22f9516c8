import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readSummary } from '../../../lib/decoders/read-summary.ts'
import { WordCounts } from '../../../lib/fidelity/text/word-counts.ts'
import type { FormatId } from '../../../lib/formats/index.ts'
import { scratchFolder } from '../../support/scratch-folder.ts'

export const fixture = (name: string) => fileURLToPath(new URL(`../../fixtures/${name}`, import.meta.url))

export const folder = scratchFolder('counted')

export const asSource = { isResult: false }

export function countWords(...texts: string[]): WordCounts {
  const words = new WordCounts()
  for (const text of texts) words.add(text)
  return words
}

export async function summarize(name: string, content: string | Buffer, isResult = false) {
  const path = join(folder, name)
  await writeFile(path, content)
  // The extensions of the names below are format ids.
  return readSummary(path, name.slice(name.lastIndexOf('.') + 1) as FormatId, { isResult })
}
