import { CompoundFile } from '../../binary/cfb.ts'
import { DamagedFileError } from '../../binary/errors.ts'
import { AppError } from '../../errors.ts'
import type { FormatId } from '../index.ts'
import { isOpenXml } from '../locked-office.ts'
import { createCorruptFileError, type OpenedFile } from './byte-source.ts'

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
export async function detectOleFormat(
  file: OpenedFile,
  namedFormat: FormatId | undefined,
): Promise<{ format: FormatId; locked?: true } | undefined> {
  const { names, isMessage } = await readDirectory(file)
  if (isMessage) return { format: 'msg' }
  if (names.has('ENCRYPTEDPACKAGE')) return { format: getEncryptedFormat(namedFormat), locked: true }
  const format = formatsByStream.find(([name]) => names.has(name.toUpperCase()))?.[1]
  return format && { format, ...(names.has('ENCRYPTEDSUMMARY') && { locked: true }) }
}

/** The new format for each old extension, because an encrypted new file can have the old extension. */
const openXmlSuccessors: Partial<Record<FormatId, FormatId>> = { doc: 'docx', xls: 'xlsx', ppt: 'pptx' }

/** Returns the format of an encrypted Office Open XML file, which only the file name reveals. */
function getEncryptedFormat(namedFormat: FormatId | undefined): FormatId {
  const format = namedFormat && (openXmlSuccessors[namedFormat] ?? namedFormat)
  if (format && isOpenXml(format)) return format
  const sentence =
    'The document is encrypted, so its format must be in its name: rename it to .docx, .xlsx or .pptx, and send its password in the field `password`.'
  throw new AppError('UNSUPPORTED_FORMAT', sentence, { field: 'file', reason: 'encrypted' })
}

/**
 * Name of the stream with the fields of an Outlook message ([MS-OXMSG] 2.4). Documents attached to the message may have
 * streams of other formats.
 */
const messageStream = '__properties_version1.0'

/**
 * Returns the names of all streams, converted to upper case: names that differ only in case are equal ([MS-CFB] 2.6.4).
 * @throws AppError CORRUPT_FILE.
 */
async function readDirectory(file: OpenedFile): Promise<{ names: ReadonlySet<string>; isMessage: boolean }> {
  try {
    const compoundFile = await CompoundFile.open(file)
    await compoundFile.requireLastSector()
    const entries = await compoundFile.entries()
    // Removes the control character with which names of property streams start.
    const removeControlCharacters = (name: string) =>
      [...name].filter((character) => character >= ' ').join('')
    return {
      names: new Set(entries.map(({ name }) => removeControlCharacters(name).toUpperCase())),
      isMessage: await compoundFile.isInRoot(messageStream),
    }
  } catch (error) {
    if (error instanceof DamagedFileError)
      throw createCorruptFileError('an Office 97-2003 file', error.message)
    throw error
  }
}
