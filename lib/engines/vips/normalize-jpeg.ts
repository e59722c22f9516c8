import { open, readFile, writeFile } from 'node:fs/promises'
import { join, parse } from 'node:path'
import { findJpegStart } from '../../binary/jpeg-start.ts'
import { hasDamagedTables } from '../../binary/jpeg-tables.ts'
import type { InputFile, Tools } from '../engine.ts'

/** Nearly all JPEGs have their tables in the first 64 KiB. */
const headBytes = 64 * 1024

/**
 * Returns a file that begins with the start marker, without which libvips does not recognize a JPEG. Warns about damage
 * that libvips does not notice.
 */
export async function normalizeJpeg(input: InputFile, tools: Tools): Promise<InputFile> {
  const head = await readHead(input.path)
  const start = findJpegStart(head)
  if (hasDamagedTables(head.subarray(start)))
    tools.warn(
      'MAY_BE_DAMAGED',
      'The JPEG has a damaged table: check whether its colors and shapes are right.',
    )
  if (!start) return input
  const path = join(tools.workDir, `${parse(input.path).name}-trimmed.jpg`)
  await writeFile(path, (await readFile(input.path)).subarray(start))
  return { ...input, path, size: input.size - start }
}

async function readHead(path: string): Promise<Buffer> {
  await using file = await open(path)
  const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(headBytes), 0, headBytes, 0)
  return buffer.subarray(0, bytesRead)
}
