import { open } from 'node:fs/promises'
import { basename } from 'node:path'
import { AppError } from '../../lib/errors.ts'
import { detectFromContent } from '../../lib/formats/detect.ts'
import type { FormatId } from '../../lib/formats/index.ts'

const cache = new Map<string, Promise<string>>()

/** Fails unless an upload of the file is detected as the format; otherwise no client could use its conversions. */
export async function assertDetected(path: string, format: FormatId): Promise<void> {
  const detection = cache.get(path) ?? detectFileFormat(path)
  cache.set(path, detection)
  const foundFormat = await detection
  if (foundFormat !== format) throw new Error(`an upload of the sample is detected as ${foundFormat}`)
}

/** Returns the detected format of an upload. */
async function detectFileFormat(path: string): Promise<string> {
  const file = await open(path)
  try {
    const { size } = await file.stat()
    const read = async (start: number, end: number) => {
      const bytes = new Uint8Array(Math.max(0, end - start))
      const { bytesRead } = await file.read(bytes, 0, bytes.length, start)
      return bytes.subarray(0, bytesRead)
    }
    return (await detectFromContent({ filename: basename(path), size, read })).format
  } catch (error) {
    if (error instanceof AppError) return `${error.code}: ${error.message}`
    throw error
  } finally {
    await file.close()
  }
}
