// Verifies checksums and hashes that a client declared, while the bytes of the body stream through.
import { createHash, type Hash } from 'node:crypto'
import type { Headers } from './call.ts'
import {
  type Algorithm,
  algorithmNames,
  getChecksumHeader,
  isChecksum,
  parseAlgorithm,
  startChecksum,
} from './checksums.ts'
import { S3Error } from './errors.ts'

export interface Digests {
  /** MD5 in hex, which is the ETag of an object that was uploaded in one request. */
  readonly md5: string
  /** Checksums in base64 by algorithm: those that the client declared, and the requested one. */
  readonly checksums: ReadonlyMap<Algorithm, string>
}

interface ExpectedDigests {
  readonly md5: Buffer | undefined
  readonly sha256: string | undefined
  readonly algorithm: Algorithm | undefined
  /** The declared checksum; undefined if it is in the trailer. */
  readonly checksum: string | undefined
}

export class Digester {
  readonly #expected: ExpectedDigests
  readonly #md5 = createHash('md5')
  readonly #sha256: Hash | undefined
  readonly #runningChecksums: Map<Algorithm, ReturnType<typeof startChecksum>>

  /** Creates the digests. @param extraAlgorithm an algorithm to compute, whatever the client declares */
  constructor(headers: Headers, extraAlgorithm: Algorithm | undefined) {
    this.#expected = readExpected(headers)
    const { algorithm, sha256 } = this.#expected
    const wantedAlgorithms = [algorithm, extraAlgorithm].filter((value) => value !== undefined)
    this.#runningChecksums = new Map(
      wantedAlgorithms.map((wantedAlgorithm) => [wantedAlgorithm, startChecksum(wantedAlgorithm)]),
    )
    this.#sha256 = sha256 === undefined ? undefined : createHash('sha256')
  }

  async *watch(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const chunk of chunks) {
      this.#md5.update(chunk)
      this.#sha256?.update(chunk)
      for (const runningChecksum of this.#runningChecksums.values()) runningChecksum.update(chunk)
      yield chunk
    }
  }

  /** Throws if the bytes do not match what the client declared. */
  finish(trailers: Headers): Digests {
    const { md5, sha256, algorithm } = this.#expected
    const ourMd5 = this.#md5.digest()
    if (md5 && !md5.equals(ourMd5))
      throw new S3Error('BadDigest', undefined, {
        ExpectedDigest: md5.toString('base64'),
        CalculatedDigest: ourMd5.toString('base64'),
      })
    const ourSha256 = this.#sha256?.digest('hex')
    if (sha256 !== undefined && ourSha256 !== undefined && sha256.toLowerCase() !== ourSha256)
      throw new S3Error('XAmzContentSHA256Mismatch', undefined, {
        ClientComputedContentSHA256: sha256,
        S3ComputedContentSHA256: ourSha256,
      })
    const checksums = new Map(
      [...this.#runningChecksums].map(([name, sum]) => [name, sum.digest().toString('base64')]),
    )
    if (algorithm) this.#compare(algorithm, checksums.get(algorithm), trailers)
    return { md5: ourMd5.toString('hex'), checksums }
  }

  #compare(algorithm: Algorithm, ownChecksum: string | undefined, trailers: Headers): void {
    const givenChecksum = this.#expected.checksum ?? trailers.get(getChecksumHeader(algorithm))
    if (givenChecksum === undefined || !isChecksum(algorithm, givenChecksum))
      throw createInvalidChecksumError(algorithm)
    if (givenChecksum !== ownChecksum)
      throw new S3Error('BadDigest', `The ${algorithm} you specified did not match the calculated checksum.`)
  }
}

function readExpected(headers: Headers): ExpectedDigests {
  const sha256 = headers.get('x-amz-content-sha256')
  return {
    md5: readMd5(headers.get('content-md5')),
    sha256: sha256 !== undefined && /^[0-9a-f]{64}$/i.test(sha256) ? sha256 : undefined,
    ...readChecksum(headers),
  }
}

function readMd5(base64: string | undefined): Buffer | undefined {
  if (base64 === undefined) return undefined
  const md5 = Buffer.from(base64, 'base64')
  if (md5.length !== 16 || md5.toString('base64') !== base64) throw new S3Error('InvalidDigest')
  return md5
}

const nonChecksumHeaders = new Set(['x-amz-checksum-mode', 'x-amz-checksum-type', 'x-amz-checksum-algorithm'])

function readChecksum(headers: Headers): Pick<ExpectedDigests, 'algorithm' | 'checksum'> {
  const trailer = headers.get('x-amz-trailer')?.toLowerCase()
  const checksumHeaders = [...headers.keys()].filter(
    (name) => name.startsWith('x-amz-checksum-') && !nonChecksumHeaders.has(name),
  )
  const namedAlgorithm =
    trailer === undefined
      ? checksumHeaders
      : [...checksumHeaders, ...trailer.split(',').map((name) => name.trim())]
  if (namedAlgorithm.length > 1)
    throw new S3Error(
      'InvalidRequest',
      'Expecting a single x-amz-checksum- header. Multiple checksum Types are not allowed.',
    )
  const [header] = namedAlgorithm
  const announcedAlgorithm = headers.get('x-amz-sdk-checksum-algorithm')
  if (header === undefined) {
    if (announcedAlgorithm === undefined) return { algorithm: undefined, checksum: undefined }
    throw new S3Error(
      'InvalidRequest',
      'x-amz-sdk-checksum-algorithm specified, but no corresponding x-amz-checksum-* or x-amz-trailer headers were found.',
    )
  }
  const algorithm = algorithmNames.find((name) => getChecksumHeader(name) === header)
  if (!algorithm)
    throw trailer === undefined
      ? new S3Error('InvalidRequest', `The algorithm type you specified in ${header} header is invalid.`)
      : new S3Error('InvalidRequest', 'The value specified in the x-amz-trailer header is not supported')
  if (announcedAlgorithm !== undefined && parseAlgorithm(announcedAlgorithm) !== algorithm)
    throw new S3Error('InvalidRequest', 'Value for x-amz-sdk-checksum-algorithm header is invalid.')
  const checksum = headers.get(header)
  if (checksum !== undefined && !isChecksum(algorithm, checksum)) throw createInvalidChecksumError(algorithm)
  return { algorithm, checksum }
}

function createInvalidChecksumError(algorithm: Algorithm): S3Error {
  return new S3Error('InvalidRequest', `Value for ${getChecksumHeader(algorithm)} header is invalid.`)
}
