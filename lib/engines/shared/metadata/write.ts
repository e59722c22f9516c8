import { rename } from 'node:fs/promises'
import { join } from 'node:path'
import { AppError } from '../../../errors.ts'
import { type FormatId, formatById } from '../../../formats/index.ts'
import type { EngineResult, EngineWork, InputFile, Tools } from '../../engine.ts'
import { openEditable, requireUnsigned, warnAboutLockedAttachments } from '../../pdf/tools/editable-pdf.ts'
import { rewriteMetadata } from '../../pdf/tools/metadata.ts'
import { ProcessFailure } from '../../sandbox/exec.ts'
import { PdfWriteOptions } from './capabilities.ts'
import { readExiftoolVersion, runExiftool, toExifDate } from './exiftool.ts'
import { getRequestedFields, type MetadataName, MetadataOptions } from './options.ts'
import { writeWebp } from './webp.ts'

/** Writes the metadata of a file; its pixels or pages stay unchanged bit for bit. */
export async function writeFileMetadata(work: EngineWork, tools: Tools): Promise<EngineResult> {
  const [input] = work.inputs
  if (!input) throw new Error('metadata/write was called without an input.')
  const write = work.from === 'pdf' ? writePdfMetadata : writeImageMetadata
  const result = await write(work, input, tools)
  return { ...result, program: { name: 'exiftool', version: await readExiftoolVersion(tools) } }
}

type TagNames = Readonly<Partial<Record<MetadataName, readonly string[]>>>

/**
 * Tags of each field. An `MWG` tag of exiftool writes all tags that the Metadata Working Group's guidelines 2.0 keep in
 * sync: EXIF, XMP, and IPTC if present. exiftool ignores groups that a format does not have.
 */
const imageTags: TagNames = {
  title: ['XMP-dc:Title', 'IFD0:XPTitle', 'PNG:Title'],
  author: ['MWG:Creator', 'PNG:Author'],
  subject: ['IFD0:XPSubject'],
  description: ['MWG:Description', 'PNG:Description'],
  keywords: ['MWG:Keywords'],
  copyright: ['MWG:Copyright', 'PNG:Copyright'],
  creationDate: ['MWG:DateTimeOriginal', 'PNG:CreationTime'],
}

/** A PDF stores each text twice, see `rewriteMetadata`. */
const pdfTags: TagNames = {
  title: ['PDF:Title', 'XMP-dc:Title'],
  author: ['PDF:Author', 'XMP-dc:Creator'],
  subject: ['PDF:Subject', 'XMP-dc:Description'],
  keywords: ['PDF:Keywords', 'XMP-pdf:Keywords'],
  copyright: ['XMP-dc:Rights'],
  creationDate: ['PDF:CreateDate', 'XMP-xmp:CreateDate'],
}

function buildTagArgs(fields: ReadonlyMap<MetadataName, string>, tagNames: TagNames): string[] {
  return [...fields].flatMap(([name, text]) =>
    (tagNames[name] ?? []).flatMap((tag) => splitValues(name, tag, text).map((value) => `-${tag}=${value}`)),
  )
}

function splitValues(name: MetadataName, tag: string, text: string): string[] {
  if (name === 'creationDate') return [toExifDate(text)]
  if (tag !== 'MWG:Keywords' || text === '') return [text]
  const words = text.split(',').map((word) => word.trim())
  return words.filter((word) => word !== '')
}

async function writePdfMetadata(work: EngineWork, input: InputFile, tools: Tools): Promise<EngineResult> {
  const options = PdfWriteOptions.parse(work.options)
  const pdf = await openEditable(input, options.password, tools)
  await requireUnsigned([pdf], options)
  warnAboutLockedAttachments(pdf, tools)
  const fields = getRequestedFields(options)
  const description = fields.get('description')
  if (description !== undefined) {
    if (fields.has('subject'))
      tools.warn(
        'METADATA_NOT_KEPT',
        'A PDF has a single field for subject and description; it contains the subject.',
      )
    else fields.set('subject', description)
  }
  const lines = [...(options.strip ? ['-all='] : []), ...buildTagArgs(fields, pdfTags)]
  return rewriteMetadata({ pdf, options, work, tools }, lines)
}

/** Tags that affect how the image looks and are not personal. */
const preservedTags = ['-tagsFromFile', '@', '-ColorSpace', '-Gamma', '-InteropIndex', '-Orientation']
const stripArgs = ['-all=', '--ICC_Profile:all', '-CommonIFD0=', ...preservedTags]

async function writeImageMetadata(
  { from, options: fields, outDir }: EngineWork,
  input: InputFile,
  tools: Tools,
): Promise<EngineResult> {
  const options = MetadataOptions.parse(fields)
  const lines = buildTagArgs(getRequestedFields(options), imageTags)
  const path = join(outDir, `output.${formatById(from).extensions[0]}`)
  try {
    if (from === 'webp') await rename(await writeWebp(input.path, lines, options.strip, tools), path)
    else await runExiftool([...(options.strip ? stripArgs : []), ...lines, '-o', path, input.path], tools)
  } catch (error) {
    throw error instanceof ProcessFailure ? createCorruptMetadataError(from, options.strip, error) : error
  }
  tools.progress(1)
  return { files: [{ path }] }
}

function createCorruptMetadataError(from: FormatId, strip: boolean, cause: ProcessFailure): AppError {
  const hint = strip ? 'Send it again.' : 'Set strip to remove the existing metadata first.'
  const message = `The ${formatById(from).name} (${from}) or its metadata is damaged. ${hint}`
  return new AppError('CORRUPT_FILE', message, { field: 'file', format: from }, { cause })
}
