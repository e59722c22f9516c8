import type { FileBytes } from './bytes.ts'

const lastSector = 0xfffffffa
const entryBytes = 128
const fatSectorsInHeader = 109

/**
 * A stream of an OLE compound file ([MS-CFB] 2), by its name. Undefined where there is none, or where its sectors stand
 * in other tables than the header names: such a file is larger than what is counted.
 */
export async function streamOf(file: FileBytes, name: string): Promise<Buffer | undefined> {
  const bytes = await file.whole()
  if (bytes.length < 1536) return undefined
  const sectorBytes = 2 ** bytes.readUInt16LE(30)
  const fatSectors = bytes.readUInt32LE(44)
  if ((sectorBytes !== 512 && sectorBytes !== 4096) || fatSectors > fatSectorsInHeader) return undefined
  const offsetOf = (sector: number) => (sector + 1) * sectorBytes
  const perSector = sectorBytes / 4
  const next = (sector: number) => {
    const table = bytes.readUInt32LE(76 + 4 * Math.floor(sector / perSector))
    return bytes.readUInt32LE(offsetOf(table) + 4 * (sector % perSector))
  }
  const chain = (start: number): Buffer => {
    const parts: Buffer[] = []
    // A chain that leads back into itself would have no end.
    const most = bytes.length / sectorBytes
    for (let sector = start; sector < lastSector && parts.length <= most; sector = next(sector))
      parts.push(bytes.subarray(offsetOf(sector), offsetOf(sector + 1)))
    return Buffer.concat(parts)
  }
  const directory = chain(bytes.readUInt32LE(48))
  for (let at = 0; at + entryBytes <= directory.length; at += entryBytes) {
    const length = directory.readUInt16LE(at + 64)
    if (length < 2 || length > 64 || directory.toString('utf16le', at, at + length - 2) !== name) continue
    const size = directory.readUInt32LE(at + 120)
    // Smaller ones share sectors, and hold no document.
    const isOwn = size >= bytes.readUInt32LE(56)
    return isOwn ? chain(directory.readUInt32LE(at + 116)).subarray(0, size) : undefined
  }
  return undefined
}
