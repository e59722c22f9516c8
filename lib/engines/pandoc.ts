import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as z from 'zod'
import { AppError } from '../errors.ts'
import { type FormatId, formatById } from '../formats/index.ts'
import { makeBook, titleFromName } from './calibre/book.ts'
import {
  BookOptions,
  bookArgs,
  bookShape,
  epubArgs,
  hasBookOptions,
  unheldOptions,
} from './calibre/options.ts'
import type { Capability, Engine, InputFile, Result, Tools, Work } from './engine.ts'
import { rowsAsParagraphs } from './pandoc/book-tables.ts'
import { keysOfCitations } from './pandoc/citations.ts'
import { infoAsText } from './pandoc/docbook-info.ts'
import {
  references,
  type SourceId,
  sourceIds,
  sourceOf,
  type TargetId,
  targetIds,
  targetOf,
} from './pandoc/formats.ts'
import { makeSound } from './pandoc/links.ts'
import { mailCapability, mailToPage } from './pandoc/mail.ts'
import { requireReadableMarkdown } from './pandoc/markdown-limits.ts'
import { makeOutline, unwrapSections } from './pandoc/outline.ts'
import { forgetMaker, printStyle } from './pandoc/page-look.ts'
import { rawCellsAsText } from './pandoc/raw-cells.ts'
import { tellRawParts } from './pandoc/raw-parts.ts'
import { withAsides, withHeaderRows, withLinks } from './pandoc/readable.ts'
import { cellsAsLines, tablesAsLines } from './pandoc/tables.ts'
import { tellTemplates } from './pandoc/templates.ts'
import { tellSkipped, withKnownCommands } from './pandoc/tex-commands.ts'
import { setTitle, settleTitle, titleOf } from './pandoc/title.ts'
import {
  hasRawHtml,
  headersToRows,
  keepDescriptiveMeta,
  plainText,
  removeBoxes,
  removeRaw,
  settlePictures,
  Tree,
} from './pandoc/tree.ts'
import { keepUnwritten } from './pandoc/unwritten.ts'
import { EngineCrash } from './sandbox/engine-crash.ts'
import { ProcessFailure } from './sandbox/exec.ts'
import { utf8Copy } from './text/encoding.ts'
import { readingAny } from './text/reading.ts'
import { TableOptions } from './text/table-options.ts'
import { wholeText } from './text/word-text.ts'
import { unknownFeature } from './unknown-feature.ts'

/**
 * Seconds, and penalties: the office and calibre keep the look of documents that have one. Two steps of pandoc cost
 * more than one, and a way through a book or a page of its own no less than the straight one.
 */
const cost = {
  ...{ markup: 0.4, book: 0.35, office: 0.7, pageToOffice: 1.3, pageToBook: 1.25, officeToBook: 2.2 },
  // Its readers of these leave out boxes and notes that it finds in a Word document made of them.
  poorlyRead: 1.9,
}
const office: readonly FormatId[] = ['docx', 'odt', 'rtf', 'csv', 'txt', 'pptx', 'html']
const books: readonly FormatId[] = ['epub', 'fb2']
const webPages: readonly FormatId[] = ['html', 'xhtml']
const referenceIds = ['bib', 'csljson'] as const
const noOptions = z.object({})
const bookOptions = z.object(bookShape)

const officeTargets = targetIds.filter((id) => office.includes(id))
const markupTargets = targetIds.filter((id) => !office.includes(id) && !books.includes(id))
const withLook = sourceIds.filter((id) => ['docx', 'odt', 'rtf'].includes(id))
const poorlyRead: readonly FormatId[] = ['odt', 'rtf']
/** For these the plan goes a longer way, see `isWorthAWay`. */
const byWord: readonly FormatId[] = ['md', 'txt', 'rst', 'adoc', 'tex']
const markup = sourceIds.filter((id) => ![...withLook, 'html', 'csv'].includes(id))

function without(ids: readonly FormatId[], ...left: readonly FormatId[]): FormatId[] {
  return ids.filter((id) => !left.includes(id))
}

const row = (from: readonly FormatId[], to: readonly FormatId[], seconds: number): Capability => ({
  operation: 'convert',
  from,
  to,
  options: to === books ? bookOptions : noOptions,
  cost: seconds,
})

