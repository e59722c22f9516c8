import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as z from 'zod'
import { AppError } from '../errors.ts'
import { type FormatId, formatById } from '../formats/index.ts'
import { makeBook, titleFromName } from './calibre/ebook.ts'
import {
  BookOptions,
  bookArgs,
  bookShape,
  epubArgs,
  hasBookOptions,
  unheldOptions,
} from './calibre/options.ts'
import type { Capability, Engine, EngineResult, EngineWork, InputFile, Tools } from './engine.ts'
import { mailCapability, mailToPage } from './pandoc/email.ts'
import { makeSound } from './pandoc/epub-validity.ts'
import {
  references,
  type SourceId,
  sourceIds,
  sourceOf,
  type TargetId,
  targetIds,
  targetOf,
} from './pandoc/formats.ts'
import { makeOutline, unwrapSections } from './pandoc/outline.ts'
import { lettersOf, mediaFolder, read, treeFile, treeOf } from './pandoc/read-tree.ts'
import { cellsAsLines, tablesAsLines } from './pandoc/tables.ts'
import { setTitle, settleTitle, titleOf } from './pandoc/title.ts'
import {
  keepDescriptiveMeta,
  plainText,
  removeBoxes,
  removeRaw,
  settlePictures,
  type Tree,
} from './pandoc/tree.ts'
import { keepUnwritten } from './pandoc/unsupported-nodes.ts'
import { forgetMaker, printStyle } from './pandoc/web-page-output.ts'
import { EngineCrash } from './sandbox/engine-crash.ts'
import { ProcessFailure } from './sandbox/exec.ts'
import { readingAny } from './text/text-options.ts'
import { unsupportedFeature } from './unsupported-feature.ts'

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

async function run(work: EngineWork, tools: Tools): Promise<EngineResult> {
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
      throw error instanceof RangeError
        ? unsupportedFeature(from, 'parts nested thousands deep', error)
        : error
    })
  }
  tools.progress(1)
  return { files: [{ path }] }
}

function isReference(id: FormatId): id is keyof typeof references {
  return id in references
}

const boxless: readonly FormatId[] = ['md', 'mmd', 'opml', 'fb2']
/**
 * The document is read in pandoc's own sandbox, where includes find no file. Some writers need files of the
 * installation and so run outside it: what they get names no file but the pictures that came with the document.
 */
async function viaTree(
  work: EngineWork,
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

async function write(args: readonly string[], to: FormatId, tools: Tools): Promise<void> {
  try {
    await tools.exec('pandoc', [...args, join(tools.workDir, treeFile)])
  } catch (error) {
    if (!(error instanceof ProcessFailure || error instanceof EngineCrash)) throw error
    const sentence = `The document could be read, but not written as ${to}.`
    throw new AppError('CONVERSION_FAILED', sentence, { to }, { cause: error })
  }
}
