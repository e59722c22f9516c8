import { open, readFile, writeFile } from 'node:fs/promises'
import { join, parse } from 'node:path'
import { findJpegStart, maxBytesBeforeJpeg } from '../../binary/jpeg-start.ts'
import type { InputFile, Tools } from '../engine.ts'

/** Returns a file that begins with the start marker, without which libvips does not recognize a JPEG. */
export async function normalizeJpeg(input: InputFile, tools: Tools): Promise<InputFile> {
  const start = findJpegStart(await readHead(input.path))
  if (!start) return input
  const path = join(tools.workDir, `${parse(input.path).name}-trimmed.jpg`)
  await writeFile(path, (await readFile(input.path)).subarray(start))
  return { ...input, path, size: input.size - start }
}

async function readHead(path: string): Promise<Buffer> {
  await using file = await open(path)
  const { buffer, bytesRead } = await file.read(Buffer.alloc(maxBytesBeforeJpeg), 0, maxBytesBeforeJpeg, 0)
  return buffer.subarray(0, bytesRead)
}
