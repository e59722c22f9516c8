import { AppError } from '../../errors.ts'
import type { FormatId } from '../index.ts'
import { ascii, damaged, type OpenedFile, view } from './byte-source.ts'

/** Palm database: number of records, then eight bytes for each, which begin with its place in the file. */
const palm = { recordCount: 76, records: 78, recordBytes: 8 } as const
/** Within the first record of a Mobipocket file. */
const mobi = { encryption: 12, mark: 16, version: 36 } as const
/** KF8, the kind of book that Amazon calls azw3. */
const kf8 = 8

/** What kind of Mobipocket book a Palm database is. @throws AppError CORRUPT_FILE, UNSUPPORTED_FORMAT. */
export async function mobipocketFormat(file: OpenedFile): Promise<FormatId> {
  const header = view(file.head)
  const count = file.size > palm.records ? header.getUint16(palm.recordCount) : 0
  const listEnd = palm.records + count * palm.recordBytes
  if (count === 0 || listEnd > file.head.length) throw broken('it ends within its header')
  const offsetOf = (index: number) => header.getUint32(palm.records + index * palm.recordBytes)
  if (offsetOf(count - 1) >= file.size) throw broken('it is cut off')
  const first = await file.read(offsetOf(0), offsetOf(0) + 40)
  if (first.length < 40 || ascii(first, mobi.mark, mobi.mark + 4) !== 'MOBI') {
    throw broken('its header is damaged')
  }
  if (view(first).getUint16(mobi.encryption) !== 0) throw protectedBook()
  return view(first).getUint32(mobi.version) === kf8 ? 'azw3' : 'mobi'
}

function broken(what: string): AppError {
  return damaged('a Mobipocket book', what)
}

/** Obfuscated fonts are no protection: IDPF's and Adobe's ways. */
const fontObfuscation = ['http://www.idpf.org/2008/embedding', 'http://ns.adobe.com/pdf/enc#RC']

/** Whether the encryption.xml of an EPUB tells of more than fonts that are made unusable elsewhere. */
export function isProtectedEpub(encryption: string): boolean {
  const algorithms = [...encryption.matchAll(/EncryptionMethod\b[^<>]{0,500}?\bAlgorithm\s{0,9}=\s{0,9}["']([^"'<>]{0,500})["']/g)]
  return algorithms.some(([, name]) => !fontObfuscation.includes(name ?? ''))
}

export function protectedBook(): AppError {
  const sentence =
    'The ebook is protected by its seller (DRM), so it cannot be converted. Send a copy without protection.'
  return new AppError('UNSUPPORTED_FORMAT', sentence, { field: 'file', reason: 'drm' })
}
