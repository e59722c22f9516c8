import { DamagedFileError, TruncatedFileError } from './errors.ts'
import type { RandomAccess } from './random-access.ts'

/** File offsets of a record of a Palm database (Palm File Format Specification, chapter 2), the container of ebooks. */
export interface PalmRecord {
  readonly start: number
  readonly end: number
}

const headerOffsets = { recordCount: 76, records: 78 } as const
/** Bytes of an entry in the list of records: an offset, and four bytes of attributes. */
const listEntryBytes = 8

/**
 * Lists the records; the last ones may lie beyond the end of the file.
 * @throws DamagedFileError
 */
export async function readPalmRecords(file: RandomAccess): Promise<readonly PalmRecord[]> {
  const header = await file.at(0, headerOffsets.records)
  if (header.length < headerOffsets.records) throw new TruncatedFileError('its header is cut off')
  const count = header.readUInt16BE(headerOffsets.recordCount)
  const recordList = await file.at(headerOffsets.records, count * listEntryBytes)
  if (recordList.length < count * listEntryBytes) throw new TruncatedFileError('its header is cut off')
  const starts = Array.from({ length: count }, (_, index) => recordList.readUInt32BE(listEntryBytes * index))
  return starts.map((start, index) => {
    const end = starts[index + 1] ?? Math.max(start, file.size)
    // Records out of order could share their bytes, so that a small file would have thousands of them.
    if (end < start) throw new DamagedFileError('its records are not in order')
    return { start, end }
  })
}
