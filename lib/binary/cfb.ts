import { DamagedFileError, FileLimitError, TruncatedFileError } from './errors.ts'
import { type RandomAccess, readExactly } from './random-access.ts'

/** Offsets in the header ([MS-CFB] 2.2). */
const headerOffsets = {
  sectorShift: 30,
  fatSectors: 44,
  directory: 48,
  miniStreamCutoff: 56,
  miniFat: 60,
  difat: 68,
  fatList: 76,
} as const
const headerBytes = 512
const signature = 0xd0cf11e0
/** The header, the allocation table and the directory take one sector each. */
const minBytes = 3 * headerBytes
const fatSectorsInHeader = 109
/** Sector numbers above this are markers ([MS-CFB] 2.1). */
const lastRegularSector = 0xfffffffa
const endOfChain = 0xfffffffe
const freeSector = 0xffffffff
const entryBytes = 128
const maxNameBytes = 64
const miniSectorBytes = 64
const [streamType, rootEntryType] = [2, 5]
/** The directory is read up to 8,192 entries, more than any office program writes. */
const maxDirectoryBytes = 1024 * 1024

/** A stream or storage (2.6.1). */
interface CompoundFileEntry {
  /** The names of property streams start with a control character. */
  readonly name: string
  readonly type: number
  /** Indexes of the children in the directory tree (2.6.4). Without a child, the index is beyond the last entry. */
  readonly links: readonly number[]
  readonly start: number
  /** In bytes. */
  readonly size: number
}

/**
 * Reader of OLE compound files ([MS-CFB]; numbers are its sections), the container of Office 97-2003. A file is divided
 * into sectors; the file allocation table (FAT) has, for each sector, the number of the next one of its chain. Reads
 * only the sectors that are needed, and those of the allocation table only once.
 */
export class CompoundFile {
  readonly #file: RandomAccess
  readonly #header: Buffer
  readonly #sectorBytes: number
  readonly #sectorCount: number
  readonly #fatSectors = new Map<number, Buffer>()
  /** Sectors of the allocation table beyond those listed in the header (2.5). */
  readonly #difat: number[] = []
  #nextDifatSector: number
  #entries: readonly CompoundFileEntry[] | undefined
  #miniStream: { readonly sectors: Buffer; readonly table: Buffer } | undefined

  private constructor(file: RandomAccess, header: Buffer, sectorBytes: number) {
    this.#file = file
    this.#header = header
    this.#sectorBytes = sectorBytes
    this.#sectorCount = Math.ceil(file.size / sectorBytes) - 1
    this.#nextDifatSector = this.#readHeaderField('difat')
  }

  /**
   * @param maxBytes limit for the size of the file, because streams are read into memory
   * @throws DamagedFileError, FileLimitError
   */
  static async open(file: RandomAccess, maxBytes = Number.POSITIVE_INFINITY): Promise<CompoundFile> {
    if (file.size > maxBytes) throw new FileLimitError(`it has more than ${maxBytes} bytes`)
    if (file.size < minBytes) throw new TruncatedFileError('its header is cut off')
    const header = await readExactly(file, 0, headerBytes)
    const shift = header.readUInt16LE(headerOffsets.sectorShift)
    if (header.readUInt32BE(0) !== signature || (shift !== 9 && shift !== 12))
      throw new DamagedFileError('its header is damaged')
    return new CompoundFile(file, header, 2 ** shift)
  }

