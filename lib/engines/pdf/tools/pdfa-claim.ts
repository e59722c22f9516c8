import { join } from 'node:path'
import type { Operation } from '../../../model/operations.ts'
import type { Tools } from '../../engine.ts'
import { ProcessFailure } from '../../sandbox/exec.ts'
import { runExiftool } from '../../shared/metadata/exiftool.ts'
import { runQpdf, toPdfError } from '../qpdf.ts'

/** The conformance that XMP declares (ISO 19005-1, 6.7.11). */
interface PdfAClaim {
  readonly part: string
  readonly level: string
}

/** Tools whose changes keep a PDF/A valid. All others add content that nothing checks, or encrypt the file. */
const conformingTools: ReadonlySet<Operation> = new Set([
  'to-pdfa',
  'decrypt-pdf',
  'rotate-pdf',
  'crop-pdf',
  'linearize-pdf',
  'edit-pdf-metadata',
  'reorder-pdf-pages',
  'sanitize-pdf',
  'extract-pdf-pages',
  'remove-pdf-pages',
  'remove-blank-pages-pdf',
])

/** The conforming tools that remove tags, which level A requires. */
const tagRemovingTools: ReadonlySet<Operation> = new Set([
  'to-pdfa',
  'extract-pdf-pages',
  'remove-pdf-pages',
  'remove-blank-pages-pdf',
])

/**
 * Keeps the declaration of a PDF/A if the tool keeps the file valid; otherwise removes it with a warning.
 * @returns the path of the file to deliver.
 */
export async function reviewPdfAClaim(
  source: string,
  changedPath: string,
  operation: Operation,
  tools: Tools,
): Promise<string> {
  const sourceClaim = await readPdfAClaim(source, tools)
  if (!sourceClaim || operation === 'to-pdfa') return changedPath
  const claim = await readPdfAClaim(changedPath, tools)
  const keepsTags = !tagRemovingTools.has(operation) || sourceClaim.level !== 'A'
  if (claim && conformingTools.has(operation) && keepsTags) {
    return claim.part === '1' && operation !== 'linearize-pdf'
      ? removeObjectStreams(changedPath, tools)
      : changedPath
  }
  tools.warn(
    'PDFA_CLAIM_REMOVED',
    `The PDF was a PDF/A-${sourceClaim.part}; the result no longer claims to be one. Convert it with to-pdfa if it must be a PDF/A.`,
  )
  return claim ? removePdfAClaim(changedPath, tools) : changedPath
}

export async function readPdfAClaim(path: string, tools: Tools): Promise<PdfAClaim | undefined> {
  try {
    const { stdout } = await tools.exec('pdfinfo', ['-meta', path])
    const part = /pdfaid:part(?:>|=['"])([1-4])/.exec(stdout)?.[1]
    const level = /pdfaid:conformance(?:>|=['"])([A-Z])/.exec(stdout)?.[1] ?? ''
    return part === undefined ? undefined : { part, level }
  } catch (error) {
    // A file that pdfinfo cannot read counts as a file without a claim, because other tools may still read it.
    if (error instanceof ProcessFailure) return undefined
    throw error
  }
}

/** Removes object streams: PDF/A-1 is based on PDF 1.4, which has none. */
async function removeObjectStreams(source: string, tools: Tools): Promise<string> {
  const path = join(tools.workDir, 'without-object-streams.pdf')
  await runQpdf({ inputFile: source, objectStreams: 'disable', outputFile: path }, tools)
  return path
}

async function removePdfAClaim(source: string, tools: Tools): Promise<string> {
  const editedPath = join(tools.workDir, 'claim-edited.pdf')
  const path = join(tools.workDir, 'without-claim.pdf')
  try {
    await runExiftool(['-XMP-pdfaid:all=', '-o', editedPath, source], tools)
  } catch (error) {
    throw toPdfError(error)
  }
  // exiftool only appends data, so the old values would remain readable.
  await runQpdf({ inputFile: editedPath, outputFile: path }, tools)
  return path
}
