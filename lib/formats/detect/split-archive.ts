import { AppError } from '../../errors.ts'
import type { OpenedFile } from './byte-source.ts'
import { corruptFileError, decodeAscii, view } from './byte-source.ts'

/** Bytes of the header at the start of a 7z, which locates the one at the end (7zFormat.txt of 7-Zip). */
const startHeaderBytes = 32
const maxListedParts = 5
/** Part numbers have three digits. */
const maxParts = 999

/** Checks that the file is long enough to contain the header at its end. @throws AppError CORRUPT_FILE */
export function checkSevenZip(file: OpenedFile): void {
  const bytes = getSevenZipSize(file)
  if (bytes !== undefined && bytes > file.size)
    throw corruptFileError('a 7z archive', `it is cut off: ${bytes - file.size} bytes at its end are missing`)
}

function getSevenZipSize({ head }: OpenedFile): number | undefined {
  if (head.length < startHeaderBytes || !decodeAscii(head, 0, 2).startsWith('7z')) return undefined
  const numbers = view(head)
  return startHeaderBytes + Number(numbers.getBigUint64(12, true)) + Number(numbers.getBigUint64(20, true))
}

/**
 * Refuses a part of a split archive, such as photos.7z.001, and names the parts that are missing.
 * @throws AppError CORRUPT_FILE
 */
export function refuseSplitArchive(file: OpenedFile): void {
  const [, archive, digits] = /^(.{1,200}\.(?:7z|zip))\.(\d{3})$/i.exec(file.filename) ?? []
  if (archive === undefined || digits === undefined) return
  const part = Number(digits)
  const bytes = part === 1 ? getSevenZipSize(file) : undefined
  if (bytes !== undefined && bytes <= file.size) return
  const declaredCount = bytes === undefined ? Number.POSITIVE_INFINITY : Math.ceil(bytes / file.size)
  // The header of a damaged part may declare anything, including a negative size.
  const count = declaredCount > 1 && declaredCount <= maxParts ? declaredCount : undefined
  const missingParts =
    count === undefined ? [] : Array.from({ length: count - 1 }, (_, at) => getPartName(archive, at + 2))
  const missingText =
    missingParts.length === 0
      ? 'the other parts are missing'
      : `${missingParts.length === 1 ? 'a part is' : `${missingParts.length} parts are`} missing: ${formatPartList(missingParts)}`
  const sentence = `The file is part ${part} of the split archive ${archive}, and ${missingText}. Join all parts into one file and send it.`
  throw new AppError('CORRUPT_FILE', sentence, {
    field: 'file',
    reason: 'split-archive',
    part,
    ...(count !== undefined && { parts: count }),
  })
}

const getPartName = (archive: string, part: number) => `${archive}.${String(part).padStart(3, '0')}`

const formatPartList = (names: readonly string[]) =>
  names.length <= maxListedParts ? names.join(', ') : `${names[0]} to ${names.at(-1)}`