  /** Returns all entries of the directory. @throws DamagedFileError */
  async entries(): Promise<readonly CompoundFileEntry[]> {
    this.#entries ??= parseEntries(
      await this.#readChain(
        this.#readHeaderField('directory'),
        maxDirectoryBytes,
        'its directory is cut off',
      ),
    )
    return this.#entries
  }

  /** Returns whether the directory tree leads to a stream. Other programs do not find a stream outside the tree. */
  isLinked(name: string): Promise<boolean> {
    return this.#isReachable(name, ({ links }) => links)
  }

  /** Returns whether a stream belongs to the document itself, not to an object in it. */
  isInRoot(name: string): Promise<boolean> {
    return this.#isReachable(name, ({ type, links: [left, right, child] }) =>
      type === rootEntryType ? [child] : [left, right],
    )
  }

  async #isReachable(
    name: string,
    listLinks: (entry: CompoundFileEntry) => readonly (number | undefined)[],
  ): Promise<boolean> {
    const entries = await this.entries()
    const pendingIndexes = [0]
    const seenIndexes = new Set(pendingIndexes)
    for (let index = pendingIndexes.pop(); index !== undefined; index = pendingIndexes.pop()) {
      const entry = entries[index]
      if (entry?.name.toUpperCase() === name.toUpperCase()) return true
      for (const link of entry ? listLinks(entry) : []) {
        if (link === undefined || link >= entries.length || seenIndexes.has(link)) continue
        seenIndexes.add(link)
        pendingIndexes.push(link)
      }
    }
    return false
  }

  /**
   * Reads the first stream with this name; undefined if there is none. If its sector chain is too short, the stream is
   * shorter than declared.
   * @throws DamagedFileError
   */
  async read(name: string): Promise<Buffer | undefined> {
    // Names are compared without regard to case (2.6.4).
    const foundEntry = (await this.entries()).find((entry) => entry.name.toUpperCase() === name.toUpperCase())
    return foundEntry && this.#readStream(foundEntry)
  }

  #readStream(entry: CompoundFileEntry): Promise<Buffer> {
    const isInMiniStream = entry.size < this.#readHeaderField('miniStreamCutoff')
    return isInMiniStream ? this.#readMiniStream(entry) : this.#readChain(entry.start, entry.size)
  }

  /**
   * Checks that the directory is a tree and its streams are complete, for readers that would follow a loop forever.
   * @throws DamagedFileError
   */
  async requireIntact(): Promise<void> {
    const entries = await this.entries()
    const linkedIndexes = new Set([0])
    for (const index of linkedIndexes) {
      const entry = entries[index]
      for (const link of entry?.links ?? []) {
        if (linkedIndexes.has(link)) throw new DamagedFileError('its directory is a loop')
        if (link < entries.length) linkedIndexes.add(link)
      }
      if (entry?.type === streamType && (await this.#readStream(entry)).length < entry.size)
        throw new TruncatedFileError('it is cut off')
    }
  }

  /**
   * Checks that the last used sector starts inside the file, using only the allocation table sectors that the
   * header lists.
   * @throws TruncatedFileError
   */
  async requireLastSector(): Promise<void> {
    const index = Math.min(this.#readHeaderField('fatSectors'), fatSectorsInHeader) - 1
    if (index < 0) throw new DamagedFileError('its header is damaged')
    const table = await this.#readFatSector(index)
    const nextSector = (sector: number) => table.readUInt32LE(4 * sector)
    let lastIndex = table.length / 4 - 1
    while (lastIndex >= 0 && nextSector(lastIndex) === freeSector) lastIndex--
    // Some programs fill the rest of the table with end-of-chain values.
    while (lastIndex > 0 && nextSector(lastIndex) === endOfChain && nextSector(lastIndex - 1) === endOfChain)
      lastIndex--
    const number = (index * table.length) / 4 + lastIndex
    if (lastIndex >= 0 && number >= this.#sectorCount) throw new TruncatedFileError('it is cut off')
  }

  #readHeaderField(name: Exclude<keyof typeof headerOffsets, 'sectorShift'>): number {
    return this.#header.readUInt32LE(headerOffsets[name])
  }

  /**
   * Reads a small stream. All small streams share one stream, which has small sectors and an allocation table of its
   * own (2.4).
   */
  async #readMiniStream({ start, size }: CompoundFileEntry): Promise<Buffer> {
    this.#miniStream ??= await this.#openMiniStream()
    const { sectors, table } = this.#miniStream
    const parts: Buffer[] = []
    const maxMiniSectors = Math.min(size, sectors.length) / miniSectorBytes
    for (let sector = start; sector < lastRegularSector && parts.length < maxMiniSectors; ) {
      if (4 * sector + 4 > table.length) throw new TruncatedFileError('it is cut off')
      parts.push(sectors.subarray(sector * miniSectorBytes, (sector + 1) * miniSectorBytes))
      sector = table.readUInt32LE(4 * sector)
    }
    return Buffer.concat(parts).subarray(0, size)
  }

  async #openMiniStream() {
    const root = (await this.entries()).find(({ type }) => type === rootEntryType)
    return {
      sectors: root ? await this.#readChain(root.start) : Buffer.alloc(0),
      table: await this.#readChain(this.#readHeaderField('miniFat')),
    }
  }

  /** Reads the sectors of a chain, up to a number of bytes. */
  async #readChain(start: number, bytes = this.#file.size, damageMessage = 'it is cut off'): Promise<Buffer> {
    const sectors = await this.#listChain(start, Math.ceil(bytes / this.#sectorBytes), damageMessage)
    const parts: Buffer[] = []
    for (let firstIndex = 0; firstIndex < sectors.length; ) {
      // Reads consecutive sectors with one call, because most sectors of a chain are consecutive.
      let end = firstIndex + 1
      while (end < sectors.length && sectors[end] === (sectors[end - 1] ?? 0) + 1) end++
      const wantedBytes = (end - firstIndex) * this.#sectorBytes
      const sectorData = await this.#file.at(
        ((sectors[firstIndex] ?? 0) + 1) * this.#sectorBytes,
        wantedBytes,
      )
      // Some programs do not pad the last sector of the file.
      if (sectorData.length < wantedBytes && end < sectors.length) throw new TruncatedFileError(damageMessage)
      parts.push(sectorData)
      firstIndex = end
    }
    const [onlyPart] = parts
    return (onlyPart && parts.length === 1 ? onlyPart : Buffer.concat(parts)).subarray(0, bytes)
  }

  async #listChain(start: number, maxSectors: number, damageMessage: string): Promise<readonly number[]> {
    const sectors: number[] = []
    for (let sector = start; sector < lastRegularSector && sectors.length < maxSectors; ) {
      if (sector >= this.#sectorCount) throw new TruncatedFileError(damageMessage)
      if (sectors.length === this.#sectorCount) throw new DamagedFileError('a chain of its sectors is a loop')
      sectors.push(sector)
      const table = Math.floor((4 * sector) / this.#sectorBytes)
      const links = this.#fatSectors.get(table) ?? (await this.#readFatSector(table))
      sector = links.readUInt32LE((4 * sector) % this.#sectorBytes)
    }
    return sectors
  }

  async #readFatSector(index: number): Promise<Buffer> {
    const cachedSector = this.#fatSectors.get(index)
    if (cachedSector) return cachedSector
    const sector = await this.#locateFatSector(index)
    const links = await readExactly(this.#file, (sector + 1) * this.#sectorBytes, this.#sectorBytes)
    this.#fatSectors.set(index, links)
    return links
  }

  /**
   * Finds a sector of the allocation table. The header lists the first of these sectors, and DIFAT sectors list the
   * others (2.5).
   */
  async #locateFatSector(index: number): Promise<number> {
    if (index < fatSectorsInHeader) return this.#header.readUInt32LE(headerOffsets.fatList + 4 * index)
    const entriesPerSector = this.#sectorBytes / 4 - 1
    while (this.#difat.length <= index - fatSectorsInHeader) {
      const isLoop = this.#difat.length > this.#sectorCount
      if (isLoop || this.#nextDifatSector >= lastRegularSector)
        throw new DamagedFileError('its allocation table is incomplete')
      const at = (this.#nextDifatSector + 1) * this.#sectorBytes
      const difatSector = await readExactly(this.#file, at, this.#sectorBytes)
      for (let entry = 0; entry < entriesPerSector; entry++)
        this.#difat.push(difatSector.readUInt32LE(4 * entry))
      this.#nextDifatSector = difatSector.readUInt32LE(4 * entriesPerSector)
    }
    return this.#difat[index - fatSectorsInHeader] ?? freeSector
  }
}

/**
 * Parses entries: 64 bytes with the name in UTF-16, then the length of the name in bytes, including the NUL (2.6.1).
 */
function parseEntries(directory: Buffer): readonly CompoundFileEntry[] {
  return Array.from({ length: Math.floor(directory.length / entryBytes) }, (_, index) => {
    const entry = directory.subarray(index * entryBytes, (index + 1) * entryBytes)
    const nameBytes = entry.readUInt16LE(maxNameBytes)
    return {
      name: nameBytes < 2 || nameBytes > maxNameBytes ? '' : entry.toString('utf16le', 0, nameBytes - 2),
      type: entry.readUInt8(66),
      links: [entry.readUInt32LE(68), entry.readUInt32LE(72), entry.readUInt32LE(76)],
      start: entry.readUInt32LE(116),
      // Ignores the upper half of the size, which is not always zero in files with small sectors.
      size: entry.readUInt32LE(120),
    }
  })
}