const layout =
  'The layout of pages was left out: text, headings, lists, tables, notes and pictures were kept.'

/** Of the others the letters are encoded in one way only. */
const texts = sourceIds.filter((id) => !sourceOf(id).binary && id !== 'rtf')

const capabilities: readonly Capability[] = [
  row(without(sourceIds, ...poorlyRead), markupTargets, cost.markup),
  row(poorlyRead, without(markupTargets, ...byWord), cost.markup),
  row(markup, officeTargets, cost.markup),
  { ...row(['docx', 'csv'], without(officeTargets, 'txt'), cost.office), drops: layout },
  { ...row(poorlyRead, without(officeTargets, 'txt'), cost.poorlyRead), drops: layout },
  row(['docx', 'csv'], ['txt'], cost.office),
  row(poorlyRead, byWord, cost.poorlyRead),
  row(['html'], officeTargets, cost.pageToOffice),
  row([...markup, 'csv'], books, cost.book),
  row(['html'], books, cost.pageToBook),
  { ...row(withLook, books, cost.officeToBook), drops: layout },
  row(referenceIds, referenceIds, cost.markup),
  mailCapability,
].flatMap(readingAny(texts))

/** Documents that are marked up text, into each other and into books, and mails as pages. */
export const pandoc: Engine = {
  id: 'pandoc',
  image: 'document',
  capabilities,
  limits: { memoryMb: 3008, diskMb: 2048, timeoutS: 600 },
  version: ['pandoc', '--version'],
  run,
}

async function run(work: Work, tools: Tools): Promise<Result> {
  if (work.from === 'eml') return mailToPage(work, tools)
  const [given] = work.inputs
  const from = sourceIds.find((id) => id === work.from)
  if (!given || !from) throw new Error(`pandoc was asked for ${work.from}, which it does not declare.`)
  const input = await lettersOf(given, from, work, tools)
  const path = join(work.outDir, `result.${formatById(work.to).extensions[0]}`)
  if (isReference(work.from) && isReference(work.to)) {
    const args = ['-s', '-f', references[work.from], '-t', references[work.to], '-o', path]
    await read(args, input, from, tools)
  } else {
    await viaTree(work, input, from, path, tools).catch((error: unknown) => {
      // Of the stack: the tree nests deeper than any author writes.
      throw error instanceof RangeError ? unknownFeature(from, 'parts nested thousands deep', error) : error
    })
  }
  tools.progress(1)
  return { files: [{ path }] }
}

/** In UTF-8, all that it reads; a table with commas, a document of an office with all of its text. */
async function lettersOf(
  input: InputFile,
  from: SourceId,
  { to, options }: Work,
  tools: Tools,
): Promise<InputFile> {
  if (from === 'docx') return wholeText(input, tools)
  if (from === 'odt') return withHeaderRows(input, tools)
  if (from === 'rtf') return withLinks(input, tools)
  if (from === 'epub') return withAsides(input, tools)
  if (sourceOf(from).binary) return input
  const wanted = TableOptions.parse(options)
  if (from !== 'csv') {
    const path = await utf8Copy(input, tools, wanted)
    if (from === 'md' || from === 'mmd') await requireReadableMarkdown(path, from)
    const letters = { ...input, path }
    if (from === 'tex') return withKnownCommands(letters, tools)
    if (from === 'dbk' || from === 'xml') return infoAsText(letters, tools)
    if (from === 'ipynb') return rawCellsAsText(letters, to, tools)
    return from === 'fb2' ? rowsAsParagraphs(letters, tools) : letters
  }
  const { tableCopy } = await import('./text/table.ts')
  return { ...input, path: (await tableCopy(input, wanted, tools)).path }
}

function isReference(id: FormatId): id is keyof typeof references {
  return id in references
}

/** A book takes seconds; macros and anchors that multiply never end. */
const readLimitS = 180
const boxless: readonly FormatId[] = ['md', 'mmd', 'opml', 'fb2']
const treeFile = 'tree.json'
const mediaFolder = 'media'

/**
 * The document is read in pandoc's own sandbox, where includes find no file. Some writers need files of the
 * installation and so run outside it: what they get names no file but the pictures that came with the document.
 */
