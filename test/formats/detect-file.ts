import { detectFormat } from '../../lib/formats/detect.ts'
import type { FormatId } from '../../lib/formats/index.ts'

export interface Given {
  readonly password?: string
  /** Bytes that were read, to see that a large file is not read whole. */
  readonly onRead?: (bytes: number) => void
}

/** A file in memory, to be read as one in the bucket is. */
export function inMemory(filename: string, bytes: Uint8Array, onRead?: Given['onRead']) {
  const read = async (start: number, end: number) => {
    const part = bytes.subarray(start, end)
    onRead?.(part.length)
    return part
  }
  return { filename, size: bytes.length, read }
}

export async function detected(
  name: string,
  bytes: Uint8Array | string,
  { password, onRead }: Given = {},
): Promise<FormatId> {
  const source = inMemory(name, Buffer.from(bytes), onRead)
  return (await detectFormat(source, password === undefined ? {} : { password })).format
}
