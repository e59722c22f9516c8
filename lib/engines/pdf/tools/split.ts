import { join } from 'node:path'
import type { Tools } from '../../engine.ts'
import { packPages } from '../pack-pages.ts'
import { createPageFileName, type PageFile } from '../page-files.ts'
import { resolvePages } from '../page-range.ts'
import { runQpdf } from '../qpdf.ts'
import { assemblePdf } from './assemble.ts'
import {
  createInvalidOptionError,
  type EditablePdf,
  type PdfTool,
  reencrypt,
  warnAboutInvalidSignatures,
  warnAboutRemovedTags,
} from './editable-pdf.ts'
import type { ToolOptions } from './options.ts'
import { copyMetadata } from './part-metadata.ts'
import { copyOutlines } from './part-outlines.ts'

const maxParts = 2000

/** Writes a file for each part of the range, or for each page. */
export const splitPdf: PdfTool<ToolOptions<'split-pdf'>> = async ({ pdf, options, work, tools }) => {
  const { length } = pdf.sizes
  warnAboutRemovedTags(pdf, tools)
  await warnAboutInvalidSignatures([pdf.path], tools)
  const pageRanges = options.pages?.split(',') ?? resolvePages(undefined, length).map(String)
  if (pageRanges.length > maxParts) {
    throw createInvalidOptionError(
      'pages',
      `the PDF would become ${pageRanges.length} files; at most ${maxParts} are allowed.`,
    )
  }
  const ranges = pageRanges.map((pages) => resolvePages(pages, length))
  const hasHiddenContent = await hasHiddenLayers(pdf.path, tools)
  const extractedPaths = hasHiddenContent
    ? []
    : await extractRanges(pdf, options.pages === undefined ? undefined : ranges, tools)
  if (!hasHiddenContent) {
    await copyOutlines(
      pdf.path,
      extractedPaths.map((path, index) => ({ path, pages: ranges[index] ?? [] })),
      tools,
    )
    await copyMetadata(pdf.path, extractedPaths, tools)
    await warnAboutDroppedAttachments(pdf.path, tools)
  }
  const files: PageFile[] = []
  for (const [index, pages] of ranges.entries()) {
    const [firstPage = 1] = pages
    const name =
      pages.length === 1 ? createPageFileName(firstPage, length, 'pdf') : createRangeName(pages, length)
    const path = join(work.outDir, ranges.length === 1 ? 'output.pdf' : createUniqueName(name, files))
    const partPath = extractedPaths[index] ?? (await assemblePdf([{ path: pdf.path, pages }], tools))
    await reencrypt(pdf, partPath, path, tools)
    files.push({ page: firstPage, path })
    tools.progress(0.6 + (0.3 * (index + 1)) / pageRanges.length, 'pages')
  }
  const details = { pages: length, files: files.length }
  const [onlyFile] = files
  const isSingleFile = onlyFile && files.length === 1 && work.to === 'pdf'
  const path = isSingleFile
    ? onlyFile.path
    : await packPages(work.outDir, files, { format: 'pdf', pages: options.pages ?? 'each' })
  tools.progress(1)
  return { files: [isSingleFile ? { path } : { path, format: 'zip' }], details }
}

/** Whether layers are hidden: the catalog lists hidden layers, and extracted pages lose that list. */
async function hasHiddenLayers(path: string, tools: Tools): Promise<boolean> {
  const args = ['show', path, 'trailer/Root/OCProperties/D']
  // If a file is so damaged that only qpdf can read it, no reader would find hidden layers anyway.
  const { stdout } = await tools.exec('mutool', args, { okCodes: [0, 1] })
  return /\/OFF\s*\[\s*\d|\/BaseState\s*\/OFF/.test(stdout)
}

/** Extracts pages into empty PDFs, without the outline, which would bring along the content of other pages. */
async function extractRanges(
  pdf: EditablePdf,
  ranges: readonly (readonly number[])[] | undefined,
  tools: Tools,
): Promise<string[]> {
  if (!ranges) return extractEveryPage(pdf, tools)
  const paths: string[] = []
  for (const [index, range] of ranges.entries()) {
    const path = join(tools.workDir, `cut-${index + 1}.pdf`)
    const pages = [{ file: pdf.path, range: range.join(',') }]
    await runQpdf({ empty: '', pages, objectStreams: 'generate', outputFile: path }, tools)
    paths.push(path)
    tools.progress((0.6 * paths.length) / ranges.length, 'pages')
  }
  return paths
}

/** Extracts all pages in one call, so that the document is read only once. */
async function extractEveryPage(pdf: EditablePdf, tools: Tools): Promise<string[]> {
  const outputPattern = join(tools.workDir, 'cut-%d.pdf')
  const splitSettings = { splitPages: '1', objectStreams: 'generate' }
  await runQpdf({ inputFile: pdf.path, ...splitSettings, outputFile: outputPattern }, tools)
  const digitCount = String(pdf.sizes.length).length
  return pdf.sizes.map((_, index) => outputPattern.replace('%d', String(index + 1).padStart(digitCount, '0')))
}

/**
 * Warns that attachments are dropped. Repeating them in each part would make the parts together far larger than the
 * source.
 */
async function warnAboutDroppedAttachments(path: string, tools: Tools): Promise<void> {
  const { stdout } = await tools.exec('qpdf', ['--list-attachments', path], { okCodes: [0, 3] })
  // Each line contains the key of an attachment and its object.
  const attachmentCount = stdout.match(/ -> \d+,\d+$/gm)?.length ?? 0
  if (attachmentCount === 0) return
  const filesText = attachmentCount === 1 ? 'An attached file was' : `${attachmentCount} attached files were`
  tools.warn(
    'ATTACHMENTS_DROPPED',
    `${filesText} left out: attachments belong to the whole PDF, not to its parts.`,
    { count: attachmentCount },
  )
}

/** Returns a name such as `pages-002-005.pdf`. */
function createRangeName(pages: readonly number[], length: number): string {
  const [firstPage = 1] = pages
  const digitCount = Math.max(3, String(length).length)
  const formatPageNumber = (page: number) => String(page).padStart(digitCount, '0')
  return `pages-${formatPageNumber(firstPage)}-${formatPageNumber(pages.at(-1) ?? firstPage)}.pdf`
}

function createUniqueName(name: string, files: readonly PageFile[]): string {
  const isTaken = (candidate: string) => files.some(({ path }) => path.endsWith(`/${candidate}`))
  let candidate = name
  for (let copy = 2; isTaken(candidate); copy++) candidate = name.replace(/\.pdf$/, `-${copy}.pdf`)
  return candidate
}
