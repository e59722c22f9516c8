import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { qpdf } from '../qpdf.ts'
import { finish, type Tool, warnSigned } from './editable-pdf.ts'
import type { ToolOptions } from './options.ts'

/** AES with 256 bits (ISO 32000-2, 7.6). The work's own `openEditable` has opened the source. */
export const encrypt: Tool<ToolOptions<'encrypt-pdf'>> = async ({ pdf, options, work, tools }) => {
  const { password, allowPrinting, allowCopying, allowModifying, allowAnnotating, allowFormFilling } = options
  const restricted = !(allowPrinting && allowCopying && allowModifying && allowAnnotating && allowFormFilling)
  // Who opens with the owner's password is not restricted, so it must not be the one that everybody has.
  const ownerPassword = options.ownerPassword ?? (restricted ? randomBytes(24).toString('hex') : password)
  if (restricted && ownerPassword === password) {
    tools.warn(
      'RESTRICTIONS_VOID',
      'The owner password is the same as the password, so whoever opens the PDF may do everything.',
    )
  }
  const yes = (allowed: boolean) => (allowed ? 'y' : 'n')
  const rights = {
    print: allowPrinting ? 'full' : 'none',
    extract: yes(allowCopying),
    modifyOther: yes(allowModifying),
    assemble: yes(allowModifying),
    annotate: yes(allowAnnotating),
    form: yes(allowFormFilling),
    accessibility: 'y',
  }
  await warnSigned([pdf.path], tools)
  const path = join(work.outDir, 'output.pdf')
  const lock = { encrypt: { userPassword: password, ownerPassword, '256bit': rights } }
  await qpdf({ inputFile: pdf.path, ...lock, outputFile: path }, tools)
  tools.progress(1)
  return { files: [{ path }], details: { pages: pdf.sizes.length, encryption: 'AES-256' } }
}

export const decrypt: Tool<ToolOptions<'decrypt-pdf'>> = async (job) => {
  const { pdf, tools } = job
  if (!pdf.encrypted) tools.warn('NOTHING_TO_DO', 'The PDF was not protected.')
  const open = join(tools.workDir, 'decrypted.pdf')
  await qpdf({ inputFile: pdf.path, outputFile: open }, tools)
  return finish({ ...job, pdf: { ...pdf, encrypted: false } }, open, { pages: pdf.sizes.length })
}
