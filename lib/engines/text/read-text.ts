import { isAscii } from 'node:buffer'
import { createReadStream, createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { InputFile, Tools } from '../engine.ts'
import { requestedCharset } from './charsets.ts'
import type { Charset, TextBytes } from './detect-charset.ts'

// The tables of all encodings are loaded with the first text: many processes never see one.

/** Bytes of a text by which its letters are known: of its beginning, and of what follows its first letter beyond ASCII. */
const headBytes = 256 * 1024
const moreBytes = 256 * 1024
const pieceBytes = 1024 * 1024

/** Texts are read as streams: tables may be larger than the memory. */
const pieces = (path: string): AsyncIterable<Buffer> => createReadStream(path, { highWaterMark: pieceBytes })

export async function textBytes(path: string): Promise<TextBytes> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  const continues = (piece?: Buffer) => {
    try {
      decoder.decode(piece, { stream: piece !== undefined })
      return true
    } catch {
      return false
    }
  }
  let head: Buffer | undefined
  let more: Buffer | undefined
  let isUtf8 = true
  for await (const piece of pieces(path)) {
    const isPlain = isAscii(piece)
    if (!more && !isPlain)
      more = piece.subarray(piece.findIndex((byte) => byte > 0x7f)).subarray(0, moreBytes)
    head ??= piece.subarray(0, headBytes)
    isUtf8 &&= continues(piece)
    if (!isUtf8) break
  }
  isUtf8 &&= continues()
  return { head: head ?? Buffer.alloc(0), more: more ?? Buffer.alloc(0), isUtf8 }
}

/** How the letters of a text are to be read. Tells the client where that had to be guessed. */
export async function charsetOfFile(
  { path, format }: InputFile,
  encoding: string | undefined,
  tools: Tools,
): Promise<Charset> {
  const { charsetOf } = await import('./detect-charset.ts')
  const charset = charsetOf(await textBytes(path), format, requestedCharset(encoding))
  if (charset.by === 'guess') {
    const sentence = `The file does not say how its letters are encoded: it was read as ${charset.name}. Where letters are wrong, send the right encoding.`
    tools.warn('ENCODING_ASSUMED', sentence)
  }
  return charset
}

export interface CopySettings {
  /** As the client named it. */
  readonly encoding?: string | undefined
  /** Begins with a byte order mark, for programs that take text without one for something else. */
  readonly withMark?: boolean
}

/** The path of a copy in UTF-8, or of the file itself where it is that already. */
export async function utf8Copy(
  input: InputFile,
  tools: Tools,
  { encoding, withMark = false }: CopySettings = {},
): Promise<string> {
  const charset = await charsetOfFile(input, encoding, tools)
  if (charset.name === 'utf-8' && charset.by === 'bytes' && !withMark) return input.path
  const { renamedIn } = await import('./detect-charset.ts')
  const path = join(tools.workDir, `utf8.${input.format}`)
  await pipeline(
    () => decoded(input, charset, tools),
    async function* (texts: AsyncIterable<string>) {
      let isFirst = true
      for await (const text of texts) {
        yield isFirst ? `${withMark ? '\ufeff' : ''}${renamedIn(text, input.format)}` : text
        isFirst = false
      }
    },
    createWriteStream(path),
  )
  return path
}

/** The letters of a text, without a byte order mark. Tells the client of bytes that were none. */
export async function* decoded(input: InputFile, charset: Charset, tools: Tools): AsyncGenerator<string> {
  const { decoderOf } = await import('./decode.ts')
  const decode = decoderOf(charset.name)
  let wrong = 0
  for await (const piece of pieces(input.path)) {
    const text = decode(piece)
    wrong += countOf(text)
    if (text !== '') yield text
  }
  const end = decode()
  wrong += countOf(end)
  if (end !== '') yield end
  if (wrong > 0) tellWrong(wrong, charset, tools)
}

const replacement = '\ufffd'

function countOf(text: string): number {
  let count = 0
  for (let at = text.indexOf(replacement); at >= 0; at = text.indexOf(replacement, at + 1)) count++
  return count
}

function tellWrong(count: number, { name, by }: Charset, tools: Tools): void {
  const places = count === 1 ? 'One place is' : `${count} places are`
  const wayOut = by === 'request' ? 'Check whether encoding names the right one.' : 'Send the right encoding.'
  tools.warn(
    'LETTERS_REPLACED',
    `${places} no letter in ${name} and became the sign ${replacement}. ${wayOut}`,
  )
}
