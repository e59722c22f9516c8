import type { FileBytes } from './bytes.ts'

/** Returns a stream of an OLE compound file by name; undefined if it does not exist. */
export type StreamReader = (name: string) => Buffer | undefined

/** Larger numbers are special markers, not sectors. */
const maxSector = 0xfffffffa
const entryBytes = 128
const rootType = 5
const sectorsInHeader = 109

/** [MS-CFB] 2. Undefined if it is not a compound file. @throws RangeError if it is too large or damaged. */
export async function openCompoundFile(file: FileBytes): Promise<StreamReader | undefined> {
  const bytes = await file.whole()
  if (bytes.length < 1536 || bytes.readUInt32BE(0) !== 0xd0cf11e0) return undefined
  const sectorBytes = 2 ** bytes.readUInt16LE(30)
  if (sectorBytes !== 512 && sectorBytes !== 4096) return undefined
  const sector = (number: number) => bytes.subarray((number + 1) * sectorBytes, (number + 2) * sectorBytes)
  const table = Buffer.concat(findTableSectors(bytes, sectorBytes).map(sector))
  const readChain = createChainReader(sector, table, bytes.length / sectorBytes)
  const entries = readEntries(readChain(bytes.readUInt32LE(48)))
  const root = entries.find(({ type }) => type === rootType)
  const smallBytes = 2 ** bytes.readUInt16LE(32)
  // Small streams share one stream, divided into small sectors with their own allocation table (2.4).
  const small = root ? readChain(root.start) : Buffer.alloc(0)
  const readSmallChain = createChainReader(
    (number) => small.subarray(number * smallBytes, (number + 1) * smallBytes),
    readChain(bytes.readUInt32LE(60)),
    small.length / smallBytes,
  )
  return (name) => {
    const entry = entries.find((one) => one.name === name)
    if (!entry) return undefined
    const whole = (entry.size < bytes.readUInt32LE(56) ? readSmallChain : readChain)(entry.start)
    return whole.subarray(0, entry.size)
  }
}

/** 2.5: finds the sectors of the allocation table; the header lists the first ones, DIFAT sectors the others. */
function findTableSectors(bytes: Buffer, sectorBytes: number): number[] {
  const sectorNumbers = (from: number, count: number) =>
    Array.from({ length: count }, (_, at) => bytes.readUInt32LE(from + 4 * at))
  const found = sectorNumbers(76, sectorsInHeader)
  const perSector = sectorBytes / 4 - 1
  const max = bytes.readUInt32LE(44)
  let next = bytes.readUInt32LE(68)
  while (next < maxSector && found.length < max) {
    const at = (next + 1) * sectorBytes
    found.push(...sectorNumbers(at, perSector))
    next = bytes.readUInt32LE(at + 4 * perSector)
  }
  return found.filter((one) => one < maxSector).slice(0, max)
}

/** Creates a reader that follows a chain of sectors. @param max number of sectors, which also ends a cyclic chain. */
function createChainReader(
  sector: (number: number) => Buffer,
  table: Buffer,
  max: number,
): (start: number) => Buffer {
  return (start) => {
    const parts: Buffer[] = []
    for (let at = start; at < maxSector && parts.length <= max; at = table.readUInt32LE(4 * at))
      parts.push(sector(at))
    return Buffer.concat(parts)
  }
}

function readEntries(directory: Buffer) {
  const count = Math.floor(directory.length / entryBytes)
  return Array.from({ length: count }, (_, index) => {
    const at = index * entryBytes
    const length = Math.min(64, Math.max(2, directory.readUInt16LE(at + 64)))
    return {
      name: directory.toString('utf16le', at, at + length - 2),
      type: directory.readUInt8(at + 66),
      start: directory.readUInt32LE(at + 116),
      size: directory.readUInt32LE(at + 120),
    }
  })
}
