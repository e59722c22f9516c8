import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { AppError } from '../../errors.ts'
import { type FormatId, formatById } from '../../formats/index.ts'
import { EbookOptions } from '../calibre/options.ts'
import type { EngineWork, InputFile, Tools } from '../engine.ts'
import { EngineCrash } from '../sandbox/engine-crash.ts'
import { ProcessFailure } from '../sandbox/exec.ts'
import { inlineEmbeddedContent } from '../shared/text/inline-frames.ts'
import { copyAsUtf8 } from '../shared/text/read-text.ts'
import { TableOptions } from '../shared/text/table-options.ts'
import { inlineWordText } from '../shared/text/word-text.ts'
import { replaceRawCitations } from './citations.ts'
import { fixTableTags } from './close-table-tags.ts'
import { moveInfoToText } from './docbook-info.ts'
import { convertRowsToParagraphs } from './fb2-tables.ts'
import { getPandocSource, type PandocSourceId } from './formats.ts'
import { fixEpubNotes, fixRtf, unwrapHeaderRows } from './input-fixes.ts'
import { requireReadableMarkdown } from './markdown-limits.ts'
import { convertRawCells } from './notebook-raw-cells.ts'
import { warnAboutRawContent } from './raw-blocks.ts'
import { defineKnownCommands, warnAboutSkippedCommands } from './tex-commands.ts'
import { convertHeadersToRows, hasRawHtml, Tree } from './tree.ts'
import { warnAboutTemplates } from './wiki-templates.ts'

/** Reads a document into pandoc's AST. */

export const treeFileName = 'tree.json'
export const mediaFolderName = 'media'

/** Targets in which the first row of a table looks like the others. */
const plainTargets: readonly FormatId[] = ['txt', 'opml']

/** Targets whose lists have only decimal numbers. */
const listKinds: Readonly<Partial<Record<FormatId, 'decimal'>>> = {
  md: 'decimal',
  ipynb: 'decimal',
  org: 'decimal',
}

/** Time limit in seconds. An ebook takes seconds, but macros and anchors that expand exponentially never end. */
const readTimeoutS = 180

/**
 * Returns a copy that pandoc reads completely: text as UTF-8, tables as CSV, documents with fixes for pandoc's readers.
 */
export async function prepareInput(
  input: InputFile,
  from: PandocSourceId,
  { to, options }: EngineWork,
  tools: Tools,
): Promise<InputFile> {
  if (from === 'docx') return inlineWordText(input, tools, listKinds[to])
  if (from === 'odt') return unwrapHeaderRows(input, tools)
  if (from === 'rtf') return fixRtf(input, tools)
  if (from === 'epub') return fixEpubNotes(input, tools)
  if (getPandocSource(from).isBinary) return input
  const tableOptions = TableOptions.parse(options)
  if (from !== 'csv') {
    const path = await copyAsUtf8(input, tools, tableOptions)
    if (from === 'md' || from === 'mmd') await requireReadableMarkdown(path, from)
    const utf8Input = { ...input, path }
    if (from === 'tex') return defineKnownCommands(utf8Input, tools)
    if (from === 'html')
      return fixTableTags({ ...input, path: await inlineEmbeddedContent(path, tools) }, tools)
    if (from === 'dbk' || from === 'xml') return moveInfoToText(utf8Input, tools)
    if (from === 'ipynb') return convertRawCells(utf8Input, to, tools)
    return from === 'fb2' ? convertRowsToParagraphs(utf8Input, tools) : utf8Input
  }
  const { copyAsCsv } = await import('../shared/text/table.ts')
  return { ...input, path: (await copyAsCsv(input, tableOptions, tools)).path }
}

/** Reads the document and warns about content that is lost. @throws AppError as `runReader` does. */
export async function readTree(
  input: InputFile,
  from: PandocSourceId,
  { to, options }: EngineWork,
  tools: Tools,
): Promise<Tree> {
  const path = join(tools.workDir, treeFileName)
  const { reader: defaultReader, args = [], isSmart } = await chooseReader(input, from)
  const reader = isSmart && keepsPunctuation(options) ? `${defaultReader}-smart` : defaultReader
  const astArgs = [`--extract-media=${mediaFolderName}`, '-t', 'json', '-o', path]
  await runReader(['-f', reader, ...args, ...astArgs], input, from, tools)
  const tree = await parseTree(path, from)
  replaceRawCitations(tree, to)
  warnAboutTemplates(tree, to, tools)
  const keepsRawHtml = to === 'html' || to === 'md' || to === 'mmd' || !hasRawHtml(tree)
  warnAboutRawContent(tree, keepsRawHtml ? to : undefined, tools)
  if (from === 'csv' && TableOptions.parse(options).headers === false) {
    convertHeadersToRows(tree)
    if (plainTargets.includes(to))
      tools.warn(
        'OPTION_NOT_HELD',
        `headers=false has no effect: ${to} files show column names like other cells.`,
      )
  }
  if (keepsRawHtml) return tree
  // Reads the document again via HTML, so that raw HTML tables and images in it are recognized.
  const pagePath = join(tools.workDir, 'page.html')
  const extractMediaArg = `--extract-media=${mediaFolderName}`
  await runReader(
    ['-f', reader, ...args, extractMediaArg, '-t', 'html5', '--mathml', '-o', pagePath],
    input,
    from,
    tools,
  )
  await runReader(['-f', 'html', ...astArgs], { ...input, path: pagePath }, 'html', tools)
  const { meta } = tree
  return { ...(await parseTree(path, from)), meta }
}

