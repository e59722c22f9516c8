import {
  type Entry,
  ERR_UNSAFE_FILENAME,
  type FileEntry,
  Reader,
  TextWriter,
  Uint8ArrayWriter,
  ZipReader,
} from '@zip.js/zip.js'
import { AppError } from '../../errors.ts'
import { maxUnpackedBytesFor } from '../archive-limits.ts'
import { type FormatId, formatById, formats } from '../index.ts'
import { documentProtectionUnknown } from '../locked-office.ts'
import { unsafeNameError } from '../unsafe-name.ts'
import { corruptFileError, type OpenedFile } from './byte-source.ts'
import { drmError, isProtectedEpub } from './ebook.ts'

/** More entries than any office file has; stops reading the directory of a zip bomb. */
const maxEntries = 20_000
/** The directory is read at once; even that of the largest office file is far smaller. */
const maxReadBytes = 16 * 1024 * 1024
const maxTextBytes = 2 * 1024 * 1024
/** A larger main part is not unpacked for the check. */
const maxMainPartBytes = 32 * 1024 * 1024

/** No program can open a document with a larger part. */
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

class SourceReader extends Reader<OpenedFile> {
  readonly #file: OpenedFile

  constructor(file: OpenedFile) {
    super(file)
    this.#file = file
    this.size = file.size
  }

  override async readUint8Array(index: number, length: number): Promise<Uint8Array> {
    if (length > maxReadBytes)
      throw new Error(`Expected a ZIP directory of at most ${maxReadBytes} bytes, got ${length}.`)
    return this.#file.read(index, index + length)
  }
}

/** Returns the format of a ZIP file: a document format by its content, otherwise `zip`. */
export async function zipFormat(file: OpenedFile): Promise<{ format: FormatId; locked?: true }> {
  const reader = new ZipReader(new SourceReader(file), { useWebWorkers: false })
  try {
    const files = new Map<string, FileEntry>()
    for await (const entry of reader.getEntriesGenerator()) {
      if (isFile(entry)) files.set(entry.filename, entry)
      if (files.size > maxEntries) break
    }
    const format =
      (await openXmlFormat(files)) ??
      (await xpsFormat(files)) ??
      (await epubFormat(files)) ??
      (await openDocumentFormat(files)) ??
      iWorkFormat(files, file.filename) ??
      ufoFormat(files) ??
      'zip'
    // Archives are checked when they are extracted.
    if (format !== 'zip') requireUnpackedSize([...files.values()], format, file.size)
    return { format, ...((await isEncrypted(files)) && { locked: true }) }
  } catch (error) {
    if (error instanceof AppError) throw error
    const refused = error instanceof Error && error.message === ERR_UNSAFE_FILENAME && 'filename' in error
    if (refused) throw unsafeNameError(String(error.filename))
    throw corruptFileError(
      'a ZIP-based file',
      'its directory is missing or damaged, as after an interrupted transfer',
    )
  } finally {
    await reader.close()
  }
}

/**
 * Limits the unpacked size: programs unpack such a file into memory, some of them ten times over.
 * @throws AppError FILE_TOO_LARGE.
 */
function requireUnpackedSize(entries: readonly FileEntry[], format: FormatId, size: number): void {
  const sizes = entries.map(({ uncompressedSize }) => uncompressedSize)
  const total = sizes.reduce((sum, one) => sum + one, 0)
  if (total <= maxUnpackedBytesFor(size) && Math.max(...sizes) <= maxPartBytes) return
  const limitMb = Math.floor(Math.min(maxUnpackedBytesFor(size), maxPartBytes) / 1024 ** 2)
  const sentence = `The ${formatById(format).name} (${format}) would unpack to ${Math.ceil(total / 1024 ** 2)} MB; the limit for a file of its size is ${limitMb} MB. Split it, or remove large content.`
  throw new AppError('FILE_TOO_LARGE', sentence, { field: 'file', limitMb })
}

function isFile(entry: Entry): entry is FileEntry {
  return !entry.directory
}

async function openXmlFormat(files: ReadonlyMap<string, FileEntry>): Promise<FormatId | undefined> {
  const types = files.get('[Content_Types].xml')
  if (!types) return undefined
  const xml = await readText(types, 'an Office document')
  const format = mainParts.find(([, contentType]) => xml.includes(`"${contentType}"`))?.[0]
  if (format) await checkPart(await mainPart(files), format)
  return format
}

/** Returns the main document part of the package. Reading known attributes needs no XML parser. */
async function mainPart(files: ReadonlyMap<string, FileEntry>): Promise<FileEntry | undefined> {
  const relations = files.get('_rels/.rels')
  if (!relations) return undefined
  const xml = await readText(relations, 'an Office document')
  const tag = xml
    .match(/<Relationship\b[^<>]{0,4000}>/g)
    ?.find((one) => /Type="[^"]*\/(officeDocument|document)"/.test(one))
  return files.get(/Target="\/?([^"]+)"/.exec(tag ?? '')?.[1] ?? '')
}

