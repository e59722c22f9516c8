import { detectFromContent } from '../../lib/formats/detect.ts'
import type { FormatId } from '../../lib/formats/index.ts'

export interface DetectOptions {
  readonly password?: string
  /** Called with the number of bytes of each read, to check that a large file is not read completely. */
  readonly onRead?: (bytes: number) => void
}

/** Returns a byte source for a file in memory. */
export function memorySource(filename: string, bytes: Uint8Array, onRead?: DetectOptions['onRead']) {
  const read = async (start: number, end: number) => {
    const slice = bytes.subarray(start, end)
    onRead?.(slice.length)
    return slice
  }
  return { filename, size: bytes.length, read }
}

export async function detectFile(
  name: string,
  bytes: Uint8Array | string,
  { password, onRead }: DetectOptions = {},
): Promise<FormatId> {
  const source = memorySource(name, Buffer.from(bytes), onRead)
  return (await detectFromContent(source, password === undefined ? {} : { password })).format
}
