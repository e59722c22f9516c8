import { join } from 'node:path'
import * as z from 'zod'
import { AppError } from '../errors.ts'
import { type FormatId, formatById } from '../formats/index.ts'
import type { Capability, Engine, EngineResult, EngineWork, InputFile, Tools } from './engine.ts'
import { secretOption } from './options.ts'
import { EngineCrash } from './sandbox/engine-crash.ts'
import { ProcessFailure } from './sandbox/exec.ts'
import { archive, archiveRows } from './seven-zip/archive.ts'
import { extract, paths } from './seven-zip/extract.ts'
import { compressionLevel, leveled, pack, passwordText, plains } from './seven-zip/pack.ts'
import {
  byBsdtar,
  locked,
  streams,
  taped,
  unpack,
  usesUnknownMethod,
  wantsPassword,
} from './seven-zip/unpack.ts'
import { featureError } from './unsupported-feature.ts'

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

const password = passwordText
  .optional()
  .describe('Opens an archive that needs one. The result is not protected.')
  .meta(secretOption)

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

/** Extracted files can have any format; in the plan, the archive's format represents them. */
const extraction = (id: FormatId, shape: z.ZodRawShape): Capability => ({
  operation: 'extract',
  from: [id],
  to: [id],
  same: true,
  options: z.object(shape),
  cost: 0.5,
})

/** Unpacks archives (one level) and packs them. Several files in a gz, bz2, xz or zst are packed as a tar inside. */
export const sevenZip: Engine = {
  id: '7zip',
  image: 'archive',
  capabilities: [
    capability(lockable, leveled, { password, compressionLevel }),
    capability(lockable, plains, { password }),
    capability(others, leveled, { compressionLevel }),
    capability(others, plains, {}),
    ...archiveRows,
    ...lockable.map((id) => extraction(id, { paths, password })),
    ...others.map((id) => extraction(id, { paths })),
  ],
  limits: { memoryMb: 3008, diskMb: 10_240, timeoutS: 900 },
  version: ['7zz', 'i'],
  run,
}

const Options = z.object({ password, compressionLevel })

async function run(work: EngineWork, tools: Tools): Promise<EngineResult> {
  if (work.operation === 'archive') return archive(work, tools)
  const [input] = work.inputs
  if (!input) throw new Error('7zip was called without an input.')
  const options = Options.parse(work.options)
  try {
    tools.progress(0.05)
    const doing =
      work.operation === 'extract' ? extract(work, input, tools) : repack(work, input, options, tools)
    const result = await doing
    tools.progress(1)
    return result
  } catch (error) {
    throw failure(error, input.format, options.password !== undefined)
  }
}

async function repack(
  { to, outDir }: EngineWork,
  input: InputFile,
  options: z.infer<typeof Options>,
  tools: Tools,
): Promise<EngineResult> {
  const folder = join(tools.workDir, 'unpacked')
  const content = await unpack(input, folder, options.password ?? '', tools)
  if (content.files + content.folders === 0) {
    const sentence = 'The archive is empty, so there is nothing to convert.'
    throw new AppError('INVALID_INPUT', sentence, { field: 'file', reason: 'empty' })
  }
  tools.progress(0.5)
  const { listed, ...file } = await pack(
    { folder, ...content },
    to,
    { outDir, level: options.compressionLevel },
    tools,
  )
  return {
    files: [file],
    memberCounts: { source: content.files, ...(listed !== undefined && { result: listed }) },
    details: { files: content.files, bytes: content.bytes },
  }
}

function failure(error: unknown, format: FormatId, hadPassword: boolean): unknown {
  if (!(error instanceof ProcessFailure || error instanceof EngineCrash)) return error
  if (error instanceof EngineCrash && error.bin === 'bsdtar' && !byBsdtar.includes(format)) return error
  if (wantsPassword(error)) return locked(hadPassword, error)
  if (usesUnknownMethod(error)) return featureError(format, 'a compression that is not known', error)
  const sentence = `The ${formatById(format).name} (${format}) is damaged or uses a method that is not supported.`
  return new AppError('CORRUPT_FILE', sentence, { field: 'file', format }, { cause: error })
}
