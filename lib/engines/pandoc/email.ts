import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as z from 'zod'
import { AppError } from '../../errors.ts'
import type { Capability, EngineResult, EngineWork, InputFile, Tools } from '../engine.ts'
import { EngineCrash } from '../sandbox/engine-crash.ts'
import { ProcessFailure } from '../sandbox/exec.ts'
import { runPython } from '../sandbox/python.ts'

const row = { operation: 'convert', options: z.object({}), cost: 0.3 } as const

export const emailCapabilities: readonly Capability[] = [
  { ...row, from: ['eml', 'msg'], to: ['html'] },
  { ...row, from: ['msg'], to: ['eml'] },
]

const Output = z.object({ attachments: z.int(), missing: z.int() })

/** Converts emails to web pages, and those of Outlook also to email files. @throws AppError CORRUPT_FILE. */
export async function convertEmail(
  { inputs: [input], from, to, outDir }: EngineWork,
  tools: Tools,
): Promise<EngineResult> {
  if (!input) throw new Error('mail was called without an input.')
  const path = join(outDir, `result.${to}`)
  if (to === 'eml') await writeOutlookEml(input, path, tools)
  else {
    const emlPath = from === 'msg' ? join(tools.workDir, 'mail.eml') : input.path
    if (from === 'msg') await writeOutlookEml(input, emlPath, tools)
    await writePage(emlPath, path, tools)
  }
  tools.progress(1)
  return { files: [{ path }] }
}

/** Writes a self-contained page without scripts: headers, text, images, and the names of attachments. */
async function writePage(emlPath: string, path: string, tools: Tools): Promise<void> {
  const { stdout } = await runPython('document/mail_page.py', [emlPath, path], tools, {
    timeoutS: 120,
  }).catch((error: unknown) => {
    throw error instanceof ProcessFailure || error instanceof EngineCrash
      ? createCorruptEmailError('eml', error)
      : error
  })
  const { attachments, missing } = Output.parse(JSON.parse(stdout))
  if (attachments > 0) {
    const filesPhrase = attachments === 1 ? 'The attached file is' : `The ${attachments} attached files are`
    tools.warn('ATTACHMENTS_DROPPED', `${filesPhrase} listed in the result but not included.`, {
      count: attachments,
    })
  }
  if (missing > 0) {
    const subject = missing === 1 ? 'An image was' : `${missing} images were`
    tools.warn('PICTURES_DROPPED', `${subject} left out: not included in the email.`)
  }
}

async function writeOutlookEml(input: InputFile, path: string, tools: Tools): Promise<void> {
  const { readOutlookMessage } = await import('../shared/email/outlook-message.ts')
  const { composeEml } = await import('../shared/email/compose-eml.ts')
  const message = await readOutlookMessage(await readFile(input.path)).catch((error: Error) => {
    throw createCorruptEmailError('msg', error)
  })
  if (!/^(?:IPM\.Note|REPORT)\b/i.test(message.messageClass))
    tools.warn(
      'DATA_DROPPED',
      `This Outlook item is not an email (${message.messageClass}): only its subject, people, text and attachments were converted.`,
    )
  const { body } = message
  const html = body.format === 'rtf' ? await convertRtf(body.content, tools) : undefined
  await writeFile(
    path,
    await composeEml(html === undefined ? message : { ...message, body: { format: 'html', content: html } }),
  )
}

/** Converts a text that was written as RTF. */
async function convertRtf(rtf: string, { exec, workDir }: Tools): Promise<string> {
  const [path, page] = [join(workDir, 'body.rtf'), join(workDir, 'body.html')]
  await writeFile(path, rtf, 'latin1')
  await exec('pandoc', ['--sandbox', '--self-contained', '-f', 'rtf', '-t', 'html5', '-o', page, path])
  return readFile(page, 'utf8')
}

function createCorruptEmailError(format: 'eml' | 'msg', cause: Error): AppError {
  const message = `The email message (${format}) could not be read: it is damaged or not an email.`
  return new AppError('CORRUPT_FILE', message, { field: 'file', format }, { cause })
}
