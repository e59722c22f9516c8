import { DamagedFileError } from '../../binary/errors.ts'
import { type PalmRecord, readPalmRecords } from '../../binary/palm-database.ts'
import { AppError } from '../../errors.ts'
import type { FormatId } from '../index.ts'
import { createCorruptFileError, decodeAscii, type OpenedFile, view } from './byte-source.ts'

/** Offsets in the first record of a Mobipocket file. */
const mobiOffsets = { encryption: 12, signature: 16, version: 36 } as const
/** Version of KF8, which Amazon calls AZW3. */
const kf8Version = 8

/** Returns which Mobipocket format a Palm database contains. @throws AppError CORRUPT_FILE, UNSUPPORTED_FORMAT. */
export async function detectMobipocketFormat(file: OpenedFile): Promise<FormatId> {
  const records = await listRecords(file)
  const [{ start } = { start: file.size }] = records
  if (records.length === 0) throw createCorruptBookError('its header is cut off')
  if ((records.at(-1)?.start ?? 0) >= file.size) throw createCorruptBookError('it is cut off')
  const firstBytes = await file.read(start, start + 40)
  if (
    firstBytes.length < 40 ||
    decodeAscii(firstBytes, mobiOffsets.signature, mobiOffsets.signature + 4) !== 'MOBI'
  ) {
    throw createCorruptBookError('its header is damaged')
  }
  if (view(firstBytes).getUint16(mobiOffsets.encryption) !== 0) throw createDrmError()
  return view(firstBytes).getUint32(mobiOffsets.version) === kf8Version ? 'azw3' : 'mobi'
}

async function listRecords(file: OpenedFile): Promise<readonly PalmRecord[]> {
  try {
    return await readPalmRecords(file)
  } catch (error) {
    throw error instanceof DamagedFileError ? createCorruptBookError(error.message) : error
  }
}

function createCorruptBookError(problem: string): AppError {
  return createCorruptFileError('a Mobipocket book', problem)
}

/** Algorithms of IDPF and Adobe that only obfuscate fonts, which is not DRM. */
const fontObfuscationAlgorithms = ['http://www.idpf.org/2008/embedding', 'http://ns.adobe.com/pdf/enc#RC']

/** Returns whether the encryption.xml of an EPUB lists more than obfuscated fonts. */
export function isProtectedEpub(encryption: string): boolean {
  const algorithms = [
    ...encryption.matchAll(
      /EncryptionMethod\b[^<>]{0,500}?\bAlgorithm\s{0,9}=\s{0,9}["']([^"'<>]{0,500})["']/g,
    ),
  ]
  return algorithms.some(([, name]) => !fontObfuscationAlgorithms.includes(name ?? ''))
}

export function createDrmError(): AppError {
  const sentence = 'The ebook is protected with DRM, so it cannot be converted. Send a copy without DRM.'
  return new AppError('UNSUPPORTED_FORMAT', sentence, { field: 'file', reason: 'drm' })
}
