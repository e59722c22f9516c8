import { FileLimitError } from '../../binary/errors.ts'
import { openZipArchive, UnsafeEntryNameError, type ZipArchive } from '../../binary/zip.ts'
import { AppError } from '../../errors.ts'
import { getMaxUnpackedBytes } from '../archive-limits.ts'
import { type FormatId, formatById, formats } from '../index.ts'
import { createDocumentProtectionUnknownError } from '../locked-office.ts'
import { createUnsafeNameError } from '../unsafe-name.ts'
import { createCorruptFileError, type OpenedFile } from './byte-source.ts'
import { createDrmError, isProtectedEpub } from './ebook.ts'

/** Maximum number of entries, more than any office file has; limits the reading of a zip bomb's directory. */
const maxEntries = 20_000
const maxTextBytes = 2 * 1024 * 1024
/** Larger main parts are not checked. */
const maxMainPartBytes = 32 * 1024 * 1024

/** No program can open a document with a larger part than this. */
const maxPartBytes = 512 * 1024 * 1024

/** Formats of Office Open XML files by the content type of their main part. */
const mainParts: readonly (readonly [FormatId, string])[] = [
  ['docx', 'application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml'],
  ['docm', 'application/vnd.ms-word.document.macroEnabled.main+xml'],
  ['dotx', 'application/vnd.openxmlformats-officedocument.wordprocessingml.template.main+xml'],
  ['dotm', 'application/vnd.ms-word.template.macroEnabledTemplate.main+xml'],
  ['xlsx', 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml'],
  ['xlsm', 'application/vnd.ms-excel.sheet.macroEnabled.main+xml'],
  ['xlsb', 'application/vnd.ms-excel.sheet.binary.macroEnabled.main'],
  ['xltx', 'application/vnd.openxmlformats-officedocument.spreadsheetml.template.main+xml'],
  ['xltm', 'application/vnd.ms-excel.template.macroEnabled.main+xml'],
  ['pptx', 'application/vnd.openxmlformats-officedocument.presentationml.presentation.main+xml'],
  ['pptm', 'application/vnd.ms-powerpoint.presentation.macroEnabled.main+xml'],
  ['ppsx', 'application/vnd.openxmlformats-officedocument.presentationml.slideshow.main+xml'],
  ['potx', 'application/vnd.openxmlformats-officedocument.presentationml.template.main+xml'],
  ['potm', 'application/vnd.ms-powerpoint.template.macroEnabled.main+xml'],
  ['vsdx', 'application/vnd.ms-visio.drawing.main+xml'],
]

/** Returns the format of a ZIP file: a document format by its content, otherwise `zip`. */
export async function detectZipFormat(file: OpenedFile): Promise<{ format: FormatId; locked?: true }> {
  const zip = await openArchive(file)
  const format =
    (await detectOpenXmlFormat(zip)) ??
    (await detectXpsFormat(zip)) ??
    (await detectEpubFormat(zip)) ??
    (await detectOpenDocumentFormat(zip)) ??
    detectIWorkFormat(zip, file.filename) ??
    detectUfoFormat(zip) ??
    'zip'
  // Archives are checked when they are extracted.
  if (format !== 'zip') requireUnpackedSize(zip, format, file.size)
  return { format, ...((await isEncrypted(zip)) && { locked: true }) }
}

async function openArchive(file: OpenedFile): Promise<ZipArchive> {
  try {
    return await openZipArchive(file, maxEntries)
  } catch (error) {
    if (error instanceof UnsafeEntryNameError) throw createUnsafeNameError(error.entryName)
    if (error instanceof RangeError) throw createCorruptFileError('a ZIP-based file', error.message)
    throw error
  }
}

/**
 * Limits the unpacked size: programs unpack such a file into memory, some of them ten times over.
 * @throws AppError FILE_TOO_LARGE.
 */
function requireUnpackedSize({ files }: ZipArchive, format: FormatId, size: number): void {
  const sizes = [...files.values()].map(({ uncompressedSize }) => uncompressedSize)
  const total = sizes.reduce((sum, size) => sum + size, 0)
  const maxTotalBytes = getMaxUnpackedBytes(size)
  const largestPartBytes = Math.max(...sizes)
  if (total <= maxTotalBytes && largestPartBytes <= maxPartBytes) return
  const toMb = (bytes: number) => Math.ceil(bytes / 1024 ** 2)
  const limitMb = Math.floor((total > maxTotalBytes ? maxTotalBytes : maxPartBytes) / 1024 ** 2)
  const problem =
    total > maxTotalBytes
      ? `would unpack to ${toMb(total)} MB; the limit for a file of its size is ${limitMb} MB`
      : `has a part that would unpack to ${toMb(largestPartBytes)} MB; the limit for one part is ${limitMb} MB`
  const sentence = `The ${formatById(format).name} (${format}) ${problem}. Split it, or remove large content.`
  throw new AppError('FILE_TOO_LARGE', sentence, { field: 'file', limitMb })
}

async function detectOpenXmlFormat(zip: ZipArchive): Promise<FormatId | undefined> {
  const xml = await readText(zip, '[Content_Types].xml', 'an Office document')
  const format = mainParts.find(([, contentType]) => xml?.includes(`"${contentType}"`))?.[0]
  if (format) await checkPart(zip, await findMainPart(zip), format)
  return format
}

/** Returns the name of the main document part of the package. Reading known attributes needs no XML parser. */
async function findMainPart(zip: ZipArchive): Promise<string | undefined> {
  const xml = await readText(zip, '_rels/.rels', 'an Office document')
  const tag = xml
    ?.match(/<Relationship\b[^<>]{0,4000}>/g)
    ?.find((relationship) => /Type="[^"]*\/(officeDocument|document)"/.test(relationship))
  return /Target="\/?([^"]+)"/.exec(tag ?? '')?.[1]
}

