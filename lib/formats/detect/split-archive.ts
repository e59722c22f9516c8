import { AppError } from '../../errors.ts'
import type { OpenedFile } from './byte-source.ts'
import { createCorruptFileError, decodeAscii, view } from './byte-source.ts'

/** Size of the header at the start of a 7z, which locates the header at the end (7zFormat.txt of 7-Zip). */
const startHeaderBytes = 32
/** Bytes of the record at the end of a ZIP, without its comment. */
const zipEndBytes = 22
const maxListedParts = 5
/** Part numbers have three digits. */
const maxParts = 999

/** Checks that the file is long enough to contain the header at its end. @throws AppError CORRUPT_FILE */
export function checkSevenZip(file: OpenedFile): void {
  const bytes = getSevenZipSize(file)
  if (bytes !== undefined && bytes > file.size)
    throw createCorruptFileError(
      'a 7z archive',
      `it is cut off: ${bytes - file.size} bytes at its end are missing`,
    )
}

function getSevenZipSize({ head }: OpenedFile): number | undefined {
  if (head.length < startHeaderBytes || !decodeAscii(head, 0, 2).startsWith('7z')) return undefined
  const headView = view(head)
  return startHeaderBytes + Number(headView.getBigUint64(12, true)) + Number(headView.getBigUint64(20, true))
}

/** Returns the size of a ZIP archive if the file contains its end (APPNOTE.TXT of PKWARE, 4.3.16). */
function getZipSize({ tail }: OpenedFile): number | undefined {
  const start = decodeAscii(tail).lastIndexOf('PK\x05\x06')
  if (start < 0 || start + zipEndBytes > tail.length) return undefined
  const tailView = view(tail)
  const commentBytes = tailView.getUint16(start + 20, true)
  if (start + zipEndBytes + commentBytes !== tail.length) return undefined
  const [directoryBytes, directoryOffset] = [
    tailView.getUint32(start + 12, true),
    tailView.getUint32(start + 16, true),
  ]
  return directoryOffset + directoryBytes + zipEndBytes + commentBytes
}

/**
 * Refuses a part of a split archive, such as photos.7z.001, and names the parts that are missing.
 * @throws AppError CORRUPT_FILE
 */
export function refuseSplitArchive(file: OpenedFile): void {
  const [, archive, kind = '', digits] = /^(.{1,200}\.(7z|zip))\.(\d{3})$/i.exec(file.filename) ?? []
  if (archive === undefined || digits === undefined) return
  const partNumber = Number(digits)
  const isZip = kind.toLowerCase() === 'zip'
  const bytes = isZip ? getZipSize(file) : partNumber === 1 ? getSevenZipSize(file) : undefined
  if (partNumber === 1 && bytes !== undefined && bytes <= file.size) return
  const count = countParts(partNumber, bytes, file.size, isZip)
  const lastPartNumber = count ?? Math.max(partNumber, 2)
  const missingParts = Array.from({ length: lastPartNumber }, (_, at) => at + 1).filter(
    (number) => number !== partNumber,
  )
  const names = missingParts.map((number) => getPartName(archive, number))
  const atLeast = count === undefined ? 'at least ' : ''
  const missingText = `${atLeast}${names.length === 1 ? 'a part is' : `${names.length} parts are`} missing: ${formatPartList(names)}`
  const sentence = `The file is part ${partNumber} of the split archive ${archive}, and ${missingText}. Join all parts into one file and send it.`
  throw new AppError('CORRUPT_FILE', sentence, {
    field: 'file',
    reason: 'split-archive',
    part: partNumber,
    ...(count !== undefined && { parts: count }),
  })
}

/**
 * Returns the number of parts, if known: the header of a 7z locates its end, and the end of a ZIP is in the last part.
 */
function countParts(partNumber: number, bytes: number | undefined, partBytes: number, isZip: boolean) {
  if (bytes === undefined) return undefined
  if (isZip) return partNumber > 1 ? partNumber : undefined
  const count = Math.ceil(bytes / partBytes)
  // The header of a damaged part may declare anything, including a negative size.
  return count > 1 && count <= maxParts ? count : undefined
}

const getPartName = (archive: string, partNumber: number) =>
  `${archive}.${String(partNumber).padStart(3, '0')}`

const formatPartList = (names: readonly string[]) =>
  names.length <= maxListedParts ? names.join(', ') : `${names[0]} to ${names.at(-1)}`
