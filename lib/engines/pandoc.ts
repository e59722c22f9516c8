import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as z from 'zod'
import { AppError } from '../errors.ts'
import { type FormatId, formatById } from '../formats/index.ts'
import { convertEbook, createTitle } from './calibre/ebook.ts'
import { createEbookHost } from './calibre/host.ts'
import { EbookOptions, ebookOptionShape, epubArgs, hasEbookOptions } from './calibre/options.ts'
import type { Capability, Engine, EngineResult, EngineWork, InputFile, Tools } from './engine.ts'
import { convertEmail, emailCapabilities } from './pandoc/email.ts'
import { makeValidEpub } from './pandoc/epub-validity.ts'
import {
  bibliographyFormats,
  getPandocSource,
  getPandocTarget,
  type PandocSourceId,
  type PandocTargetId,
  pandocSourceIds,
  pandocTargetIds,
} from './pandoc/formats.ts'
import { convertToOutline, unwrapSections } from './pandoc/outline.ts'
import { mediaFolderName, prepareInput, readTree, runReader, treeFileName } from './pandoc/read-tree.ts'
import { simplifySheetTables } from './pandoc/sheet-tables.ts'
import { moveTablesAndImagesToTopLevel } from './pandoc/slide-blocks.ts'
import { convertCellsToLines, convertTablesToLines, unwrapQuotationsInCells } from './pandoc/tables.ts'
import { adaptTitle, readTitle, setTitle } from './pandoc/title.ts'
import {
  extractText,
  keepDescriptiveMeta,
  removeRawContent,
  resolveImages,
  type Tree,
  unwrapContainers,
} from './pandoc/tree.ts'
import { rewriteUnsupportedNodes } from './pandoc/unsupported-nodes.ts'
import { printStyle, removeGenerator } from './pandoc/web-page-output.ts'
import { EngineCrash } from './sandbox/engine-crash.ts'
import { ProcessFailure } from './sandbox/exec.ts'
import { withTextOptions } from './shared/text/text-options.ts'
import { createFeatureError } from './unsupported-feature.ts'

/**
 * Costs in seconds, plus penalties: LibreOffice and calibre preserve the layout of documents that have one. Two pandoc
 * steps cost more than one, and a route through an intermediate ebook or web page costs no less than the direct one.
 */
const cost = {
  markup: 0.4,
  book: 0.35,
  office: 0.7,
  pageToOffice: 1.3,
  pageToBook: 1.25,
  officeToBook: 2.2,
  // Cost of sources whose pandoc readers drop text boxes and notes. Converting them to Word first keeps both.
  poorlyRead: 1.9,
}
const officeFormats: readonly FormatId[] = ['docx', 'odt', 'rtf', 'csv', 'txt', 'pptx', 'html']
const ebookFormats: readonly FormatId[] = ['epub', 'fb2']
const webPageFormats: readonly FormatId[] = ['html', 'xhtml']
const bibliographyIds = ['bib', 'csljson'] as const
const noOptions = z.object({})
const bookOptions = z.object(ebookOptionShape)

const officeTargets = pandocTargetIds.filter((id) => officeFormats.includes(id))
const markupTargets = pandocTargetIds.filter(
  (id) => !officeFormats.includes(id) && !ebookFormats.includes(id),
)
const documentSources = pandocSourceIds.filter((id) => ['docx', 'odt', 'rtf'].includes(id))
const poorlySupportedSources: readonly FormatId[] = ['odt', 'rtf']
/** For these targets, the planner prefers a longer route through Word, see `isWorthSeveralSteps`. */
const targetsThroughWord: readonly FormatId[] = ['md', 'txt', 'rst', 'adoc', 'tex']
const markupSources = pandocSourceIds.filter((id) => ![...documentSources, 'html', 'csv'].includes(id))

function exclude(ids: readonly FormatId[], ...excluded: readonly FormatId[]): FormatId[] {
  return ids.filter((id) => !excluded.includes(id))
}

const createRow = (from: readonly FormatId[], to: readonly FormatId[], seconds: number): Capability => ({
  operation: 'convert',
  from,
  to,
  options: to === ebookFormats ? bookOptions : noOptions,
  cost: seconds,
})

