import type { RandomAccess } from './random-access.ts'

/**
 * Header of a file in RIFF, one of its variants, or EA IFF 85, from which RIFF is derived. The content consists of
 * chunks (Multimedia Programming Interface and Data Specifications 1.0, chapter 2; EBU Tech 3306 for RF64).
 */
export interface RiffForm {
  readonly id: FormId
  /** Type of the content, such as `WAVE`. */
  readonly type: string
  /** Number of bytes after the first eight, as declared. */
  readonly size: number
}

const byteOrderByFormId = {
  RIFF: 'little',
  RF64: 'little',
  BW64: 'little',
  RIFX: 'big',
  FORM: 'big',
} as const
type FormId = keyof typeof byteOrderByFormId

export interface RiffChunk {
  readonly id: string
  /** Type of a list, such as `INFO`; undefined for other chunks. */
  readonly list: string | undefined
  /** File offsets of the content. */
  readonly start: number
  readonly end: number
}

const formHeaderBytes = 12
const chunkHeaderBytes = 8

/** Returns undefined for another kind of file. */
export async function readRiffForm(file: RandomAccess): Promise<RiffForm | undefined> {
  const header = await file.at(0, formHeaderBytes)
  const id = header.toString('latin1', 0, 4)
  return isFormId(id) && header.length === formHeaderBytes
    ? { id, type: header.toString('latin1', 8, 12), size: readSize(header, byteOrderByFormId[id]) }
    : undefined
}

/**
 * Yields the chunks of a file, or those of a list in it. A chunk that claims to be longer than its parent ends with the
 * parent: a program that writes to a pipe cannot know the size in advance.
 * @param maxChunks further chunks are ignored
 */
export async function* readRiffChunks(
  file: RandomAccess,
  { id }: Pick<RiffForm, 'id'>,
  maxChunks: number,
  list: Pick<RiffChunk, 'start' | 'end'> = { start: formHeaderBytes, end: file.size },
): AsyncGenerator<RiffChunk> {
  for (let at = list.start, count = 0; at + chunkHeaderBytes <= list.end && count < maxChunks; count++) {
    const header = await file.at(at, formHeaderBytes)
    const start = at + chunkHeaderBytes
    const end = Math.min(start + readSize(header, byteOrderByFormId[id]), list.end)
    const chunkId = header.toString('latin1', 0, 4)
    const isList = chunkId === 'LIST' && end >= start + 4
    yield {
      id: chunkId,
      list: isList ? header.toString('latin1', 8, 12) : undefined,
      start: isList ? start + 4 : start,
      end,
    }
    // Chunks are padded to an even length.
    at = end + ((end - start) % 2)
  }
}

/** Yields the chunks at a path, which consists of the types of the nested lists and the id of the chunks. */
export async function* findRiffChunks(
  file: RandomAccess,
  form: Pick<RiffForm, 'id'>,
  [first, ...rest]: readonly string[],
  maxChunks: number,
  list?: RiffChunk,
): AsyncGenerator<RiffChunk> {
  for await (const chunk of readRiffChunks(file, form, maxChunks, list))
    if (rest.length === 0 && chunk.id === first) yield chunk
    else if (rest.length > 0 && chunk.list === first)
      yield* findRiffChunks(file, form, rest, maxChunks, chunk)
}

const isFormId = (id: string): id is FormId => id in byteOrderByFormId

const readSize = (header: Buffer, byteOrder: 'big' | 'little') =>
  byteOrder === 'big' ? header.readUInt32BE(4) : header.readUInt32LE(4)
