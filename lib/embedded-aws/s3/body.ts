// Reads request bodies: decodes their framing, verifies signatures and checksums, and enforces their length.
import { decodeChunks } from './aws-chunked.ts'
import type { Span } from './blobs.ts'
import type { Headers, S3Call, S3Services } from './call.ts'
import type { Algorithm } from './checksums.ts'
import { Digester, type Digests } from './digests.ts'
import { createNotImplementedError, S3Error } from './errors.ts'
import { fromXml, type Parsed } from './xml.ts'

interface Body {
  readonly chunks: AsyncIterable<Buffer>
  /** Trailers of the request, which are complete when the last chunk has been read. */
  readonly trailers: Headers
}

/** Maximum size of a PUT object, and of a part. */
export const maxS3PutBytes = 5 * 1024 ** 3
const maxXmlBytes = 2 * 1024 ** 2

/** Decodes the framing of a body and enforces its declared length, which S3 requires. */
function openBody(call: S3Call, maxBytes: number): Body {
  const { headers, request, auth } = call
  const contentSha256 = auth?.contentSha256 ?? 'UNSIGNED-PAYLOAD'
  const isStreaming = contentSha256.startsWith('STREAMING-')
  if (!isStreaming && headers.has('transfer-encoding')) throw createNotImplementedError('Transfer-Encoding')
  const text = headers.get(isStreaming ? 'x-amz-decoded-content-length' : 'content-length')
  if (text === undefined && call.method !== 'POST') throw new S3Error('MissingContentLength')
  const length = Number(text ?? 0)
  if (!/^\d+$/.test(text ?? '0')) throw new S3Error('InvalidArgument', 'Invalid content length')
  if (length > maxBytes) {
    if (maxBytes < maxS3PutBytes) throw new S3Error('MaxMessageLengthExceeded')
    throw new S3Error('EntityTooLarge', undefined, {
      ProposedSize: `${length}`,
      MaxSizeAllowed: `${maxBytes}`,
    })
  }
  const trailers = new Map<string, string>()
  // The default iterator would destroy the connection on an error, so the client would get no response.
  const raw = request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>
  const chunks = isStreaming && auth ? decodeChunks(raw, auth, trailers) : raw
  return { chunks: enforceLength(chunks, length, call.proceed), trailers }
}

async function* enforceLength(
  chunks: AsyncIterable<Buffer>,
  length: number,
  proceed: () => void,
): AsyncGenerator<Buffer> {
  let size = 0
  // The client is only asked for its body now: a request that its headers make invalid has already been refused.
  proceed()
  for await (const chunk of chunks) {
    size += chunk.length
    if (size > length) throw new S3Error('IncompleteBody', 'The request body is longer than announced')
    yield chunk
  }
  if (size < length) throw new S3Error('IncompleteBody')
}

export interface ReceivedBody extends Span, Digests {}

/** Stores the body as a new blob. The caller must commit a reference to it, or remove it. */
export function receiveBody(
  services: S3Services,
  call: S3Call,
  extraAlgorithm: Algorithm | undefined,
): Promise<ReceivedBody> {
  const body = openBody(call, maxS3PutBytes)
  return storeChunksAsBlob(services, call.headers, body, extraAlgorithm)
}

/** Stores chunks from any source and verifies them against the checksums in the headers. */
export async function storeChunksAsBlob(
  { blobs }: S3Services,
  headers: Headers,
  { chunks, trailers }: Body,
  extraAlgorithm: Algorithm | undefined,
): Promise<ReceivedBody> {
  const digester = new Digester(headers, extraAlgorithm)
  const span = await blobs.write(digester.watch(chunks))
  try {
    return { ...span, ...digester.finish(trailers) }
  } catch (cause) {
    await blobs.remove([span.blob])
    throw cause
  }
}

/** Commits a blob; removes it if the commit is refused. */
export async function commitOrRemove<T>(
  { blobs }: S3Services,
  blob: string,
  commit: () => Promise<T>,
): Promise<T> {
  try {
    return await commit()
  } catch (cause) {
    await blobs.remove([blob])
    throw cause
  }
}

/** Reads a small XML body with the given root. */
export async function readXmlBody(call: S3Call, root: string): Promise<Parsed> {
  const text = await readTextBody(call)
  if (text === '') throw new S3Error('MalformedXML')
  return fromXml(text, root)
}

export async function readTextBody(call: S3Call): Promise<string> {
  const body = openBody(call, maxXmlBytes)
  const digester = new Digester(call.headers, undefined)
  const pieces: Buffer[] = []
  for await (const chunk of digester.watch(body.chunks)) pieces.push(chunk)
  digester.finish(body.trailers)
  return Buffer.concat(pieces).toString()
}

/** Requires a checksum, for operations whose body AWS does not accept without one. */
export function requireChecksum(headers: Headers): void {
  const names = [...headers.keys(), headers.get('x-amz-trailer') ?? '']
  if (names.some((name) => name === 'content-md5' || /^x-amz-checksum-(crc|sha)/.test(name))) return
  throw new S3Error(
    'InvalidRequest',
    'Missing required header for this request: Content-MD5 OR x-amz-checksum-*',
  )
}