const layoutLostMessage =
  'The page layout was lost: text, headings, lists, tables, notes and images were kept.'

/** Text sources with an encoding option; the other formats have a fixed encoding. */
const encodedSources = pandocSourceIds.filter((id) => !getPandocSource(id).isBinary && id !== 'rtf')

const capabilities: readonly Capability[] = [
  createRow(exclude(pandocSourceIds, ...poorlySupportedSources), markupTargets, cost.markup),
  createRow(poorlySupportedSources, exclude(markupTargets, ...targetsThroughWord), cost.markup),
  createRow(markupSources, officeTargets, cost.markup),
  {
    ...createRow(['docx', 'csv'], exclude(officeTargets, 'txt'), cost.office),
    lossWarning: layoutLostMessage,
  },
  {
    ...createRow(poorlySupportedSources, exclude(officeTargets, 'txt'), cost.poorlyRead),
    lossWarning: layoutLostMessage,
  },
  createRow(['docx', 'csv'], ['txt'], cost.office),
  createRow(poorlySupportedSources, targetsThroughWord, cost.poorlyRead),
  createRow(['html'], officeTargets, cost.pageToOffice),
  createRow([...markupSources, 'csv'], ebookFormats, cost.book),
  createRow(['html'], ebookFormats, cost.pageToBook),
  { ...createRow(documentSources, ebookFormats, cost.officeToBook), lossWarning: layoutLostMessage },
  createRow(bibliographyIds, bibliographyIds, cost.markup),
  ...emailCapabilities,
].flatMap(withTextOptions(encodedSources))

/** Converts between markup formats, from markup to ebooks, and emails to web pages. */
export const pandoc: Engine = {
  id: 'pandoc',
  image: 'document',
  capabilities,
  limits: { memoryMb: 3008, diskMb: 2048, timeoutS: 600 },
  version: ['pandoc', '--version'],
  host: createEbookHost(),
  run,
}

async function run(work: EngineWork, tools: Tools): Promise<EngineResult> {
  if (work.from === 'eml' || work.from === 'msg') return convertEmail(work, tools)
  const [originalFile] = work.inputs
  const from = pandocSourceIds.find((id) => id === work.from)
  if (!originalFile || !from) throw new Error(`pandoc does not support the source ${work.from}.`)
  const input = await prepareInput(originalFile, from, work, tools)
  const path = join(work.outDir, `result.${formatById(work.to).extensions[0]}`)
  if (isBibliography(work.from) && isBibliography(work.to)) {
    const args = ['-s', '-f', bibliographyFormats[work.from], '-t', bibliographyFormats[work.to], '-o', path]
    await runReader(args, input, from, tools)
  } else {
    await convertViaAst(work, input, from, path, tools).catch((error: unknown) => {
      // A stack overflow means that the document is nested deeper than any real one.
      throw error instanceof RangeError
        ? createFeatureError(from, 'content nested thousands of levels deep', error)
        : error
    })
  }
  tools.progress(1)
  return { files: [{ path }] }
}

function isBibliography(id: FormatId): id is keyof typeof bibliographyFormats {
  return id in bibliographyFormats
}

const unwrappedTargets: readonly FormatId[] = ['md', 'mmd', 'opml', 'fb2']
/**
 * Converts by way of pandoc's AST. Reading runs in pandoc's own sandbox, where includes find no files. Some writers
 * need files of the installation, so they run outside of this sandbox. That is safe, because their input references no
 * files except the document's images.
 */
