import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as z from 'zod'
import {
  createArchiveTooLargeError,
  createTooManyEntriesError,
  getMaxUnpackedBytes,
  maxEntries,
} from '../formats/archive-limits.ts'
import { type FormatId, formatById } from '../formats/index.ts'
import { convertComicToPdf, convertComicToZip, createUnreadableComicError } from './calibre/comic.ts'
import { convertEbook, createTitle, type EbookTitle } from './calibre/ebook.ts'
import { createEbookConverters, createEbookHost } from './calibre/host.ts'
import { EbookOptions, ebookOptionShape, epubArgs } from './calibre/options.ts'
import type { Capability, Engine, EngineResult, EngineWork, InputFile, Tools } from './engine.ts'
import { encodingOption } from './shared/text/charsets.ts'
import { copyAsUtf8 } from './shared/text/read-text.ts'
import { withTextOptions } from './shared/text/text-options.ts'
import { inlineWordText } from './shared/text/word-text.ts'

const kindleFormats = ['epub', 'mobi', 'azw3', 'fb2'] as const
const ebookFormats = [
  ...kindleFormats,
  ...['azw', 'fbz', 'htmlz', 'txtz', 'lit', 'lrf', 'pdb', 'pmlz', 'rb', 'tcr'],
] as const
const comicFormats: readonly FormatId[] = ['cbz', 'cbr', 'cb7', 'cbt']
/** Formats with styles, to which the layout options apply. */
const styledFormats: readonly FormatId[] = [...kindleFormats, 'lit', 'lrf', 'htmlz']
const plainFormats: readonly FormatId[] = ['pdb', 'pmlz', 'rb', 'snb', 'tcr', 'txtz']
const textFormats: readonly FormatId[] = ['docx', 'rtf', 'txt']
const illustratedFormats: readonly FormatId[] = ['epub', 'mobi', 'azw3', 'fb2', 'lit', 'lrf', 'htmlz']

/**
 * Seconds in a warm process, plus penalties. Word documents from calibre have tables that other programs do not
 * recognize, so other text targets are reached through EPUB. PDF sources lose tables and columns.
 */
const cost = { book: 1.2, text: 1.25, comic: 1.5, pdf: 8 }

const row = (
  from: readonly FormatId[],
  to: readonly FormatId[],
  shape: z.ZodRawShape,
  seconds: number,
): Capability => ({ operation: 'convert', from, to, options: z.object(shape), cost: seconds })

const { ebookOutputProfile } = ebookOptionShape

const capabilities: readonly Capability[] = [
  { ...row(kindleFormats, kindleFormats, ebookOptionShape, cost.book), same: true as const },
  row(kindleFormats, ['lit', 'lrf', 'htmlz'], ebookOptionShape, cost.book),
  row(
    ebookFormats.filter((id) => !isKindle(id)),
    styledFormats,
    ebookOptionShape,
    cost.book,
  ),
  row(ebookFormats, plainFormats, {}, cost.book),
  row(ebookFormats, textFormats, {}, cost.text),
  row(['docx', 'odt', 'txt'], styledFormats, ebookOptionShape, cost.book),
  row(['docx', 'odt', 'txt'], plainFormats, {}, cost.book),
  row(['pdf'], styledFormats, ebookOptionShape, cost.pdf),
  row(['pdf'], plainFormats, {}, cost.pdf),
  row(comicFormats, illustratedFormats, { ebookOutputProfile }, cost.comic),
  row(comicFormats, ['pdf'], {}, cost.comic),
].flatMap(withTextOptions(['txt']))

const limits = { memoryMb: 3008, diskMb: 2048, timeoutS: 600 }

/** Converts between ebook formats, and documents to ebooks. `baseDir` is best on the same disk as the work folders. */
export function createCalibre({ baseDir = tmpdir() }: { readonly baseDir?: string } = {}): Engine {
  const ebookConverters = createEbookConverters(baseDir, limits)
  return {
    id: 'calibre',
    image: 'document',
    capabilities,
    limits,
    version: ['ebook-convert', '--version'],
    host: createEbookHost(ebookConverters),
    run,
    close: () => ebookConverters.close(),
  }
}

