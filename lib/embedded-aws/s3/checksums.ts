// Checksums that a client may send with a body and request with an object.
// https://docs.aws.amazon.com/AmazonS3/latest/userguide/checking-object-integrity.html
import { createHash, type Hash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { type Crc64, crc32c, joinCrc, updateCrc64 } from './crc.ts'
import { S3Error } from './errors.ts'

interface RunningChecksum {
  update(chunk: Buffer): void
  /** Returns the raw checksum, which is sent in base64. */
  digest(): Buffer
}

const algorithms = {
  CRC32: {
    bytes: 4,
    types: ['FULL_OBJECT', 'COMPOSITE'],
    defaultType: 'COMPOSITE',
    start: () => startCrc32(crc32),
  },
  CRC32C: {
    bytes: 4,
    types: ['FULL_OBJECT', 'COMPOSITE'],
    defaultType: 'COMPOSITE',
    start: () => startCrc32(crc32c),
  },
  CRC64NVME: { bytes: 8, types: ['FULL_OBJECT'], defaultType: 'FULL_OBJECT', start: startCrc64 },
  SHA1: { bytes: 20, types: ['COMPOSITE'], defaultType: 'COMPOSITE', start: () => startHash('sha1') },
  SHA256: { bytes: 32, types: ['COMPOSITE'], defaultType: 'COMPOSITE', start: () => startHash('sha256') },
} as const satisfies Record<
  string,
  { bytes: number; types: readonly ChecksumType[]; defaultType: ChecksumType; start: () => RunningChecksum }
>

export type Algorithm = keyof typeof algorithms
/** Whether a checksum covers all bytes, or the checksums of the parts. */
export type ChecksumType = 'FULL_OBJECT' | 'COMPOSITE'

export interface Checksum {
  readonly algorithm: Algorithm
  readonly type: ChecksumType
  /** The checksum in base64; a composite checksum has the suffix `-N`. */
  readonly value: string
}

export const algorithmNames = Object.keys(algorithms) as Algorithm[] // keys of a const table

export function parseAlgorithm(text: string): Algorithm | undefined {
  const name = text.toUpperCase()
  return algorithmNames.find((algorithmName) => algorithmName === name)
}

/** Returns the algorithm with this name. @throws S3Error InvalidRequest for an unknown algorithm */
export function requireAlgorithm(text: string): Algorithm {
  const algorithm = parseAlgorithm(text)
  if (algorithm) return algorithm
  throw new S3Error(
    'InvalidRequest',
    'Checksum algorithm provided is unsupported. Please try again with any of the valid types: [CRC32, CRC32C, CRC64NVME, SHA1, SHA256]',
  )
}

export function getChecksumHeader(algorithm: Algorithm): string {
  return `x-amz-checksum-${algorithm.toLowerCase()}`
}

/** Returns the name of the element in replies and lists of parts, for example ChecksumCRC32. */
export function getChecksumElement(algorithm: Algorithm): string {
  return `Checksum${algorithm}`
}

export function getDefaultChecksumType(algorithm: Algorithm): ChecksumType {
  return algorithms[algorithm].defaultType
}

export function allowsType(algorithm: Algorithm, type: string): type is ChecksumType {
  const types: readonly string[] = algorithms[algorithm].types
  return types.includes(type)
}

export function isChecksum(algorithm: Algorithm, base64: string): boolean {
  return (
    /^[A-Za-z0-9+/]+=*$/.test(base64) && Buffer.from(base64, 'base64').length === algorithms[algorithm].bytes
  )
}

export function startChecksum(algorithm: Algorithm): RunningChecksum {
  return algorithms[algorithm].start()
}

/** Returns the checksum headers of replies about an object or a part. */
export function createChecksumHeaders(checksum: Checksum | undefined): Record<string, string> {
  if (!checksum) return {}
  return { [getChecksumHeader(checksum.algorithm)]: checksum.value, 'x-amz-checksum-type': checksum.type }
}

/** Combines the base64 checksums and sizes of the parts into the checksum of the whole object. */
export function joinChecksums(
  algorithm: Algorithm,
  type: ChecksumType,
  parts: readonly { readonly checksum: string; readonly size: number }[],
): Checksum {
  const raw = parts.map((part) => Buffer.from(part.checksum, 'base64'))
  if (type === 'COMPOSITE') {
    const joinedChecksum = startChecksum(algorithm)
    joinedChecksum.update(Buffer.concat(raw))
    return { algorithm, type, value: `${joinedChecksum.digest().toString('base64')}-${parts.length}` }
  }
  if (algorithm === 'SHA1' || algorithm === 'SHA256')
    throw new Error(`${algorithm} checksums of parts cannot be combined`)
  const [firstCrc = 0n, ...rest] = raw.map((bytes) => BigInt(`0x${bytes.toString('hex')}`))
  const wholeCrc = rest.reduce(
    (crc, next, index) => joinCrc(algorithm, crc, next, parts[index + 1]?.size ?? 0),
    firstCrc,
  )
  const hex = wholeCrc.toString(16).padStart(algorithms[algorithm].bytes * 2, '0')
  return { algorithm, type, value: Buffer.from(hex, 'hex').toString('base64') }
}

function startCrc32(update: (chunk: Buffer, previousCrc: number) => number): RunningChecksum {
  let crc = 0
  return {
    update: (chunk) => {
      crc = update(chunk, crc)
    },
    digest: () => {
      const bytes = Buffer.alloc(4)
      bytes.writeUInt32BE(crc >>> 0)
      return bytes
    },
  }
}

function startCrc64(): RunningChecksum {
  const crc: Crc64 = { low: 0, high: 0 }
  return {
    update: (chunk) => updateCrc64(crc, chunk),
    digest: () => {
      const bytes = Buffer.alloc(8)
      bytes.writeInt32BE(crc.high, 0)
      bytes.writeInt32BE(crc.low, 4)
      return bytes
    },
  }
}

function startHash(name: 'sha1' | 'sha256'): RunningChecksum {
  const hash: Hash = createHash(name)
  return {
    update: (chunk) => {
      hash.update(chunk)
    },
    digest: () => hash.digest(),
  }
}