const keepsPunctuation = (options: unknown) => EbookOptions.parse(options).ebookSmartenPunctuation === false

/** Chooses the reader. JATS files also have the extension .xml, so the content of an XML file decides. */
async function chooseReader(input: InputFile, from: PandocSourceId) {
  if (from !== 'xml') return getPandocSource(from)
  const head = (await readFile(input.path)).toString('latin1', 0, 4096)
  return getPandocSource(
    /<!doctype[^<>]{0,500}\bJATS\b|<article[^<>]{0,500}\s(?:article-type|dtd-version)=/i.test(head)
      ? 'jats'
      : 'dbk',
  )
}

async function parseTree(path: string, from: PandocSourceId): Promise<Tree> {
  const tree = Tree.safeParse(JSON.parse(await readFile(path, 'utf8')))
  if (!tree.success) throw createCorruptDocumentError(from)
  return tree.data
}

/**
 * Runs a pandoc reader. @throws AppError CORRUPT_FILE, FILE_TOO_LARGE; INVALID_INPUT if the document includes another
 * file.
 */
export async function runReader(
  args: readonly string[],
  input: InputFile,
  from: PandocSourceId,
  tools: Tools,
): Promise<void> {
  const { path } = input
  // Pandoc's RTF reader accepts any bytes, so the signature is checked here.
  if (from === 'rtf' && !(await readFile(path)).subarray(0, 64).includes('{\\rtf'))
    throw createCorruptDocumentError(from)
  try {
    const verboseArgs = from === 'tex' ? ['--verbose'] : []
    const allArgs = ['--sandbox', ...verboseArgs, ...args, path]
    const { stderr } = await tools.exec('pandoc', allArgs, { timeoutS: readTimeoutS })
    warnAboutIncludes(stderr, tools)
    if (from === 'tex') warnAboutSkippedCommands(stderr, await readFile(path, 'utf8'), tools)
  } catch (error) {
    if (error instanceof ProcessFailure && /not found in resource path/.test(error.stderr)) {
      const message =
        'The document includes another file, which was not sent. Insert its text or remove the include.'
      throw new AppError(
        'INVALID_INPUT',
        message,
        { field: 'file', reason: 'includes-file' },
        { cause: error },
      )
    }
    if (isOutOfMemory(error)) throw createTooLargeError(from, error)
    if (error instanceof ProcessFailure || error instanceof EngineCrash)
      throw createCorruptDocumentError(from, error)
    throw error
  }
}

/** Whether the Haskell runtime reports a lack of memory; a document is many times larger in memory than on disk. */
const isOutOfMemory = (error: unknown) =>
  error instanceof ProcessFailure && /out of memory|heap exhausted|cannot allocate memory/i.test(error.stderr)

function createTooLargeError(from: FormatId, cause: unknown): AppError {
  const message = `The ${formatById(from).name} (${from}) needs more memory than a conversion may use. Split it into smaller files.`
  return new AppError('FILE_TOO_LARGE', message, { field: 'file', format: from }, { cause })
}

/** Warns about missing include files, which some readers skip. */
function warnAboutIncludes(stderr: string, tools: Tools): void {
  const count = stderr.match(/\[WARNING\] Could not load include file/g)?.length ?? 0
  if (count === 0) return
  const filesPhrase = count === 1 ? 'An included file was' : `${count} included files were`
  tools.warn('INCLUDES_DROPPED', `${filesPhrase} left out: not sent with the document.`)
}

function createCorruptDocumentError(from: FormatId, cause?: Error): AppError {
  const message = `The ${formatById(from).name} (${from}) could not be read: it is damaged or not a document of that format.`
  return new AppError('CORRUPT_FILE', message, { field: 'file', format: from }, { cause })
}
