import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { AppError } from '../../errors.ts'
import { type FormatId, formatById } from '../../formats/index.ts'
import type { EngineWork, InputFile, Tools } from '../engine.ts'
import { EngineCrash } from '../sandbox/engine-crash.ts'
import { ProcessFailure } from '../sandbox/exec.ts'
import { utf8Copy } from '../text/read-text.ts'
import { TableOptions } from '../text/table-options.ts'
import { wholeText } from '../text/word-text.ts'
import { keysOfCitations } from './citations.ts'
import { withWholeTables } from './close-table-tags.ts'
import { infoAsText } from './docbook-info.ts'
import { rowsAsParagraphs } from './fb2-tables.ts'
import { type SourceId, sourceOf } from './formats.ts'
import { withHeaderRows, withLinks, withNotes } from './input-fixes.ts'
import { requireReadableMarkdown } from './markdown-limits.ts'
import { rawCellsAsText } from './notebook-raw-cells.ts'
import { tellRawParts } from './raw-blocks.ts'
import { tellSkipped, withKnownCommands } from './tex-commands.ts'
import { hasRawHtml, headersToRows, Tree } from './tree.ts'
import { tellTemplates } from './wiki-templates.ts'

/** From a document to the tree that pandoc reads in it. */

export const treeFile = 'tree.json'
export const mediaFolder = 'media'

/** A book takes seconds; macros and anchors that multiply never end. */
const readLimitS = 180

/** In UTF-8, all that it reads; a table with commas, a document of an office with all of its text. */
export async function lettersOf(
  input: InputFile,
  from: SourceId,
  { to, options }: EngineWork,
  tools: Tools,
): Promise<InputFile> {
  if (from === 'docx') return wholeText(input, tools)
  if (from === 'odt') return withHeaderRows(input, tools)
  if (from === 'rtf') return withLinks(input, tools)
  if (from === 'epub') return withNotes(input, tools)
  if (sourceOf(from).binary) return input
  const wanted = TableOptions.parse(options)
  if (from !== 'csv') {
    const path = await utf8Copy(input, tools, wanted)
    if (from === 'md' || from === 'mmd') await requireReadableMarkdown(path, from)
    const letters = { ...input, path }
    if (from === 'tex') return withKnownCommands(letters, tools)
    if (from === 'html') return withWholeTables(letters, tools)
    if (from === 'dbk' || from === 'xml') return infoAsText(letters, tools)
    if (from === 'ipynb') return rawCellsAsText(letters, to, tools)
    return from === 'fb2' ? rowsAsParagraphs(letters, tools) : letters
  }
  const { tableCopy } = await import('../text/table.ts')
  return { ...input, path: (await tableCopy(input, wanted, tools)).path }
}

/** @throws AppError as `read` does. */
export async function treeOf(
  input: InputFile,
  from: SourceId,
  { to, options }: EngineWork,
  tools: Tools,
): Promise<Tree> {
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
  await read(['-f', reader, ...args, carried, '-t', 'html5', '--mathml', '-o', page], input, from, tools)
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

/** @throws AppError CORRUPT_FILE, FILE_TOO_LARGE, INVALID_INPUT for one that includes another file. */
export async function read(
  args: readonly string[],
  input: InputFile,
  from: SourceId,
  tools: Tools,
): Promise<void> {
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

function corrupt(from: FormatId, cause?: Error): AppError {
  const sentence = `The ${formatById(from).name} (${from}) could not be read: it is damaged, or no document of that kind.`
  return new AppError('CORRUPT_FILE', sentence, { field: 'file', format: from }, { cause })
}