export const calibre = createCalibre()

function isKindle(id: FormatId): boolean {
  return kindleFormats.some((format) => format === id)
}

async function run(work: EngineWork, tools: Tools): Promise<EngineResult> {
  const [originalFile] = work.inputs
  if (!originalFile) throw new Error('calibre was called without an input.')
  const options = EbookOptions.parse(work.options)
  const isComic = comicFormats.includes(work.from)
  if (zippedFormats.includes(work.from) || isComic) await checkSize(originalFile, tools)
  const input = work.from === 'docx' ? await inlineWordText(originalFile, tools) : originalFile
  // The host writes the result to the top level of the work folder.
  const path = join(tools.workDir, `ebook-result.${formatById(work.to).extensions[0]}`)
  const source = await prepareSource(work, input, tools)
  if (isComic && work.to === 'pdf') {
    const pages = await convertComicToPdf(source, path, work.from, tools)
    return { files: [{ path }], details: { pages } }
  }
  await convertEbook(
    {
      source: { path: source, format: work.from },
      target: path,
      to: work.to,
      args: [...createSourceArgs(work.from, options), ...createTargetArgs(work.to)],
      options,
      title: chooseTitle(input),
      onProgress: (ratio) => tools.progress(0.1 + 0.85 * ratio),
    },
    tools,
  )
  tools.progress(1)
  return { files: [{ path }] }
}

async function prepareSource({ from, options }: EngineWork, input: InputFile, tools: Tools): Promise<string> {
  if (comicFormats.includes(from)) return convertComicToZip(input, tools)
  return from === 'txt'
    ? copyAsUtf8(input, tools, z.object({ encoding: encodingOption }).parse(options))
    : input.path
}

/**
 * Returns arguments for the source format. By default, calibre would interpret plain text as Markdown or Textile, which
 * can reference files.
 */
function createSourceArgs(from: FormatId, { ebookOutputProfile: profile }: EbookOptions): string[] {
  if (from === 'txt') return ['--formatting-type=plain', '--input-encoding=utf-8']
  // By default, calibre makes pages small and gray, which is right only if a device profile was requested.
  if (comicFormats.includes(from)) return profile === undefined ? ['--no-process'] : ['--dont-grayscale']
  return []
}

function createTargetArgs(to: FormatId): readonly string[] {
  return to === 'epub' ? epubArgs : []
}

/** Formats that always have a title. Most other formats may have one; those in `formatsWithoutTitle` never do. */
const formatsWithTitle: readonly FormatId[] = ['epub', 'mobi', 'azw3', 'azw', 'fb2', 'fbz', 'lit', 'lrf']
const formatsWithoutTitle: readonly FormatId[] = ['txt', ...comicFormats]

function chooseTitle({ format, filename }: InputFile): EbookTitle | undefined {
  if (formatsWithTitle.includes(format)) return undefined
  return { text: createTitle(filename), isFallback: !formatsWithoutTitle.includes(format) }
}

const zippedFormats: readonly FormatId[] = ['epub', 'fbz', 'htmlz', 'txtz', 'pmlz', 'docx', 'odt']

/** Checks the declared sizes, because calibre unpacks the whole archive. */
async function checkSize(input: InputFile, tools: Tools): Promise<void> {
  const limit = getMaxUnpackedBytes(input.size)
  try {
    const { stdout } = await tools.exec('bsdtar', ['-tvf', input.path])
    const lines = stdout.split('\n')
    if (lines.length > maxEntries) throw createTooManyEntriesError()
    // Columns: mode, links, owner, group, size.
    const bytes = lines.reduce((sum, line) => sum + Number(line.trim().split(/\s+/)[4] ?? 0), 0)
    if (!(bytes <= limit)) throw createArchiveTooLargeError(limit)
  } catch (error) {
    throw createUnreadableComicError(error, input.format)
  }
}
