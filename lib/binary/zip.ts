import { promisify } from 'node:util'
import { crc32, inflateRaw, inflateRawSync } from 'node:zlib'
import type { Entry } from '@zip.js/zip.js'
import { DamagedFileError, FileLimitError, UnsupportedFileError } from './errors.ts'
import { type RandomAccess, readExactly } from './random-access.ts'

/** A file or folder in a ZIP. The section numbers in this file refer to PKWARE's APPNOTE 6.3.10. */
export interface ZipArchiveEntry {
  readonly name: string
  readonly isFolder: boolean
  /** Compression method (APPNOTE 4.4.5). */
  readonly method: number
  /** General purpose bit flags (APPNOTE 4.4.4). */
  readonly flags: number
  /** In bytes. */
  readonly compressedSize: number
  readonly uncompressedSize: number
  readonly crc32: number
  readonly modifiedAt: Date
  /** Position of the entry's local header in the ZIP, in bytes. */
  readonly offset: number
}

/** Error for a ZIP that contains a path which leads out of the folder into which the ZIP is extracted. */
export class UnsafeEntryNameError extends DamagedFileError {
  readonly entryName: string

  constructor(entryName: string) {
    super('it has a file with an unsafe path')
    this.entryName = entryName
  }
}

const methods = { stored: 0, deflated: 8 } as const
const flagMasks = { encrypted: 1, dataDescriptor: 8, strongEncryption: 0x40, utf8: 0x800 } as const
/** Flags that must be the same in the local header and the directory, so that all programs read the same content. */
const sharedFlags = Object.values(flagMasks).reduce((mask, flag) => mask | flag, 0)
const localHeaderBytes = 30
const localHeaderSignature = 0x04034b50
/** Value of a size field if the actual size is in an extra field (APPNOTE 4.5.3). */
const zip64Placeholder = 0xffffffff

/** The whole directory is read into memory. Even the largest office file has a far smaller directory. */
const maxDirectoryBytes = 16 * 1024 * 1024
/** Larger files are decompressed in the thread pool. For smaller ones, switching threads takes longer than the work. */
const maxSyncBytes = 256 * 1024
/** The smallest chunk size that zlib accepts. */
const minChunkBytes = 64

const damagedDirectoryMessage = 'its directory is missing or damaged, as after an interrupted transfer'
const inflateInThreadPool = promisify(inflateRaw)

/** A ZIP whose directory has been read and checked. */
export class ZipArchive {
  /** Entries in the order of the directory. */
  readonly entries: readonly ZipArchiveEntry[]
  /** Files by name, without folders. If several files have the same name, the last one is listed. */
  readonly files: ReadonlyMap<string, ZipArchiveEntry>
  /** Whether the ZIP has more entries than the caller accepts. */
  readonly hasMoreEntries: boolean
  readonly #file: RandomAccess
  readonly #readEntries = new Set<ZipArchiveEntry>()
  #bytesLeft: number

  constructor(file: RandomAccess, entries: readonly ZipArchiveEntry[], hasMoreEntries: boolean) {
    this.#file = file
    this.#bytesLeft = file.size
    this.entries = entries
    this.files = new Map(entries.flatMap((entry) => (entry.isFolder ? [] : [[entry.name, entry] as const])))
    this.hasMoreEntries = hasMoreEntries
  }

  /**
   * Decompresses a file, and checks its size and checksum.
   * @throws FileLimitError when it has more than `maxBytes`; DamagedFileError, UnsupportedFileError
   */
  async read(entry: ZipArchiveEntry, maxBytes: number): Promise<Buffer> {
    requireReadable(entry, maxBytes)
    const { uncompressedSize } = entry
    const content = await decompress(await this.readRaw(entry), entry, uncompressedSize)
    if (content.length !== uncompressedSize || crc32(content) !== entry.crc32)
      throw new DamagedFileError('a part of it is damaged')
    return content
  }

  /**
   * Decompresses a file without checking it, for readers that want the intact part of a damaged file.
   * @throws FileLimitError, DamagedFileError, UnsupportedFileError
   */
  async readUnchecked(entry: ZipArchiveEntry, maxBytes: number): Promise<Buffer> {
    requireReadable(entry, maxBytes)
    const data = await this.#readData(entry, locateData(await this.#readHeader(entry), entry))
    return decompress(data, entry, maxBytes)
  }

  /** Reads a file as it is stored, compressed or not. @throws DamagedFileError */
  async readRaw(entry: ZipArchiveEntry): Promise<Buffer> {
    return this.#readData(entry, await this.locate(entry))
  }

  /** Returns the position of the entry's data in the ZIP. @throws DamagedFileError */
  async locate(entry: ZipArchiveEntry): Promise<number> {
    const header = await this.#readHeader(entry)
    if (contradicts(header, entry)) throw new DamagedFileError('a part of it is damaged')
    return locateData(header, entry)
  }

  #readHeader({ offset }: ZipArchiveEntry): Promise<Buffer> {
    return readExactly(this.#file, offset, localHeaderBytes)
  }