async function convertViaAst(
  work: EngineWork,
  input: InputFile,
  from: PandocSourceId,
  path: string,
  tools: Tools,
): Promise<void> {
  const target = pandocTargetIds.find((id) => id === work.to)
  if (!target) throw new Error(`pandoc does not support the target ${work.to}.`)
  const { writer, images, args = [], titleAsHeading, needsTitle } = getPandocTarget(target)
  const tree = await readTree(input, from, work, tools)
  tools.progress(0.5, 'read')
  keepDescriptiveMeta(tree)
  if (images === 'packed') removeRawContent(tree)
  adaptTree(tree, from, target)
  adaptTitle(tree, target, titleAsHeading === true)
  if (target === 'opml') convertToOutline(tree, readTitle(tree) || createTitle(input.filename))
  if (needsTitle && extractText(tree.meta['title']) === '') {
    const title = readTitle(tree) || createTitle(input.filename)
    setTitle(tree, webPageFormats.includes(target) ? 'pagetitle' : 'title', title)
  }
  const droppedImages = await resolveImages(tree, {
    images,
    keepsLinks: target !== 'ipynb',
    mediaDir: join(tools.workDir, mediaFolderName),
    workDir: tools.workDir,
  })
  if (droppedImages > 0) warnAboutDroppedImages(droppedImages, work.to, tools)
  await writeFile(join(tools.workDir, treeFileName), JSON.stringify(tree))
  const options = EbookOptions.parse(work.options)
  const needsCalibre = hasEbookOptions(options)
  const bookPath = needsCalibre ? join(tools.workDir, 'book.epub') : path
  const sandboxArgs = images === 'packed' || needsCalibre ? [] : ['--sandbox']
  const effectiveWriter = needsCalibre ? 'epub3' : writer
  const styleArgs = await createPrintStyleArgs(target, tools)
  await write(
    [
      ...sandboxArgs,
      '-s',
      '--wrap=none',
      '-f',
      'json',
      '-t',
      effectiveWriter,
      ...args,
      ...styleArgs,
      '-o',
      bookPath,
    ],
    work.to,
    tools,
  )
  if (webPageFormats.includes(target)) await removeGenerator(path)
  if (needsCalibre) await applyEbookOptions(bookPath, path, options, work.to, tools)
}

/** Adapts the document to the strengths and weaknesses of a writer. */
function adaptTree(tree: Tree, from: PandocSourceId, target: PandocTargetId): void {
  const isMarkdown = target === 'md' || target === 'mmd'
  if (isMarkdown) simplifySheetTables(tree)
  if (isMarkdown && documentSources.includes(from)) unwrapQuotationsInCells(tree)
  if (target !== 'ipynb' && target !== 'pjson' && target !== 'native') unwrapSections(tree)
  // Some writers drop the container of references with its content, or the text after a heading in a container.
  if (unwrappedTargets.includes(target) || isBibliography(from)) unwrapContainers(tree)
  rewriteUnsupportedNodes(tree, target)
  if (target === 'txt') convertTablesToLines(tree)
  if (target === 'markua' || target === 'muse') convertCellsToLines(tree)
  if (target === 'pptx') moveTablesAndImagesToTopLevel(tree)
  if (target === 'epub') makeValidEpub(tree)
}

async function createPrintStyleArgs(target: FormatId, { workDir }: Tools): Promise<string[]> {
  if (!webPageFormats.includes(target)) return []
  const path = join(workDir, 'print.html')
  await writeFile(path, printStyle)
  return ['-H', path]
}

function warnAboutDroppedImages(count: number, to: FormatId, tools: Tools): void {
  const subject = count === 1 ? 'An image was' : `${count} images were`
  tools.warn('PICTURES_DROPPED', `${subject} left out: not included in the file, or not supported by ${to}.`)
}

/** Applies the ebook options with calibre, because pandoc does not support them. */
async function applyEbookOptions(
  bookPath: string,
  path: string,
  options: EbookOptions,
  to: FormatId,
  tools: Tools,
) {
  const args = to === 'epub' ? epubArgs : []
  await convertEbook({ source: { path: bookPath, format: 'epub' }, target: path, to, args, options }, tools)
}

async function write(args: readonly string[], to: FormatId, tools: Tools): Promise<void> {
  try {
    await tools.exec('pandoc', [...args, join(tools.workDir, treeFileName)])
  } catch (error) {
    if (!(error instanceof ProcessFailure || error instanceof EngineCrash)) throw error
    const message = `The document was read but could not be written as ${to}.`
    throw new AppError('CONVERSION_FAILED', message, { to }, { cause: error })
  }
}
