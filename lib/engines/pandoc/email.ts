import { join } from 'node:path'
import * as z from 'zod'
import { AppError } from '../../errors.ts'
import type { Capability, EngineResult, EngineWork, Tools } from '../engine.ts'
import { EngineCrash } from '../sandbox/engine-crash.ts'
import { ProcessFailure } from '../sandbox/exec.ts'
import { runPython } from '../sandbox/python.ts'

export const mailCapability: Capability = {
  operation: 'convert',
  from: ['eml'],
  to: ['html'],
  options: z.object({}),
  cost: 0.3,
}

const Answer = z.object({ attachments: z.int(), missing: z.int() })

/**
 * A mail as a page without scripts, which loads nothing: its headers, its text, its pictures, the names of its
 * attachments.
 * @throws AppError CORRUPT_FILE.
 */
export async function mailToPage(
  { inputs: [input], outDir }: EngineWork,
  tools: Tools,
): Promise<EngineResult> {
  if (!input) throw new Error('mail was called without an input.')
  const path = join(outDir, 'result.html')
  const { stdout } = await runPython('document/mail_page.py', [input.path, path], tools, {
    timeoutS: 120,
  }).catch((error: unknown) => {
    throw error instanceof ProcessFailure || error instanceof EngineCrash ? corrupt(error) : error
  })
  const { attachments, missing } = Answer.parse(JSON.parse(stdout))
  if (attachments > 0) {
    const files = attachments === 1 ? 'The attached file is' : `The ${attachments} attached files are`
    tools.warn('ATTACHMENTS_DROPPED', `${files} named in the result, and not part of it.`)
  }
  if (missing > 0) {
    const many = missing === 1 ? 'A picture was' : `${missing} pictures were`
    tools.warn('PICTURES_DROPPED', `${many} left out: not part of the mail that was sent.`)
  }
  tools.progress(1)
  return { files: [{ path }] }
}

function corrupt(cause: Error): AppError {
  const sentence = 'The E-mail message (eml) could not be read: it is damaged, or no mail.'
  return new AppError('CORRUPT_FILE', sentence, { field: 'file', format: 'eml' }, { cause })
}
