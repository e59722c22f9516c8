import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { createPdfPasswordMissingError } from '../../../formats/locked-pdf.ts'
import { runQpdf } from '../qpdf.ts'
import { finishPdf, type PdfTool, warnAboutInvalidSignatures } from './editable-pdf.ts'
import type { ToolOptions } from './options.ts'
import { reviewPdfAClaim } from './pdfa-claim.ts'

/** Encrypts with AES-256 (ISO 32000-2, 7.6). `openEditable` has decrypted the source before. */
export const encryptPdf: PdfTool<ToolOptions<'encrypt-pdf'>> = async ({ pdf, options, work, tools }) => {
  const { password, allowPrinting, allowCopying, allowModifying, allowAnnotating, allowFormFilling } = options
  const isRestricted = !(
    allowPrinting &&
    allowCopying &&
    allowModifying &&
    allowAnnotating &&
    allowFormFilling
  )
  // The owner password lifts all restrictions, so it must differ from the password that every reader knows.
  const ownerPassword = options.ownerPassword ?? (isRestricted ? randomBytes(24).toString('hex') : password)
  if (isRestricted && ownerPassword === password) {
    tools.warn(
      'RESTRICTIONS_VOID',
      'ownerPassword is the same as password, so anyone who opens the PDF has all permissions.',
    )
  }
  const toYesOrNo = (allowed: boolean) => (allowed ? 'y' : 'n')
  const permissions = {
    print: allowPrinting ? 'full' : 'none',
    extract: toYesOrNo(allowCopying),
    modifyOther: toYesOrNo(allowModifying),
    assemble: toYesOrNo(allowModifying),
    annotate: toYesOrNo(allowAnnotating),
    form: toYesOrNo(allowFormFilling),
    accessibility: 'y',
  }
  await warnAboutInvalidSignatures([pdf.path], tools)
  const path = join(work.outDir, 'output.pdf')
  const encryption = { encrypt: { userPassword: password, ownerPassword, '256bit': permissions } }
  const inputFile = await reviewPdfAClaim(pdf.path, pdf.path, work.operation, tools)
  await runQpdf({ inputFile, ...encryption, outputFile: path }, tools)
  tools.progress(1)
  return { files: [{ path }], details: { pages: pdf.sizes.length, encryption: 'AES-256' } }
}

export const decryptPdf: PdfTool<ToolOptions<'decrypt-pdf'>> = async (job) => {
  const { pdf, tools } = job
  if (pdf.hasLockedAttachments)
    throw createPdfPasswordMissingError({ filename: job.work.inputs[0]?.filename })
  if (!pdf.isEncrypted) tools.warn('NOTHING_TO_DO', 'The PDF was not encrypted.')
  const decryptedPath = join(tools.workDir, 'decrypted.pdf')
  await runQpdf({ inputFile: pdf.path, outputFile: decryptedPath }, tools)
  return finishPdf({ ...job, pdf: { ...pdf, isEncrypted: false } }, decryptedPath, {
    pages: pdf.sizes.length,
  })
}
