import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { AppError } from '../../../errors.ts'
import type { Tools } from '../../engine.ts'
import { runQpdf } from '../qpdf.ts'
import { distill, flattenForm, requirePages, warnAboutDistillLosses } from './distill.ts'
import { finishPdf, type PdfTool, warnAboutRemovedEncryption } from './editable-pdf.ts'
import { decodePdfText, isPdfRef, PdfObjects } from './objects.ts'
import type { ToolOptions } from './options.ts'
import { readPdfAClaim } from './pdfa-claim.ts'
import { restoreText } from './restore-text.ts'
import { removeHiddenContent } from './sanitize.ts'

const srgbProfile = '/usr/share/color/icc/ghostscript/srgb.icc'

/** Defines the RGB color space, which PDF/A requires (ISO 19005-1, 6.2.2). */
const createOutputIntent = (language: string | undefined) => `
[ /_objdef {icc} /type /stream /OBJ pdfmark
[ {icc} << /N 3 >> /PUT pdfmark
[ {icc} (${srgbProfile}) (r) file /PUT pdfmark
[ /_objdef {intent} /type /dict /OBJ pdfmark
[ {intent} << /Type /OutputIntent /S /GTS_PDFA1 /DestOutputProfile {icc}
  /OutputConditionIdentifier (sRGB) /Info (sRGB IEC61966-2.1) >> /PUT pdfmark
[ {Catalog} << /OutputIntents [ {intent} ] ${language === undefined ? '' : `/Lang (${language}) `}>> /PUT pdfmark
`

/** Converts to PDF/A for archiving: fonts are embedded, colors are defined, and nothing depends on the reader. */
export const toPdfA: PdfTool<ToolOptions<'to-pdfa'>> = async (job) => {
  const { pdf, options, tools } = job
  warnAboutRemovedEncryption(pdf, tools)
  const pdfaPart = options.pdfaVersion.slice(0, 1)
  const output = join(tools.workDir, 'archive.pdf')
  const args = [
    `-dPDFA=${pdfaPart}`,
    // Drops what this part of PDF/A forbids instead of giving up conformance.
    '-dPDFACompatibilityPolicy=1',
    '-sColorConversionStrategy=RGB',
    '-dEmbedAllFonts=true',
    '-dSubsetFonts=true',
    `-dCompatibilityLevel=${pdfaPart === '1' ? '1.4' : '1.7'}`,
    `--permit-file-read=${srgbProfile}`,
  ]
  const onProgress = (ratio: number) => tools.progress(ratio * 0.9, 'pages')
  warnAboutDistillLosses(pdf, tools)
  const flattenedPdf = await flattenForm(pdf, tools)
  const source = await prepareSource(flattenedPdf.path, { allowsAttachments: pdfaPart === '3' }, tools)
  const distillInput = { ...flattenedPdf, path: source.path }
  const prolog = createOutputIntent(source.language)
  await distill(distillInput, { args, prolog, output, onProgress }, tools)
  await requirePages(output, pdf.sizes.length, tools)
  await requirePdfA(output, pdfaPart, tools)
  const distillText = (path: string, textOnlyPath: string, pageRange: string) => {
    const textArgs = [...args, '-dFILTERIMAGE', '-dFILTERVECTOR', `-sPageList=${pageRange}`]
    return distill({ path, sizes: pdf.sizes }, { args: textArgs, prolog, output: textOnlyPath }, tools)
  }
  const pathWithText = pdfaPart === '1' ? await restoreText(source.path, output, distillText, tools) : output
  const completePath = source.hasAttachments
    ? await copyAttachments(flattenedPdf.path, pathWithText, tools)
    : pathWithText
  const objects = await PdfObjects.load(completePath, tools)
  associateFiles(objects)
  repairDates(objects)
  const path = join(tools.workDir, 'conforming.pdf')
  // PDF/A-1 is based on PDF 1.4, which has no object streams.
  await objects.save(path, tools, pdfaPart === '1' ? 'disable' : 'generate')
  const unencryptedJob = { ...job, pdf: { ...pdf, isEncrypted: false } }
  return finishPdf(unencryptedJob, path, { pages: pdf.sizes.length, pdfaVersion: options.pdfaVersion })
}

interface PreparedPdf {
  readonly path: string
  readonly language: string | undefined
  /** Whether attached files must be copied to the result. */
  readonly hasAttachments: boolean
}

