// Decodes the aws-chunked content encoding: signed chunks, unsigned chunks and trailers.
// https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-streaming.html and -streaming-trailers.html
import { createHash, type Hash } from 'node:crypto'
import { type AcceptedSignature, isSameSignature, sign } from '../sigv4.ts'
import type { S3Caller } from './authentication.ts'
import { S3Error } from './errors.ts'

const framings: Readonly<Record<string, { signed: boolean; trailer: boolean }>> = {
  'STREAMING-AWS4-HMAC-SHA256-PAYLOAD': { signed: true, trailer: false },
  'STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER': { signed: true, trailer: true },
  'STREAMING-UNSIGNED-PAYLOAD-TRAILER': { signed: false, trailer: true },
}
const maxLineBytes = 16 << 10
const emptySha256 = createHash('sha256').digest('hex')

/** Yields the payload; fills `trailers` before it ends. Throws on the first chunk whose signature is wrong. */
export function decodeChunks(
  raw: AsyncIterable<Buffer>,
  { contentSha256, signed }: S3Caller,
  trailers: Map<string, string>,
): AsyncGenerator<Buffer> {
  const form = framings[contentSha256]
  if (!form || (form.signed && !signed))
    throw new S3Error('NotImplemented', undefined, { Header: 'x-amz-content-sha256' })
  return new Decoder(
    raw,
    form.signed && signed ? new ChunkSignatures(signed) : undefined,
    form.trailer,
  ).decode(trailers)
}

class Decoder {
  readonly #source: AsyncIterator<Buffer>
  readonly #signatures: ChunkSignatures | undefined
  readonly #hasTrailer: boolean
  #buffered: Buffer = Buffer.alloc(0)

  constructor(raw: AsyncIterable<Buffer>, signatures: ChunkSignatures | undefined, hasTrailer: boolean) {
    this.#source = raw[Symbol.asyncIterator]()
    this.#signatures = signatures
    this.#hasTrailer = hasTrailer
  }

  async *decode(trailers: Map<string, string>): AsyncGenerator<Buffer> {
    for (;;) {
      const line = await this.#readLine()
      const [, digits = '', signature = ''] =
        /^([0-9a-f]{1,8})(?:;chunk-signature=([0-9a-f]+))?$/i.exec(line) ?? []
      if (digits === '') throw createBodyError()
      const size = Number.parseInt(digits, 16)
      const hash = this.#signatures && createHash('sha256')
      if (size > 0) yield* this.#readPayload(size, hash)
      if (hash) this.#signatures?.checkChunk(hash, signature)
      if (size === 0) break
      if ((await this.#readLine()) !== '') throw createBodyError()
    }
    await this.#readTrailers(trailers)
  }

  async *#readPayload(size: number, hash: Hash | undefined): AsyncGenerator<Buffer> {
    for (let bytesLeft = size; bytesLeft > 0; ) {
      if (this.#buffered.length === 0 && !(await this.#readMore())) throw new S3Error('IncompleteBody')
      const bufferedPiece = this.#buffered.subarray(0, bytesLeft)
      this.#buffered = this.#buffered.subarray(bufferedPiece.length)
      bytesLeft -= bufferedPiece.length
      hash?.update(bufferedPiece)
      yield bufferedPiece
    }
  }

  async #readTrailers(trailers: Map<string, string>): Promise<void> {
    let signature = ''
    let signedText = ''
    // Some clients omit the final empty line.
    for (;;) {
      const line = await this.#readLine(true)
      if (line === '') break
      const colonIndex = line.indexOf(':')
      if (colonIndex < 1) throw createBodyError()
      const [name, value] = [
        line.slice(0, colonIndex).toLowerCase().trim(),
        line.slice(colonIndex + 1).trim(),
      ]
      if (name === 'x-amz-trailer-signature') {
        signature = value
        continue
      }
      trailers.set(name, value)
      signedText += `${name}:${value}\n`
    }
    if (!this.#hasTrailer && trailers.size > 0) throw createBodyError()
    if (this.#hasTrailer) this.#signatures?.checkTrailer(signedText, signature)
    // Bytes after the trailers are ignored, but they must be read so that the connection can be reused.
    while (await this.#readMore()) if (this.#buffered.length > maxLineBytes) throw createBodyError()
  }

  async #readMore(): Promise<boolean> {
    const nextChunk = await this.#source.next()
    if (nextChunk.done) return false
    this.#buffered =
      this.#buffered.length === 0 ? nextChunk.value : Buffer.concat([this.#buffered, nextChunk.value])
    return true
  }

  async #readLine(mayEnd = false): Promise<string> {
    for (;;) {
      const end = this.#buffered.indexOf('\r\n')
      if (end >= 0) {
        const line = this.#buffered.toString('latin1', 0, end)
        this.#buffered = this.#buffered.subarray(end + 2)
        return line
      }
      if (this.#buffered.length > maxLineBytes) throw createBodyError()
      if (await this.#readMore()) continue
      if (!mayEnd) throw new S3Error('IncompleteBody')
      const line = this.#buffered.toString('latin1')
      this.#buffered = Buffer.alloc(0)
      return line
    }
  }
}

/**
 * Verifies the signatures of chunks. Each covers the previous signature; the first one covers the signature of the
 * request.
 */
class ChunkSignatures {
  readonly #auth: AcceptedSignature
  #previous: string

  constructor(auth: AcceptedSignature) {
    this.#auth = auth
    this.#previous = auth.seedSignature
  }

  checkChunk(hash: Hash, givenSignature: string): void {
    this.#check('AWS4-HMAC-SHA256-PAYLOAD', `${emptySha256}\n${hash.digest('hex')}`, givenSignature)
  }

  checkTrailer(text: string, givenSignature: string): void {
    this.#check('AWS4-HMAC-SHA256-TRAILER', createHash('sha256').update(text).digest('hex'), givenSignature)
  }

  #check(algorithm: string, hashes: string, givenSignature: string): void {
    const { amzDate, scope, signingKey } = this.#auth
    const expectedSignature = sign(signingKey, [algorithm, amzDate, scope, this.#previous, hashes].join('\n'))
    if (!isSameSignature(expectedSignature, givenSignature)) throw new S3Error('SignatureDoesNotMatch')
    this.#previous = expectedSignature
  }
}

function createBodyError(): S3Error {
  return new S3Error('InvalidRequest', 'The aws-chunked body is not well-formed')
}
