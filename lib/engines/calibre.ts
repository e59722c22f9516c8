import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as z from 'zod'
import { type FormatId, formatById } from '../formats/index.ts'
import { comicAsPdf, comicAsZip, unreadable } from './calibre/comic.ts'
import { type BookTitle, createBookMakers, makeBook, titleFromName } from './calibre/ebook.ts'
import { BookOptions, bookArgs, bookShape, epubArgs, unheldOptions } from './calibre/options.ts'
import type { Capability, Engine, EngineResult, EngineWork, InputFile, Tools } from './engine.ts'
import type { Prestarter } from './sandbox/prestarted-process.ts'
import { allowedBytes, mostEntries, tooLarge, tooMany } from './seven-zip/limits.ts'
import { encoding } from './text/charsets.ts'
import { utf8Copy } from './text/read-text.ts'
import { readingAny } from './text/text-options.ts'
import { wholeText } from './text/word-text.ts'

const kindle = ['epub', 'mobi', 'azw3', 'fb2'] as const
const books = [
  ...kindle,
  ...['azw', 'fbz', 'htmlz', 'txtz', 'lit', 'lrf', 'pdb', 'pmlz', 'rb', 'tcr'],
] as const
const comics: readonly FormatId[] = ['cbz', 'cbr', 'cb7', 'cbt']
/** Formats with styles, to which the layout options apply. */
const styled: readonly FormatId[] = [...kindle, 'lit', 'lrf', 'htmlz']
const plain: readonly FormatId[] = ['pdb', 'pmlz', 'rb', 'snb', 'tcr', 'txtz']
const texts: readonly FormatId[] = ['docx', 'rtf', 'txt']
const illustrated: readonly FormatId[] = ['epub', 'mobi', 'azw3', 'fb2', 'lit', 'lrf', 'htmlz']

/**
 * Seconds in a warm process, plus penalties: other programs do not recognize the tables in calibre's Word documents, so
 * that other text targets are reached through EPUB, and PDF sources lose tables and columns.
 */
const cost = { book: 1.2, text: 1.25, comic: 1.5, pdf: 8 }

const row = (
  from: readonly FormatId[],
  to: readonly FormatId[],
  shape: z.ZodRawShape,
  seconds: number,
): Capability => ({ operation: 'convert', from, to, options: z.object(shape), cost: seconds })

const { ebookOutputProfile } = bookShape

const capabilities: readonly Capability[] = [
  { ...row(kindle, kindle, bookShape, cost.book), same: true as const },
  row(kindle, ['lit', 'lrf', 'htmlz'], bookShape, cost.book),
  row(
    books.filter((id) => !isKindle(id)),
    styled,
    bookShape,
    cost.book,
  ),
  row(books, plain, {}, cost.book),
  row(books, texts, {}, cost.text),
  row(['docx', 'odt', 'txt'], styled, bookShape, cost.book),
  row(['docx', 'odt', 'txt'], plain, {}, cost.book),
  row(['pdf'], styled, bookShape, cost.pdf),
  row(['pdf'], plain, {}, cost.pdf),
  row(comics, illustrated, { ebookOutputProfile }, cost.comic),
  row(comics, ['pdf'], {}, cost.comic),
].flatMap(readingAny(['txt']))

const limits = { memoryMb: 3008, diskMb: 2048, timeoutS: 600 }

/** Converts between ebook formats, and documents to ebooks. `baseDir` is best on the same disk as the work folders. */
export function createCalibre({ baseDir = tmpdir() }: { readonly baseDir?: string } = {}): Engine {
  const makers = createBookMakers(baseDir, limits)
  return {
    id: 'calibre',
    image: 'document',
    capabilities,
    limits,
    version: ['ebook-convert', '--version'],
    run: (work, tools) => run(work, makers, tools),
    close: () => makers.close(),
  }
}

export const calibre = createCalibre()

function isKindle(id: FormatId): boolean {
  return kindle.some((one) => one === id)
}

async function run(work: EngineWork, makers: Prestarter, tools: Tools): Promise<EngineResult> {
  const [given] = work.inputs
  if (!given) throw new Error('calibre was called without an input.')
  const options = BookOptions.parse(work.options)
  const isComic = comics.includes(work.from)
  if (zipped.includes(work.from) || isComic) await checkSize(given, tools)
  const input = work.from === 'docx' ? await wholeText(given, tools) : given
  const path = join(work.outDir, `result.${formatById(work.to).extensions[0]}`)
  const source = await sourceOf(work, input, tools)
  if (isComic && work.to === 'pdf') {
    const pages = await comicAsPdf(source, path, work.from, tools)
    return { files: [{ path }], details: { pages } }
  }
  await makeBook(
    {
      source: { path: source, format: work.from },
      target: path,
      args: [...sourceArgs(work.from, options), ...targetArgs(work.to), ...bookArgs(options)],
      title: titleOf(input),
      onProgress: (ratio) => tools.progress(0.1 + 0.85 * ratio),
    },
    tools,
    makers,
  )
  for (const name of unheldOptions(options, work.to)) {
    tools.warn(
      'OPTION_NOT_HELD',
      `${name} has no effect: a ${work.to} leaves the look to the reader's device.`,
    )
  }
  tools.progress(1)
  return { files: [{ path }] }
}

async function sourceOf({ from, options }: EngineWork, input: InputFile, tools: Tools): Promise<string> {
  if (comics.includes(from)) return comicAsZip(input, tools)
  return from === 'txt' ? utf8Copy(input, tools, z.object({ encoding }).parse(options)) : input.path
}

/** By default, calibre would interpret plain text as Markdown or Textile, which can reference files. */
function sourceArgs(from: FormatId, { ebookOutputProfile: profile }: BookOptions): string[] {
  if (from === 'txt') return ['--formatting-type=plain', '--input-encoding=utf-8']
  // Otherwise pages become small and gray, which is right only if a device profile was requested.
  if (comics.includes(from)) return profile === undefined ? ['--no-process'] : ['--dont-grayscale']
  return []
}

function targetArgs(to: FormatId): readonly string[] {
  return to === 'epub' ? epubArgs : []
}

/** Formats that always have a title; most others may have one, and `untitled` formats never do. */
const titled: readonly FormatId[] = ['epub', 'mobi', 'azw3', 'azw', 'fb2', 'fbz', 'lit', 'lrf']
const untitled: readonly FormatId[] = ['txt', ...comics]

function titleOf({ format, filename }: InputFile): BookTitle | undefined {
  if (titled.includes(format)) return undefined
  return { text: titleFromName(filename), isSpare: !untitled.includes(format) }
}

const zipped: readonly FormatId[] = ['epub', 'fbz', 'htmlz', 'txtz', 'pmlz', 'docx', 'odt']

/** Checks the declared sizes, because calibre unpacks the whole archive. */
async function checkSize(input: InputFile, tools: Tools): Promise<void> {
  const limit = allowedBytes(input.size)
  try {
    const { stdout } = await tools.exec('bsdtar', ['-tvf', input.path])
    const lines = stdout.split('\n')
    if (lines.length > mostEntries) throw tooMany()
    // Columns: mode, links, owner, group, size.
    const bytes = lines.reduce((sum, line) => sum + Number(line.trim().split(/\s+/)[4] ?? 0), 0)
    if (!(bytes <= limit)) throw tooLarge(limit)
  } catch (error) {
    throw unreadable(error, input.format)
  }
}