/** Removes what PDF/A forbids but Ghostscript keeps, and marks what PDF/A allows but Ghostscript would drop. */
async function prepareSource(
  source: string,
  { allowsAttachments }: { readonly allowsAttachments: boolean },
  tools: Tools,
): Promise<PreparedPdf> {
  const objects = await PdfObjects.load(source, tools)
  const { attachments = 0, ...removedCounts } = removeHiddenContent(objects, {})
  const isAttachmentLost = attachments > 0 && !allowsAttachments
  const removedKinds = [
    ...(Object.keys(removedCounts).length > 0 ? ['scripts and actions'] : []),
    ...(isAttachmentLost ? ['attached files'] : []),
  ]
  if (removedKinds.length > 0) {
    const message = `PDF/A forbids some content of the PDF, which was removed: ${removedKinds.join(', ')}.`
    tools.warn('ACTIVE_CONTENT_REMOVED', message)
  }
  makePrintable(objects)
  const path = join(tools.workDir, 'passive.pdf')
  await objects.save(path, tools)
  return { path, language: readLanguage(objects), hasAttachments: attachments > 0 && allowsAttachments }
}

/** Copies attached files, because Ghostscript keeps them only sometimes. */
async function copyAttachments(source: string, pdfaPath: string, tools: Tools): Promise<string> {
  const path = join(tools.workDir, 'with-attachments.pdf')
  await runQpdf({ inputFile: pdfaPath, copyAttachmentsFrom: [{ file: source }], outputFile: path }, tools)
  return path
}

/** Annotation flags (ISO 32000-2, 12.5.3). */
const hiddenFlag = 2
const printFlag = 4
const noViewFlag = 32
const toggleNoViewFlag = 256

/** Sets the print flag of annotations, as PDF/A requires. Most links lack it, and Ghostscript would drop them. */
function makePrintable(objects: PdfObjects): void {
  for (const page of objects.pages()) {
    for (const value of objects.list(page.dict['/Annots'])) {
      const annotation = objects.dict(value)
      const flags = Number(objects.resolve(annotation?.['/F']) ?? 0)
      if (!annotation || flags & (hiddenFlag | noViewFlag)) continue
      annotation['/F'] = (flags | printFlag) & ~toggleNoViewFlag
      // The annotation, or the list of annotations, may be stored inline in its parent.
      const holder = [value, page.dict['/Annots'], page.ref].find(isPdfRef)
      if (holder) objects.markChanged(holder)
    }
  }
}

/** Returns the language of the document if it is a language tag (BCP 47). */
function readLanguage(objects: PdfObjects): string | undefined {
  const language = decodePdfText(objects.resolve(objects.root['/Lang']))
  return language !== undefined && /^[a-z]{2,8}(?:-[a-z0-9]{1,8}){0,5}$/i.test(language)
    ? language
    : undefined
}

/** Adds to each attached file its type and its relationship to the document, as PDF/A-3 requires (ISO 19005-3, 6.8). */
function associateFiles(objects: PdfObjects): void {
  const refs = objects.refs.filter((ref) => '/EF' in (objects.dict(ref) ?? {}))
  for (const ref of refs) {
    const fileSpec = objects.dict(ref) ?? {}
    fileSpec['/AFRelationship'] ??= '/Unspecified'
    fileSpec['/UF'] ??= fileSpec['/F'] ?? null
    objects.markChanged(ref)
    for (const file of Object.values(objects.dict(fileSpec['/EF']) ?? {})) {
      const stream = objects.dict(file)
      if (!stream || !isPdfRef(file)) continue
      stream['/Subtype'] ??= '/application/octet-stream'
      objects.markChanged(file)
    }
  }
  if (refs.length === 0) return
  objects.root['/AF'] = refs
  objects.markRootChanged()
}

/** Removes the offset from dates that Ghostscript ends with `Z00'00'`: they would differ from the dates in XMP. */
function repairDates(objects: PdfObjects): void {
  const { '/Info': ref } = objects.trailer
  const info = objects.dict(ref)
  if (!info || !isPdfRef(ref)) return
  for (const key of ['/CreationDate', '/ModDate']) {
    const date = decodePdfText(info[key])
    if (date?.endsWith("Z00'00'")) info[key] = `u:${date.slice(0, -"00'00'".length)}`
  }
  objects.markChanged(ref)
}

/**
 * Checks the result, because Ghostscript writes a plain PDF if it cannot conform, and mentions that only in its log.
 */
async function requirePdfA(path: string, pdfaPart: string, tools: Tools) {
  const text = await readFile(path, 'latin1')
  const claimsPdfA = (await readPdfAClaim(path, tools))?.part === pdfaPart
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
