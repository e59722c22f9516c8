import { isAscii } from 'node:buffer'
import { createReadStream, createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { InputFile, Tools } from '../../engine.ts'
import { resolveRequestedCharset } from './charsets.ts'
import type { Charset, TextSample } from './detect-charset.ts'

// Reads text files. Imports the encoding tables when they are first needed: many processes never read a text.

/** Number of bytes used to detect the encoding: from the start, and again from the first non-ASCII byte. */
const headBytes = 256 * 1024
const validationChunkBytes = 256 * 1024
const chunkBytes = 1024 * 1024

/** Reads a text as a stream, because tables may be larger than the memory. */
const readChunks = (path: string): AsyncIterable<Buffer> =>
  createReadStream(path, { highWaterMark: chunkBytes })

async function sampleText(path: string): Promise<TextSample> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  const isValidUtf8 = (chunk?: Buffer) => {
    try {
      decoder.decode(chunk, { stream: chunk !== undefined })
      return true
    } catch {
      return false
    }
  }
  let head: Buffer | undefined
  let nextChunk: Buffer | undefined
  let isUtf8 = true
  for await (const chunk of readChunks(path)) {
    const isAsciiOnly = isAscii(chunk)
    if (!nextChunk && !isAsciiOnly)
      nextChunk = chunk.subarray(chunk.findIndex((byte) => byte > 0x7f)).subarray(0, validationChunkBytes)
    head ??= chunk.subarray(0, headBytes)
    isUtf8 &&= isValidUtf8(chunk)
    if (!isUtf8) break
  }
  isUtf8 &&= isValidUtf8()
  return { head: head ?? Buffer.alloc(0), bytesFromNonAscii: nextChunk ?? Buffer.alloc(0), isUtf8 }
}

/** Determines the encoding of a text file. Warns the client if it had to be guessed. */
export async function detectFileCharset(
  { path, format }: InputFile,
  encoding: string | undefined,
  tools: Tools,
): Promise<Charset> {
  const { detectCharset } = await import('./detect-charset.ts')
  const charset = detectCharset(await sampleText(path), format, resolveRequestedCharset(encoding))
  if (charset.source === 'guess') {
    const message = `The file does not declare its encoding; it was read as ${charset.name}. If characters are wrong, set the encoding option.`
    tools.warn('ENCODING_ASSUMED', message)
  }
  return charset
}

export interface Utf8CopySettings {
  /** The encoding that the client requested. */
  readonly encoding?: string | undefined
  /** Adds a byte order mark, for programs that would otherwise assume another encoding. */
  readonly withByteOrderMark?: boolean
}

/** Returns the path of a UTF-8 copy, or of the file itself if it is UTF-8 already. */
export async function copyAsUtf8(
  input: InputFile,
  tools: Tools,
  { encoding, withByteOrderMark = false }: Utf8CopySettings = {},
): Promise<string> {
  const charset = await detectFileCharset(input, encoding, tools)
  if (charset.name === 'utf-8' && charset.source === 'bytes' && !withByteOrderMark) return input.path
  const { declareUtf8 } = await import('./detect-charset.ts')
  const path = join(tools.workDir, `utf8.${input.format}`)
  await pipeline(
    () => decodeFile(input, charset, tools),
    async function* (texts: AsyncIterable<string>) {
      let isFirst = true
      for await (const text of texts) {
        yield isFirst ? `${withByteOrderMark ? '\ufeff' : ''}${declareUtf8(text, input.format)}` : text
        isFirst = false
      }
    },
    createWriteStream(path),
  )
  return path
}

/** Yields the text of a file, decoded and without a byte order mark. Warns the client about invalid bytes. */
export async function* decodeFile(input: InputFile, charset: Charset, tools: Tools): AsyncGenerator<string> {
  const { createTextDecoder } = await import('./decode.ts')
  const decode = createTextDecoder(charset.name)
  let invalidCount = 0
  for await (const chunk of readChunks(input.path)) {
    const text = decode(chunk)
    invalidCount += countReplacements(text)
    if (text !== '') yield text
  }
  const end = decode()
  invalidCount += countReplacements(end)
  if (end !== '') yield end
  if (invalidCount > 0) warnAboutInvalidBytes(invalidCount, charset, tools)
}

const replacement = '\ufffd'

function countReplacements(text: string): number {
  let count = 0
  for (let at = text.indexOf(replacement); at >= 0; at = text.indexOf(replacement, at + 1)) count++
  return count
}

function warnAboutInvalidBytes(count: number, { name, source }: Charset, tools: Tools): void {
  const places = count === 1 ? 'One place is' : `${count} places are`
  const hint = source === 'request' ? 'Check the encoding option.' : 'Set the encoding option.'
  tools.warn(
    'LETTERS_REPLACED',
    `${places} not valid ${name} and became the character ${replacement}. ${hint}`,
  )
}
