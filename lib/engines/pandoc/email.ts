import { join } from 'node:path'
import * as z from 'zod'
import { AppError } from '../../errors.ts'
import type { Capability, EngineResult, EngineWork, Tools } from '../engine.ts'
import { EngineCrash } from '../sandbox/engine-crash.ts'
import { ProcessFailure } from '../sandbox/exec.ts'
import { runPython } from '../sandbox/python.ts'

export const emailCapability: Capability = {
  operation: 'convert',
  from: ['eml'],
  to: ['html'],
  options: z.object({}),
  cost: 0.3,
}

const Output = z.object({ attachments: z.int(), missing: z.int() })

/**
 * Converts an email to a self-contained page without scripts: headers, text, images, and the names of attachments.
 * @throws AppError CORRUPT_FILE.
 */
export async function convertEmail(
  { inputs: [input], outDir }: EngineWork,
  tools: Tools,
): Promise<EngineResult> {
  if (!input) throw new Error('mail was called without an input.')
  const path = join(outDir, 'result.html')
  const { stdout } = await runPython('document/mail_page.py', [input.path, path], tools, {
    timeoutS: 120,
  }).catch((error: unknown) => {
    throw error instanceof ProcessFailure || error instanceof EngineCrash
      ? createCorruptEmailError(error)
      : error
  })
  const { attachments, missing } = Output.parse(JSON.parse(stdout))
  if (attachments > 0) {
    const files = attachments === 1 ? 'The attached file is' : `The ${attachments} attached files are`
    tools.warn('ATTACHMENTS_DROPPED', `${files} listed in the result but not included.`, {
      count: attachments,
    })
  }
  if (missing > 0) {
    const subject = missing === 1 ? 'An image was' : `${missing} images were`
    tools.warn('PICTURES_DROPPED', `${subject} left out because they are not part of the email.`)
  }
  tools.progress(1)
  return { files: [{ path }] }
}

function createCorruptEmailError(cause: Error): AppError {
  const message = 'The email message (eml) could not be read: it is damaged or not an email.'
  return new AppError('CORRUPT_FILE', message, { field: 'file', format: 'eml' }, { cause })
}
