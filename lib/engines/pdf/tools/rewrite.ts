import { join } from 'node:path'
import { runQpdf } from '../qpdf.ts'
import { distill, flattenForm, requirePages, warnAboutDistillLosses } from './distill.ts'
import { finishPdf, type PdfTool, warnAboutInvalidSignatures } from './editable-pdf.ts'
import type { ToolOptions } from './options.ts'

export const convertToGrayscale: PdfTool<ToolOptions<'grayscale-pdf'>> = async (job) => {
  const { pdf, tools } = job
  warnAboutDistillLosses(pdf, tools)
  const output = join(tools.workDir, 'gray.pdf')
  const args = [
    '-sColorConversionStrategy=Gray',
    '-dProcessColorModel=/DeviceGray',
    '-dCompatibilityLevel=1.7',
  ]
  // Images keep their resolution: only the color is removed.
  const keepResolutionArgs = [
    '-dDownsampleColorImages=false',
    '-dDownsampleGrayImages=false',
    '-dDownsampleMonoImages=false',
  ]
  const onProgress = (ratio: number) => tools.progress(ratio * 0.9, 'pages')
  await distill(
    await flattenForm(pdf, tools),
    { args: [...args, ...keepResolutionArgs], output, onProgress },
    tools,
  )
  await requirePages(output, pdf.sizes.length, tools)
  return finishPdf(job, output, { pages: pdf.sizes.length })
}

export const linearizePdf: PdfTool<ToolOptions<'linearize-pdf'>> = async (job) => {
  const { pdf, work, tools } = job
  // Lets qpdf keep the encryption in this run, because a second pass would undo the linearization.
  const path = join(work.outDir, 'output.pdf')
  const { password, source } = pdf
  await warnAboutInvalidSignatures([source], tools)
  const inputFile = pdf.hasLockedAttachments ? pdf.path : source
  const inputOptions = { inputFile, ...(password !== undefined && pdf.isEncrypted && { password }) }
  await runQpdf({ ...inputOptions, linearize: '', allowWeakCrypto: '', outputFile: path }, tools)
  tools.progress(1)
  return { files: [{ path }], details: { pages: pdf.sizes.length } }
}
