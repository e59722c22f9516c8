import { AppError } from '../../errors.ts'

/** Number of bytes kept: more than the largest part header and what the parser may buffer. */
const maxRecentBytes = 256 * 1024

/** Keeps the last bytes of a stream. */
export class RecentBytes {
  #chunks: Buffer[] = []
  #size = 0

  add(chunk: Buffer): void {
    this.#chunks.push(chunk)
    this.#size += chunk.length
    while (this.#size - (this.#chunks[0]?.length ?? 0) > maxRecentBytes)
      this.#size -= this.#chunks.shift()?.length ?? 0
  }

  bytes(): Buffer {
    return Buffer.concat(this.#chunks)
  }
}

export function createMalformedFormError(
  recentBytes: Buffer,
  headers: Readonly<Record<string, string | undefined>>,
  cause: unknown,
): AppError {
  const isHeaderError = cause instanceof Error && cause.message === 'Malformed part header'
  const controlCharacter = isHeaderError
    ? findControlCharacter(recentBytes, headers['content-type'] ?? '')
    : undefined
  if (controlCharacter) {
    const { character, field } = controlCharacter
    const sentence = `${field ?? 'form'}: the name of the file or field contains the control character ${character}. Remove it, or percent-encode it.`
    return new AppError('INVALID_REQUEST', sentence, { ...(field && { field }), character }, { cause })
  }
  const problem = isHeaderError
    ? 'A part of the form has a malformed header. Let your HTTP client create the form.'
    : 'The form is incomplete or malformed; the upload was probably interrupted. Send it again.'
  return new AppError('INVALID_REQUEST', problem, undefined, { cause })
}

/** Returns the first control character in a part header, as `U+0007`, and the form field of that part. */
function findControlCharacter(
  recent: Buffer,
  contentType: string,
): { readonly character: string; readonly field: string | undefined } | undefined {
  const boundary = /boundary="?([^";]{1,200})/i.exec(contentType)?.[1]
  if (boundary === undefined) return undefined
  const openingLine = `--${boundary}\r\n`
  for (let at = recent.indexOf(openingLine); at >= 0; ) {
    const start = at + openingLine.length
    const end = recent.indexOf('\r\n\r\n', start)
    const header = recent.subarray(start, end < 0 ? undefined : end)
    const position = header.findIndex((code, index) => isControlCharacter(code, header, index))
    if (position >= 0) {
      const code = header[position] ?? 0
      return {
        character: `U+${code.toString(16).toUpperCase().padStart(4, '0')}`,
        field: /[; ]name="([^"]{1,200})"/i.exec(header.subarray(0, position).toString('utf8'))?.[1],
      }
    }
    if (end < 0) return undefined
    at = recent.indexOf(openingLine, end)
  }
  return undefined
}

const [tabCode, lineFeedCode, carriageReturnCode, deleteCode] = [9, 10, 13, 127]

/** Whether a character is a control character, except for tabs and line ends, which are part of the syntax. */
function isControlCharacter(code: number, header: Buffer, index: number): boolean {
  if (code === carriageReturnCode) return index + 1 < header.length && header[index + 1] !== lineFeedCode
  if (code === lineFeedCode) return header[index - 1] !== carriageReturnCode
  return (code < 32 && code !== tabCode) || code === deleteCode
}