/** Detects XPS and OpenXPS by the relationship that names the start part: its type differs between the two formats. */
async function detectXpsFormat(zip: ZipArchive): Promise<FormatId | undefined> {
  // The part may be UTF-16, in which every second byte is zero.
  const xml = (await readText(zip, '_rels/.rels', 'an XPS document'))?.replaceAll('\0', '')
  const tag = xml
    ?.match(/<Relationship\b[^<>]{0,4000}>/g)
    ?.find((relationship) => /Type="[^"]*\/fixedrepresentation"/.test(relationship))
  if (tag === undefined) return undefined
  const format = /Type="[^"]*[/.]openxps\.org\//.test(tag) ? 'oxps' : 'xps'
  const firstPart = /Target="\/?([^"]+)"/.exec(tag)?.[1] ?? ''
  // Printer drivers write interleaved parts (Open Packaging Conventions, 9.1.4).
  await checkPart(zip, zip.files.has(firstPart) ? firstPart : `${firstPart}/[0].piece`, format)
  return format
}

async function detectEpubFormat(zip: ZipArchive): Promise<FormatId | undefined> {
  const declaredType = await readText(zip, 'mimetype', 'an EPUB book')
  if (!declaredType?.startsWith('application/epub+zip')) return undefined
  const container = await readText(zip, 'META-INF/container.xml', 'an EPUB book')
  if (container === undefined)
    throw createCorruptFileError('an EPUB book', 'the part that names its content is missing')
  const packagePath = /full-path\s*=\s*["']([^"']+)["']/.exec(container)?.[1]
  await checkPart(zip, packagePath, 'epub')
  const encryption = await readText(zip, 'META-INF/encryption.xml', 'an EPUB book')
  if (encryption !== undefined && isProtectedEpub(encryption)) throw createDrmError()
  return 'epub'
}