/** Detects XPS and OpenXPS from the relationship that names the first page, whose type differs between the two. */
async function xpsFormat(files: ReadonlyMap<string, FileEntry>): Promise<FormatId | undefined> {
  const relations = files.get('_rels/.rels')
  if (!relations) return undefined
  // The part can be UTF-16, in which every second byte is zero.
  const xml = (await readText(relations, 'an XPS document')).replaceAll('\0', '')
  const tag = xml
    .match(/<Relationship\b[^<>]{0,4000}>/g)
    ?.find((one) => /Type="[^"]*\/fixedrepresentation"/.test(one))
  if (tag === undefined) return undefined
  const format = /Type="[^"]*[/.]openxps\.org\//.test(tag) ? 'oxps' : 'xps'
  const start = /Target="\/?([^"]+)"/.exec(tag)?.[1] ?? ''
  // Printer drivers write interleaved parts (Open Packaging Conventions, 9.1.4).
  await checkPart(files.get(start) ?? files.get(`${start}/[0].piece`), format)
  return format
}

async function epubFormat(files: ReadonlyMap<string, FileEntry>): Promise<FormatId | undefined> {
  const container = files.get('META-INF/container.xml')
  const declared = files.get('mimetype')
  if (!declared || !(await readText(declared, 'an EPUB book')).startsWith('application/epub+zip'))
    return undefined
  if (!container) throw corruptFileError('an EPUB book', 'the part that names its content is missing')
  const root = /full-path\s*=\s*["']([^"']+)["']/.exec(await readText(container, 'an EPUB book'))?.[1]
  await checkPart(files.get(root ?? ''), 'epub')
  const encryption = files.get('META-INF/encryption.xml')
  if (encryption && isProtectedEpub(await readText(encryption, 'an EPUB book'))) throw drmError()
  return 'epub'
}

async function openDocumentFormat(files: ReadonlyMap<string, FileEntry>): Promise<FormatId | undefined> {
  const declared = files.get('mimetype')
  const mime = declared
    ? (await readText(declared, 'an OpenDocument file')).trim()
    : await manifestType(files)
  if (mime === undefined) return undefined
  const format = formats.find((row) => row.mimeTypes[0] === mime)
  if (!format && declared) throw unsupportedFormatError(mime.slice(0, 80))
  if (!format) return undefined
  // LibreOffice writes this since 24.8.
  if (files.has('encrypted-package')) throw documentProtectionUnknown()
  await checkPart(files.get('content.xml'), format.id)
  return format.id
}

function unsupportedFormatError(mime: string): AppError {
  const sentence = `The format of the file is not supported: its declared type is ${mime}.`
  return new AppError('UNSUPPORTED_FORMAT', sentence, { field: 'file', looksLike: mime })
}

/** Returns whether the manifest lists encrypted parts (OpenDocument, part 2, 4.16). */
async function isEncrypted(files: ReadonlyMap<string, FileEntry>): Promise<boolean> {
  const manifest = files.get('META-INF/manifest.xml')
  if (!manifest || !files.has('mimetype')) return false
  return (await readText(manifest, 'an OpenDocument file')).includes('encryption-data')
}

/** Returns the type in the manifest: files of OpenOffice 1 have no `mimetype` entry. */
async function manifestType(files: ReadonlyMap<string, FileEntry>): Promise<string | undefined> {
  const manifest = files.get('META-INF/manifest.xml')
  if (!manifest) return undefined
  const xml = await readText(manifest, 'an OpenDocument file')
  const root = xml
    .match(/<manifest:file-entry\b[^<>]{0,4000}>/g)
    ?.find((tag) => tag.includes('full-path="/"'))
  return /media-type="([^"]*)"/.exec(root ?? '')?.[1]
}

/** Apple's three formats contain the same parts, so only the extension distinguishes them. */
function iWorkFormat(files: ReadonlyMap<string, FileEntry>, name: string): FormatId | undefined {
  if (!files.has('Index/Document.iwa') && !files.has('index.apxl') && !files.has('index.xml'))
    return undefined
  const extension = name.slice(name.lastIndexOf('.') + 1).toLowerCase()
  return (['pages', 'numbers', 'key'] as const).find((id) => id === extension)
}

/** Detects a UFO font by two files in one folder, see https://unifiedfontobject.org/versions/ufo3/. */
function ufoFormat(files: ReadonlyMap<string, FileEntry>): FormatId | undefined {
  const home = [...files.keys()]
    .find((name) => /(?:^|\/)metainfo\.plist$/.test(name))
    ?.replace('metainfo.plist', '')
  return home !== undefined && files.has(`${home}glyphs/contents.plist`) ? 'ufo' : undefined
}

async function readText(entry: FileEntry, kind: string): Promise<string> {
  if (entry.uncompressedSize > maxTextBytes) throw corruptFileError(kind, 'its description is far too large')
  try {
    return await entry.getData(new TextWriter(), { checkSignature: true })
  } catch {
    throw corruptFileError(kind, 'its description cannot be unpacked')
  }
}

/** Unpacks the part with the text, so that a damaged file is rejected immediately instead of after a wait. */
async function checkPart(entry: FileEntry | undefined, format: FormatId): Promise<void> {
  const kind = `a ${formatById(format).name} (${format})`
  if (!entry) throw corruptFileError(kind, 'the part with its content is missing')
  if (entry.uncompressedSize > maxMainPartBytes) return
  try {
    await entry.getData(new Uint8ArrayWriter(), { checkSignature: true })
  } catch {
    throw corruptFileError(kind, 'the part with its content is damaged')
  }
}
