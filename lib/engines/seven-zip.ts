import { join } from 'node:path'
import * as z from 'zod'
import { AppError } from '../errors.ts'
import { type FormatId, formatById } from '../formats/index.ts'
import type { Capability, Engine, Result, Tools, Work } from './engine.ts'
import { integer, secret } from './options.ts'
import { EngineCrash, ProcessFailure } from './sandbox/exec.ts'
import { leveled, pack, plains } from './seven-zip/pack.ts'
import { byBsdtar, locked, streams, taped, unpack } from './seven-zip/unpack.ts'

const lockable = ['zip', 'jar', 'zipx', '7z', 'rar'] as const
const others = [
  'cbz',
  'tar',
  'iso',
  'cab',
  'cpio',
  'ar',
  'deb',
  'arj',
  'lzh',
  'xar',
  'wim',
  'squashfs',
  ...streams,
  ...taped,
] as const

// Line ends would end the answer to the question for it.
const password = z
  .string()
  .regex(/^[^\r\n]{1,200}$/, 'Expected 1 to 200 characters without line ends.')
  .optional()
  .describe('Opens an archive that needs one. The result is not protected.')
  .meta(secret)
const compressionLevel = integer(0, 9)
  .default(5)
  .describe('0 is fastest, 9 smallest; the files are the same.')

const capability = (
  from: readonly FormatId[],
  to: readonly FormatId[],
  shape: z.ZodRawShape,
): Capability => ({
  operation: 'convert',
  from,
  to,
  options: z.object(shape),
  cost: 0.5,
})

/** Archives: unpacks one level and packs again. gz, bz2, xz and zst of several files hold a tape archive. */
export const sevenZip: Engine = {
  id: '7zip',
  image: 'archive',
  capabilities: [
    capability(lockable, leveled, { password, compressionLevel }),
    capability(lockable, plains, { password }),
    capability(others, leveled, { compressionLevel }),
    capability(others, plains, {}),
  ],
  limits: { memoryMb: 3008, diskMb: 10_240, timeoutS: 900 },
  version: ['7zz', 'i'],
  run,
}

const Options = z.object({ password, compressionLevel })

async function run(work: Work, tools: Tools): Promise<Result> {
  const [input] = work.inputs
  if (!input) throw new Error('7zip was called without an input.')
  const options = Options.parse(work.options)
  const folder = join(tools.workDir, 'unpacked')
  try {
    tools.progress(0.05)
    const content = await unpack(input, folder, options.password ?? '', tools)
    if (content.files + content.folders === 0) {
      const sentence = 'The archive is empty, so there is nothing to convert.'
      throw new AppError('INVALID_INPUT', sentence, { field: 'file', reason: 'empty' })
    }
    tools.progress(0.5)
    const settings = { outDir: work.outDir, level: options.compressionLevel }
    const file = await pack({ folder, ...content }, work.to, settings, tools)
    tools.progress(1)
    return { files: [file], details: { files: content.files, bytes: content.bytes } }
  } catch (error) {
    throw failure(error, input.format, options.password !== undefined)
  }
}

function failure(error: unknown, format: FormatId, hadPassword: boolean): unknown {
  if (!(error instanceof ProcessFailure || error instanceof EngineCrash)) return error
  if (error instanceof EngineCrash && error.bin === 'bsdtar' && !byBsdtar.includes(format)) return error
  if (/wrong password|enter password/i.test(error.stderr)) return locked(hadPassword, error)
  const sentence = `The ${formatById(format).name} (${format}) is damaged or uses a method that is not supported.`
  return new AppError('CORRUPT_FILE', sentence, { field: 'file', format }, { cause: error })
}
