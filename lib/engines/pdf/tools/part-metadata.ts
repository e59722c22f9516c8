import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Tools } from '../../engine.ts'
import { runMutoolScript } from './mutool.ts'

/**
 * Copies title, author and other metadata of a document to its parts, both to the information dictionary and to XMP.
 */
export async function copyMetadata(source: string, paths: readonly string[], tools: Tools): Promise<void> {
  const listPath = join(tools.workDir, 'parts.json')
  await writeFile(listPath, JSON.stringify(paths))
  const lines = await runMutoolScript('metadata', [source, listPath], tools)
  if (!lines.includes('unread')) return
  tools.warn(
    'METADATA_DROPPED',
    'Title and author, if the PDF has any, were dropped: it is too damaged to read them.',
  )
}