async function viaTree(
  work: Work,
  input: InputFile,
  from: SourceId,
  path: string,
  tools: Tools,
): Promise<void> {
  const target = targetIds.find((id) => id === work.to)
  if (!target) throw new Error(`pandoc was asked for ${work.to}, which it does not declare.`)
  const { writer, pictures, args = [], titleAsHeading, needsTitle } = targetOf(target)
  const tree = await treeOf(input, from, work, tools)
  tools.progress(0.5, 'read')
  keepDescriptiveMeta(tree)
  if (pictures === 'packed') removeRaw(tree)
  fit(tree, from, target)
  settleTitle(tree, target, titleAsHeading === true)
  if (target === 'opml') makeOutline(tree, titleOf(tree) || titleFromName(input.filename))
  if (needsTitle && plainText(tree.meta['title']) === '') {
    const title = titleOf(tree) || titleFromName(input.filename)
    setTitle(tree, webPages.includes(target) ? 'pagetitle' : 'title', title)
  }
  const dropped = await settlePictures(tree, {
    pictures,
    keepsLinks: target !== 'ipynb',
    mediaDir: join(tools.workDir, mediaFolder),
    workDir: tools.workDir,
  })
  if (dropped > 0) tellDropped(dropped, work.to, tools)
  await writeFile(join(tools.workDir, treeFile), JSON.stringify(tree))
  const options = BookOptions.parse(work.options)
  const polished = hasBookOptions(options)
  const book = polished ? join(tools.workDir, 'book.epub') : path
  const confined = pictures === 'packed' || polished ? [] : ['--sandbox']
  const wanted = polished ? 'epub3' : writer
  const look = await lookOf(target, tools)
  await write(
    [...confined, '-s', '--wrap=none', '-f', 'json', '-t', wanted, ...args, ...look, '-o', book],
    work.to,
    tools,
  )
  if (webPages.includes(target)) await forgetMaker(path)
  if (polished) await polish(book, path, options, work.to, tools)
}

/** Brings a document into the shape that a writer makes the best of. */
function fit(tree: Tree, from: SourceId, target: TargetId): void {
  if (target !== 'ipynb' && target !== 'pjson' && target !== 'native') unwrapSections(tree)
  // Some writers leave out the box of references with all that is in it, or the text after a boxed heading.
  if (boxless.includes(target) || isReference(from)) removeBoxes(tree)
  keepUnwritten(tree, target)
  if (target === 'txt') tablesAsLines(tree)
  if (target === 'markua' || target === 'muse') cellsAsLines(tree)
  if (target === 'epub') makeSound(tree)
}

async function lookOf(target: FormatId, { workDir }: Tools): Promise<string[]> {
  if (!webPages.includes(target)) return []
  const path = join(workDir, 'print.html')
  await writeFile(path, printStyle)
  return ['-H', path]
}

function tellDropped(count: number, to: FormatId, tools: Tools): void {
  const many = count === 1 ? 'A picture was' : `${count} pictures were`
  tools.warn(
    'PICTURES_DROPPED',
    `${many} left out: not part of the file that was sent, or ${to} cannot hold one.`,
  )
}

/** The options of books are calibre's, whoever wrote the book. */
async function polish(book: string, path: string, options: BookOptions, to: FormatId, tools: Tools) {
  const args = [...(to === 'epub' ? epubArgs : []), ...bookArgs(options)]
  await makeBook({ source: { path: book, format: 'epub' }, target: path, args }, tools)
  for (const name of unheldOptions(options, to)) {
    tools.warn('OPTION_NOT_HELD', `${name} has no effect: a ${to} leaves the look to the reader's device.`)
  }
}

async function treeOf(input: InputFile, from: SourceId, { to, options }: Work, tools: Tools): Promise<Tree> {
  const path = join(tools.workDir, treeFile)
  const { reader, args = [] } = await readerOf(input, from)
  const media = [`--extract-media=${mediaFolder}`, '-t', 'json', '-o', path]
  await read(['-f', reader, ...args, ...media], input, from, tools)
  const tree = await parsed(path, from)
  keysOfCitations(tree, to)
  tellTemplates(tree, to, tools)
  const isWhole = to === 'html' || to === 'md' || to === 'mmd' || !hasRawHtml(tree)
  tellRawParts(tree, isWhole ? to : undefined, tools)
  if (from === 'csv' && TableOptions.parse(options).headers === false) headersToRows(tree)
  if (isWhole) return tree
  // Tables and pictures that the author wrote as HTML are read as such.
  const page = join(tools.workDir, 'page.html')
  const carried = `--extract-media=${mediaFolder}`
  await read(
    ['-f', reader, ...args, carried, '-s', '-t', 'html5', '--mathml', '-o', page],
    input,
    from,
    tools,
  )
  await read(['-f', 'html', ...media], { ...input, path: page }, 'html', tools)
  const { meta } = tree
  return { ...(await parsed(path, from)), meta }
}

