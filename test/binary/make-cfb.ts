export const endOfChain = 0xfffffffe
const sectorBytes = 512
const linksPerSector = sectorBytes / 4
const fatSectorsInHeader = 109
const [streamType, rootType] = [2, 5]

/** Offset of a sector in the file. */
export const getSectorOffset = (sector: number) => (sector + 1) * sectorBytes

export interface BuiltCompoundFile {
  readonly bytes: Buffer
  readonly fatSectors: readonly number[]
  readonly difatSectors: readonly number[]
  readonly directory: number
  readonly miniFat: number
  /** First sector of each stream: a small sector for small streams. */
  readonly starts: ReadonlyMap<string, number>
  /** Offset of the link of a sector in the allocation table. */
  linkOffset(sector: number): number
}

/** Makes an OLE compound file ([MS-CFB]) whose streams of less than 4,096 bytes share the small sectors. */
export function makeCompoundFile(streams: Readonly<Record<string, Buffer>>): BuiltCompoundFile {
  const sectors: Buffer[] = []
  const links: number[] = []
  const addChain = (content: Buffer): number => {
    if (content.length === 0) return endOfChain
    const start = sectors.length
    const count = Math.ceil(content.length / sectorBytes)
    for (let index = 0; index < count; index++) {
      const sector = Buffer.alloc(sectorBytes)
      content.copy(sector, 0, index * sectorBytes)
      sectors.push(sector)
      links.push(index === count - 1 ? endOfChain : start + index + 1)
    }
    return start
  }
  const smallStreams: Buffer[] = []
  const smallLinks: number[] = []
  const starts = new Map<string, number>()
  for (const [name, content] of Object.entries(streams)) {
    if (content.length >= 4096) {
      starts.set(name, addChain(content))
      continue
    }
    const count = Math.ceil(content.length / 64)
    starts.set(name, smallLinks.length)
    for (let index = 1; index <= count; index++)
      smallLinks.push(index === count ? endOfChain : smallLinks.length + 1)
    smallStreams.push(Buffer.concat([content, Buffer.alloc(count * 64 - content.length)]))
  }
  const sharedStream = Buffer.concat(smallStreams)
  const rootStart = addChain(sharedStream)
  const miniFat = addChain(packNumbers(smallLinks))
  const directory = addChain(
    Buffer.concat([
      packEntry('Root Entry', rootType, rootStart, sharedStream.length),
      ...Object.entries(streams).map(([name, { length }]) =>
        packEntry(name, streamType, starts.get(name) ?? endOfChain, length),
      ),
    ]),
  )
  const { fatSectors, difatSectors } = addTables(sectors, links)
  const header = Buffer.alloc(sectorBytes)
  Buffer.from('d0cf11e0a1b11ae1', 'hex').copy(header)
  for (const [at, value] of [
    [24, 0x3e],
    [26, 3],
    [28, 0xfffe],
    [30, 9],
    [32, 6],
  ] as const)
    header.writeUInt16LE(value, at)
  for (const [at, value] of [
    [44, fatSectors.length],
    [48, directory],
    [56, 4096],
    [60, miniFat],
    [64, Math.ceil(smallLinks.length / linksPerSector)],
    [68, difatSectors[0] ?? endOfChain],
    [72, difatSectors.length],
  ] as const)
    header.writeUInt32LE(value, at)
  packNumbers(fatSectors.slice(0, fatSectorsInHeader), fatSectorsInHeader * 4).copy(header, 76)
  return {
    bytes: Buffer.concat([header, ...sectors]),
    fatSectors,
    difatSectors,
    directory,
    miniFat,
    starts,
    linkOffset: (sector) =>
      getSectorOffset(fatSectors[Math.floor(sector / linksPerSector)] ?? 0) + 4 * (sector % linksPerSector),
  }
}

/** Adds the allocation table, which covers itself, and the DIFAT sectors that list its later sectors. */
function addTables(sectors: Buffer[], links: number[]) {
  let [fatCount, difatCount] = [0, 0]
  while (fatCount * linksPerSector < sectors.length + fatCount + difatCount) {
    fatCount++
    difatCount = Math.ceil(Math.max(0, fatCount - fatSectorsInHeader) / (linksPerSector - 1))
  }
  const firstSector = sectors.length
  const fatSectors = Array.from({ length: fatCount }, (_, index) => firstSector + index)
  const difatSectors = Array.from({ length: difatCount }, (_, index) => firstSector + fatCount + index)
  const table = packNumbers(
    [...links, ...fatSectors.map(() => 0xfffffffd), ...difatSectors.map(() => 0xfffffffc)],
    fatCount * sectorBytes,
  )
  for (let at = 0; at < table.length; at += sectorBytes) sectors.push(table.subarray(at, at + sectorBytes))
  for (const index of difatSectors.keys()) {
    const from = fatSectorsInHeader + index * (linksPerSector - 1)
    const list = packNumbers(fatSectors.slice(from, from + linksPerSector - 1))
    list.writeUInt32LE(difatSectors[index + 1] ?? endOfChain, sectorBytes - 4)
    sectors.push(list)
  }
  return { fatSectors, difatSectors }
}

function packNumbers(
  numbers: readonly number[],
  bytes = Math.ceil(numbers.length / linksPerSector) * sectorBytes,
) {
  const packedStream = Buffer.alloc(bytes, 0xff)
  for (const [index, number] of numbers.entries()) packedStream.writeUInt32LE(number, 4 * index)
  return packedStream
}

function packEntry(name: string, type: number, start: number, size: number): Buffer {
  const directoryEntry = Buffer.alloc(128)
  directoryEntry.write(name, 'utf16le')
  directoryEntry.writeUInt16LE(2 * name.length + 2, 64)
  directoryEntry.writeUInt8(type, 66)
  directoryEntry.fill(0xff, 68, 80)
  directoryEntry.writeUInt32LE(start, 116)
  directoryEntry.writeUInt32LE(size, 120)
  return directoryEntry
}