async function detectOpenDocumentFormat(zip: ZipArchive): Promise<FormatId | undefined> {
  const declaredType = (await readText(zip, 'mimetype', 'an OpenDocument file'))?.trim()
  const mime = declaredType ?? (await readManifestType(zip))
  if (mime === undefined) return undefined
  const format = formats.find((row) => row.mimeTypes[0] === mime)
  if (!format && declaredType !== undefined) throw createUnsupportedFormatError(mime.slice(0, 80))
  if (!format) return undefined
  // LibreOffice has written this entry since version 24.8.
  if (zip.files.has('encrypted-package')) throw createDocumentProtectionUnknownError()
  await checkPart(zip, 'content.xml', format.id)
  return format.id
}

function createUnsupportedFormatError(mime: string): AppError {
  const sentence = `The format of the file is not supported: its declared type is ${mime}.`
  return new AppError('UNSUPPORTED_FORMAT', sentence, { field: 'file', looksLike: mime })
}

/** Returns whether the manifest lists encrypted parts (OpenDocument, part 2, 4.16). */
async function isEncrypted(zip: ZipArchive): Promise<boolean> {
  if (!zip.files.has('mimetype')) return false
  return (await readManifest(zip))?.includes('encryption-data') === true
}

const readManifest = (zip: ZipArchive) => readText(zip, 'META-INF/manifest.xml', 'an OpenDocument file')

/** Returns the type from the manifest, because files of OpenOffice 1 have no `mimetype` entry. */
async function readManifestType(zip: ZipArchive): Promise<string | undefined> {
  const root = (await readManifest(zip))
    ?.match(/<manifest:file-entry\b[^<>]{0,4000}>/g)
    ?.find((tag) => tag.includes('full-path="/"'))
  return /media-type="([^"]*)"/.exec(root ?? '')?.[1]
}

/** Apple's three formats contain the same parts, so only the extension distinguishes them. */
function detectIWorkFormat({ files }: ZipArchive, name: string): FormatId | undefined {
  if (!files.has('Index/Document.iwa') && !files.has('index.apxl') && !files.has('index.xml'))
    return undefined
  const extension = name.slice(name.lastIndexOf('.') + 1).toLowerCase()
  return (['pages', 'numbers', 'key'] as const).find((id) => id === extension)
}

/** Detects a UFO font by two files in one folder, see https://unifiedfontobject.org/versions/ufo3/. */
function detectUfoFormat({ files }: ZipArchive): FormatId | undefined {
  const fontFolder = [...files.keys()]
    .find((name) => /(?:^|\/)metainfo\.plist$/.test(name))
    ?.replace('metainfo.plist', '')
  return fontFolder !== undefined && files.has(`${fontFolder}glyphs/contents.plist`) ? 'ufo' : undefined
}

/** Reads a file of the ZIP as text; undefined if the ZIP has no file with this name. */
async function readText(zip: ZipArchive, name: string, kind: string): Promise<string | undefined> {
  const zipEntry = zip.files.get(name)
  if (!zipEntry) return undefined
  try {
    return new TextDecoder().decode(await zip.read(zipEntry, maxTextBytes))
  } catch (error) {
    if (error instanceof FileLimitError)
      throw createCorruptFileError(kind, 'its description is far too large')
    if (error instanceof RangeError) throw createCorruptFileError(kind, 'its description cannot be unpacked')
    throw error
  }
}

/**
 * Unpacks the main part of a document, so that a damaged file is rejected during detection instead of after its job has
 * waited for a worker.
 */
async function checkPart(zip: ZipArchive, name: string | undefined, format: FormatId): Promise<void> {
  const kind = `a ${formatById(format).name} (${format})`
  const zipEntry = zip.files.get(name ?? '')
  if (!zipEntry) throw createCorruptFileError(kind, 'the part with its content is missing')
  try {
    await zip.read(zipEntry, maxMainPartBytes)
  } catch (error) {
    // Larger parts are not unpacked.
    if (error instanceof FileLimitError) return
    if (error instanceof RangeError)
      throw createCorruptFileError(kind, 'the part with its content is damaged')
    throw error
  }
}
