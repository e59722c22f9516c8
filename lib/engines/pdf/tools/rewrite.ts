import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { AppError } from '../../../errors.ts'
import type { Tools } from '../../engine.ts'
import { runQpdf } from '../qpdf.ts'
import { countPages, distill, flattenForm, warnDistillLosses } from './distill.ts'
import { finishPdf, type PdfTool, warnEncryptionRemoved, warnSignatureInvalid } from './editable-pdf.ts'
import { PdfObjects } from './objects.ts'
import type { ToolOptions } from './options.ts'
import { removeHiddenContent } from './sanitize.ts'

export const convertToGrayscale: PdfTool<ToolOptions<'grayscale-pdf'>> = async (job) => {
  const { pdf, tools } = job
  warnDistillLosses(pdf, tools)
  const output = join(tools.workDir, 'gray.pdf')
  const args = [
    '-sColorConversionStrategy=Gray',
    '-dProcessColorModel=/DeviceGray',
    '-dCompatibilityLevel=1.7',
  ]
  // Images keep their resolution: only the color is removed.
  const keepResolution = [
    '-dDownsampleColorImages=false',
    '-dDownsampleGrayImages=false',
    '-dDownsampleMonoImages=false',
  ]
  const onProgress = (ratio: number) => tools.progress(ratio * 0.9, 'pages')
  await distill(
    await flattenForm(pdf, tools),
    { args: [...args, ...keepResolution], output, onProgress },
    tools,
  )
  await requirePages(output, pdf.sizes.length, tools)
  return finishPdf(job, output, { pages: pdf.sizes.length })
}

const srgbProfile = '/usr/share/color/icc/ghostscript/srgb.icc'

/** Defines the RGB color space, which PDF/A requires (ISO 19005-1, 6.2.2). */
const outputIntent = `
[ /_objdef {icc} /type /stream /OBJ pdfmark
[ {icc} << /N 3 >> /PUT pdfmark
[ {icc} (${srgbProfile}) (r) file /PUT pdfmark
[ /_objdef {intent} /type /dict /OBJ pdfmark
[ {intent} << /Type /OutputIntent /S /GTS_PDFA1 /DestOutputProfile {icc}
  /OutputConditionIdentifier (sRGB) /Info (sRGB IEC61966-2.1) >> /PUT pdfmark
[ {Catalog} << /OutputIntents [ {intent} ] >> /PUT pdfmark
`

/** Converts to PDF/A for archiving: embedded fonts, defined colors, nothing that depends on the reader. */
export const toPdfA: PdfTool<ToolOptions<'to-pdfa'>> = async (job) => {
  const { pdf, options, tools } = job
  warnEncryptionRemoved(pdf, tools)
  const pdfaPart = options.pdfaVersion.slice(0, 1)
  const output = join(tools.workDir, 'archive.pdf')
  const args = [
    `-dPDFA=${pdfaPart}`,
    // Drops what the part forbids instead of giving up conformance.
    '-dPDFACompatibilityPolicy=1',
    '-sColorConversionStrategy=RGB',
    '-dEmbedAllFonts=true',
    '-dSubsetFonts=true',
    `-dCompatibilityLevel=${pdfaPart === '1' ? '1.4' : '1.7'}`,
    `--permit-file-read=${srgbProfile}`,
  ]
  const onProgress = (ratio: number) => tools.progress(ratio * 0.9, 'pages')
  warnDistillLosses(pdf, tools)
  const flattened = await flattenForm(pdf, tools)
  const passive = { ...flattened, path: await removeActiveContent(flattened.path, tools) }
  await distill(passive, { args, prolog: outputIntent, output, onProgress }, tools)
  await requirePages(output, pdf.sizes.length, tools)
  await requirePdfA(output, pdfaPart, tools)
  const unencryptedJob = { ...job, pdf: { ...pdf, isEncrypted: false } }
  return finishPdf(unencryptedJob, output, { pages: pdf.sizes.length, pdfaVersion: options.pdfaVersion })
}

/** Removes attachments and actions that PDF/A forbids and Ghostscript would keep. */
async function removeActiveContent(source: string, tools: Tools): Promise<string> {
  const objects = await PdfObjects.load(source, tools)
  const removedCounts = removeHiddenContent(objects, {})
  if (Object.keys(removedCounts).length === 0) return source
  const sentence = 'Scripts, actions and attached files were removed, because PDF/A forbids them.'
  tools.warn('ACTIVE_CONTENT_REMOVED', sentence)
  const path = join(tools.workDir, 'passive.pdf')
  await objects.save(path, tools)
  return path
}

/**
 * Checks the result, because Ghostscript writes a plain PDF when it cannot conform, and only mentions that in its log.
 */
async function requirePdfA(path: string, pdfaPart: string, tools: Tools) {
  const text = await readFile(path, 'latin1')
  const claimsPdfA = new RegExp(`pdfaid:part(?:>|=['"])${pdfaPart}`).test(text)
  const { stdout } = await tools.exec('pdffonts', [path])
  const hasUnembeddedFont = stdout
    .split('\n')
    .some((line) => /\sno\s+(?:yes|no)\s+(?:yes|no)\s+\d+\s+\d+$/.test(line))
  if (claimsPdfA && text.includes('/GTS_PDFA1') && !hasUnembeddedFont) return
  throw new AppError(
    'CONVERSION_FAILED',
    `The PDF contains features that PDF/A-${pdfaPart} does not support, so no conforming file could be created. Try another pdfaVersion.`,
    { field: 'pdfaVersion' },
  )
}

async function requirePages(path: string, pages: number, tools: Tools) {
  if ((await countPages(path, tools)) === pages) return
  throw new AppError('CORRUPT_FILE', 'The PDF is damaged: some of its pages cannot be rewritten.')
}

export const linearizePdf: PdfTool<ToolOptions<'linearize-pdf'>> = async (job) => {
  const { pdf, work, tools } = job
  // qpdf keeps the encryption here; a second pass for it would undo the linearization.
  const path = join(work.outDir, 'output.pdf')
  const { password, source } = pdf
  await warnSignatureInvalid([source], tools)
  const openedInput = { inputFile: source, ...(password !== undefined && pdf.isEncrypted && { password }) }
  await runQpdf({ ...openedInput, linearize: '', allowWeakCrypto: '', outputFile: path }, tools)
  tools.progress(1)
  return { files: [{ path }], details: { pages: pdf.sizes.length } }
}
