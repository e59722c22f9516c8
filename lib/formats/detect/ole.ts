import { AppError } from '../../errors.ts'
import type { FormatId } from '../index.ts'
import { isOpenXml } from '../locked-office.ts'
import { corruptFileError, type OpenedFile, view } from './byte-source.ts'

/** Offsets in the header, [MS-CFB] 2.2. */
const headerOffsets = { sectorShift: 30, fatSectors: 44, directoryStart: 48, fatList: 76 } as const
const fatSectorsInHeader = 109
const lastRegularSector = 0xfffffffa
const endOfChain = 0xfffffffe
const freeSector = 0xffffffff
const entryBytes = 128
const maxDirectorySectors = 256

/** Stream names that identify the program. */
const formatsByStream: readonly (readonly [string, FormatId])[] = [
  ['WordDocument', 'doc'],
  ['Workbook', 'xls'],
  ['Book', 'xls'],
  ['PowerPoint Document', 'ppt'],
  ['VisioDocument', 'vsd'],
  ['PerfectOffice_MAIN', 'wb3'],
  ['NativeContent_MAIN', 'wb3'],
  ['Quill', 'pub'],
  ['MatOST', 'wps'],
  ['CONTENTS', 'wps'],
  ['HwpSummaryInformation', 'hwp'],
]

/** Returns the format of an OLE compound file (doc, xls, ppt …) from the stream names in its directory. */
export async function oleFormat(
  file: OpenedFile,
  named: FormatId | undefined,
): Promise<{ format: FormatId; locked?: true } | undefined> {
  const names = await directoryNames(file)
  if (names.has('EncryptedPackage')) return { format: encryptedFormat(named), locked: true }
  const format = formatsByStream.find(([name]) => names.has(name))?.[1]
  return format && { format, ...(names.has('EncryptedSummary') && { locked: true }) }
}

/** The new format for each old extension: an encrypted new file can have the old extension. */
const successors: Partial<Record<FormatId, FormatId>> = { doc: 'docx', xls: 'xlsx', ppt: 'pptx' }

/** Returns the format of an encrypted Office Open XML file, which only its name reveals. */
function encryptedFormat(named: FormatId | undefined): FormatId {
  const format = named && (successors[named] ?? named)
  if (format && isOpenXml(format)) return format
  const sentence =
    'The document is encrypted, so its format must be in its name: rename it to .docx, .xlsx or .pptx, and send its password in the field `password`.'
  throw new AppError('UNSUPPORTED_FORMAT', sentence, { field: 'file', reason: 'encrypted' })
}

async function directoryNames(file: OpenedFile): Promise<ReadonlySet<string>> {
  if (file.size < 1536) throw corruptOleError('its header is cut off')
  const header = view(file.head)
  const shift = header.getUint16(headerOffsets.sectorShift, true)
  if (shift !== 9 && shift !== 12) throw corruptOleError('its header is damaged')
  const sectorBytes = 2 ** shift
  const offsetOf = (sector: number) => (sector + 1) * sectorBytes
  const fat = (index: number) => header.getUint32(headerOffsets.fatList + 4 * index, true)
  const fatSectors = Math.min(header.getUint32(headerOffsets.fatSectors, true), fatSectorsInHeader)
  await checkEnd(file, offsetOf(fat(fatSectors - 1)), {
    first: ((fatSectors - 1) * sectorBytes) / 4,
    sectorBytes,
  })

  const names = new Set<string>()
  let sector = header.getUint32(headerOffsets.directoryStart, true)
  for (let count = 0; count < maxDirectorySectors && sector < lastRegularSector; count++) {
    const bytes = await file.read(offsetOf(sector), offsetOf(sector + 1))
    if (bytes.length === 0) throw corruptOleError('its directory is cut off')
    for (const name of entryNames(bytes)) names.add(name)
    const link = (sector * 4) / sectorBytes
    if (link >= fatSectorsInHeader) break
    const start = offsetOf(fat(Math.floor(link))) + ((sector * 4) % sectorBytes)
    const next = await file.read(start, start + 4)
    if (next.length < 4) throw corruptOleError('its directory is cut off')
    sector = view(next).getUint32(0, true)
  }
  return names
}

/** Checks that the last used sector in the allocation table starts inside the file. */
async function checkEnd(
  file: OpenedFile,
  tableOffset: number,
  { first, sectorBytes }: { first: number; sectorBytes: number },
): Promise<void> {
  const table = await file.read(tableOffset, tableOffset + sectorBytes)
  if (table.length < sectorBytes) throw corruptOleError('it is cut off')
  const links = view(table)
  const link = (sector: number) => links.getUint32(4 * sector, true)
  let last = sectorBytes / 4 - 1
  while (last >= 0 && link(last) === freeSector) last--
  // Some programs fill the rest of the table with end-of-chain values.
  while (last > 0 && link(last) === endOfChain && link(last - 1) === endOfChain) last--
  if (last >= 0 && (first + last + 1) * sectorBytes >= file.size) throw corruptOleError('it is cut off')
}

/**
 * Returns the names of directory entries, [MS-CFB] 2.6.1: 64 bytes of UTF-16, then the length in bytes including the
 * NUL.
 */
function entryNames(sector: Uint8Array): string[] {
  const names: string[] = []
  for (let start = 0; start + entryBytes <= sector.length; start += entryBytes) {
    const length = view(sector).getUint16(start + 64, true)
    if (length < 2 || length > 64) continue
    const name = Buffer.from(sector.subarray(start, start + length - 2)).toString('utf16le')
    // Names of property streams start with a control character.
    names.push([...name].filter((character) => character >= ' ').join(''))
  }
  return names
}

function corruptOleError(what: string): AppError {
  return corruptFileError('an Office 97-2003 file', what)
}