/** XML of journals is called .xml as often as any other. */
async function readerOf(input: InputFile, from: SourceId) {
  if (from !== 'xml') return sourceOf(from)
  const head = (await readFile(input.path)).toString('latin1', 0, 4096)
  return sourceOf(
    /<!doctype[^>]*\bJATS\b|<article[^>]*\s(?:article-type|dtd-version)=/i.test(head) ? 'jats' : 'dbk',
  )
}

async function parsed(path: string, from: SourceId): Promise<Tree> {
  const tree = Tree.safeParse(JSON.parse(await readFile(path, 'utf8')))
  if (!tree.success) throw corrupt(from)
  return tree.data
}

async function read(args: readonly string[], input: InputFile, from: SourceId, tools: Tools): Promise<void> {
  const { path } = input
  // Its reader takes any bytes for text.
  if (from === 'rtf' && !(await readFile(path)).subarray(0, 64).includes('{\\rtf')) throw corrupt(from)
  try {
    const telling = from === 'tex' ? ['--verbose'] : []
    const all = ['--sandbox', ...telling, ...args, path]
    const { stderr } = await tools.exec('pandoc', all, { timeoutS: readLimitS })
    tellIncludes(stderr, tools)
    if (from === 'tex') tellSkipped(stderr, await readFile(path, 'utf8'), tools)
  } catch (error) {
    if (error instanceof ProcessFailure && /not found in resource path/.test(error.stderr)) {
      const sentence =
        'The document includes another file, which is not part of it. Put its text in, or remove the line.'
      throw new AppError(
        'INVALID_INPUT',
        sentence,
        { field: 'file', reason: 'includes-file' },
        { cause: error },
      )
    }
    if (ranOutOfMemory(error)) throw tooLarge(from, error)
    if (error instanceof ProcessFailure || error instanceof EngineCrash) throw corrupt(from, error)
    throw error
  }
}

/** What GHC's programs say, whose document is many times larger in memory than in its file. */
const ranOutOfMemory = (error: unknown) =>
  error instanceof ProcessFailure && /out of memory|heap exhausted|cannot allocate memory/i.test(error.stderr)

function tooLarge(from: FormatId, cause: unknown): AppError {
  const sentence = `The ${formatById(from).name} (${from}) has more in it than fits into the memory that a conversion gets. Split it into smaller ones.`
  return new AppError('FILE_TOO_LARGE', sentence, { field: 'file', format: from }, { cause })
}

/** Readers of some formats go on without them. */
function tellIncludes(stderr: string, tools: Tools): void {
  const count = stderr.match(/\[WARNING\] Could not load include file/g)?.length ?? 0
  if (count === 0) return
  const files =
    count === 1
      ? 'Another file that the document includes was'
      : `${count} files that the document includes were`
  tools.warn('INCLUDES_DROPPED', `${files} left out: not part of the file that was sent.`)
}

async function write(args: readonly string[], to: FormatId, tools: Tools): Promise<void> {
  try {
    await tools.exec('pandoc', [...args, join(tools.workDir, treeFile)])
  } catch (error) {
    if (!(error instanceof ProcessFailure || error instanceof EngineCrash)) throw error
    const sentence = `The document could be read, but not written as ${to}.`
    throw new AppError('CONVERSION_FAILED', sentence, { to }, { cause: error })
  }
}

function corrupt(from: FormatId, cause?: Error): AppError {
  const sentence = `The ${formatById(from).name} (${from}) could not be read: it is damaged, or no document of that kind.`
  return new AppError('CORRUPT_FILE', sentence, { field: 'file', format: from }, { cause })
}