  async #readData(entry: ZipArchiveEntry, position: number): Promise<Buffer> {
    // With entries that share their data, a small ZIP could contain thousands of large files.
    if (!this.#readEntries.has(entry)) this.#bytesLeft -= entry.compressedSize
    if (this.#bytesLeft < 0) throw new DamagedFileError('its parts overlap')
    this.#readEntries.add(entry)
    return readExactly(this.#file, position, entry.compressedSize)
  }
}

/**
 * Opens a ZIP. zip.js reads the directory, because it supports all encodings of names and files beyond 4 GiB. zlib
 * decompresses the files, because the streams of zip.js are slow: they take longer than counting the words of a file.
 * @param maxEntries further entries are ignored, see `hasMoreEntries`
 * @throws DamagedFileError, UnsafeEntryNameError, FileLimitError
 */
export async function openZipArchive(file: RandomAccess, maxEntries: number): Promise<ZipArchive> {
  // Loads only the reader of zip.js, when the first ZIP is opened, so that an idle process needs less memory.
  const { ERR_UNSAFE_FILENAME, ZipReader } = await import('@zip.js/zip.js/lib/zip-core-reader.js')
  const readFailures: unknown[] = []
  const readUint8Array = async (position: number, length: number) => {
    try {
      if (length > maxDirectoryBytes) throw new FileLimitError('its directory is too large')
      return await file.at(position, length)
    } catch (error) {
      readFailures.push(error)
      throw error
    }
  }
  // The type requires a stream, but zip.js does not use it if the reader has `readUint8Array`.
  const reader = { size: file.size, readUint8Array, readable: new ReadableStream() }
  const entries: ZipArchiveEntry[] = []
  try {
    for await (const entry of new ZipReader(reader).getEntriesGenerator()) {
      if (entries.length === maxEntries) return new ZipArchive(file, entries, true)
      entries.push(toArchiveEntry(entry))
    }
  } catch (error) {
    // A read error, unlike an error of zip.js, says nothing about the content of the file.
    if (readFailures.includes(error)) throw error
    if (error instanceof Error && error.message === ERR_UNSAFE_FILENAME && 'filename' in error)
      throw new UnsafeEntryNameError(String(error.filename))
    throw new DamagedFileError(damagedDirectoryMessage, { cause: error })
  }
  return new ZipArchive(file, entries, false)
}

/** Keeps only the required fields, because an entry of zip.js takes some 7 kB. */
const toArchiveEntry = (entry: Entry): ZipArchiveEntry => ({
  name: entry.filename,
  isFolder: entry.directory,
  method: entry.compressionMethod,
  flags: entry.rawBitFlag ?? 0,
  compressedSize: entry.compressedSize,
  uncompressedSize: entry.uncompressedSize,
  crc32: entry.crc32 ?? 0,
  modifiedAt: entry.lastModDate,
  offset: entry.offset,
})

/** Returns where the data begins. Only the local header contains its own length (APPNOTE 4.3.7). */
const locateData = (header: Buffer, { offset }: ZipArchiveEntry) =>
  offset + localHeaderBytes + header.readUInt16LE(26) + header.readUInt16LE(28)

/** Whether a local header contradicts the directory: programs differ in which of the two they trust. */
function contradicts(header: Buffer, entry: ZipArchiveEntry): boolean {
  const flags = header.readUInt16LE(6)
  const [crc, compressedSize, uncompressedSize] = [14, 18, 22].map((at) => header.readUInt32LE(at))
  const sizesAreInHeader =
    (flags & flagMasks.dataDescriptor) === 0 && (crc || compressedSize || uncompressedSize)
  const differs = (local: number | undefined, size: number) => local !== size && local !== zip64Placeholder
  return (
    header.readUInt32LE(0) !== localHeaderSignature ||
    (flags & sharedFlags) !== (entry.flags & sharedFlags) ||
    header.readUInt16LE(8) !== entry.method ||
    (Boolean(sizesAreInHeader) &&
      (crc !== entry.crc32 ||
        differs(compressedSize, entry.compressedSize) ||
        differs(uncompressedSize, entry.uncompressedSize)))
  )
}

function requireReadable(entry: ZipArchiveEntry, maxBytes: number): void {
  const { method, flags, compressedSize, uncompressedSize } = entry
  if (Math.max(compressedSize, uncompressedSize) > maxBytes)
    throw new FileLimitError('a part of it is too large')
  const isEncrypted = (flags & flagMasks.encrypted) !== 0
  if (isEncrypted || !(method === methods.stored || method === methods.deflated))
    throw new UnsupportedFileError('a part of it is encrypted or compressed in an unusual way')
}

async function decompress(data: Buffer, entry: ZipArchiveEntry, maxBytes: number): Promise<Buffer> {
  const { method, uncompressedSize: size } = entry
  if (method === methods.stored) return data
  // The declared size lets zlib use a single buffer.
  // One byte is added, because zlib allocates another buffer when the last byte fills it.
  const chunkSize = Math.max(size + 1, minChunkBytes)
  const options = { maxOutputLength: Math.max(1, maxBytes), chunkSize }
  try {
    return size <= maxSyncBytes ? inflateRawSync(data, options) : await inflateInThreadPool(data, options)
  } catch (cause) {
    throw new DamagedFileError('a part of it cannot be decompressed', { cause })
  }
}
