import { join } from 'node:path'
import * as z from 'zod'
import { AppError } from '../errors.ts'
import { type FormatId, formatById } from '../formats/index.ts'
import { defined } from '../validation/defined.ts'
import type { Capability, Engine, EngineResult, EngineWork, InputFile, Tools } from './engine.ts'
import { secretOption } from './options.ts'
import { EngineCrash } from './sandbox/engine-crash.ts'
import { ProcessFailure } from './sandbox/exec.ts'
import { archiveCapabilities, packFiles } from './seven-zip/archive.ts'
import { extract, pathsOption } from './seven-zip/extract.ts'
import {
  compressionLevel,
  formatsWithLevel,
  formatsWithoutLevel,
  packFolder,
  passwordText,
  supportsLinks,
} from './seven-zip/pack.ts'
import {
  bsdtarFormats,
  compressedTarFormats,
  createPasswordError,
  needsPassword,
  singleFileFormats,
  unpackArchive,
  usesUnknownMethod,
} from './seven-zip/unpack.ts'
import { createFeatureError } from './unsupported-feature.ts'

const lockableFormats = ['zip', 'jar', 'zipx', '7z', 'rar'] as const
const otherFormats = [
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
  ...singleFileFormats,
  ...compressedTarFormats,
] as const

const password = passwordText
  .optional()
  .describe('Password of a protected archive. The result is not protected.')
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
const createExtractionCapability = (id: FormatId, shape: z.ZodRawShape): Capability => ({
  operation: 'extract',
  from: [id],
  to: [id],
  same: true,
  options: z.object(shape),
  cost: 0.5,
})

/** Unpacks archives (one level) and packs them. A gz, bz2, xz or zst for several files contains a tar. */
export const sevenZip: Engine = {
  id: '7zip',
  image: 'archive',
  capabilities: [
    capability(lockableFormats, formatsWithLevel, { password, compressionLevel }),
    capability(lockableFormats, formatsWithoutLevel, { password }),
    capability(otherFormats, formatsWithLevel, { compressionLevel }),
    capability(otherFormats, formatsWithoutLevel, {}),
    ...archiveCapabilities,
    ...lockableFormats.map((id) => createExtractionCapability(id, { paths: pathsOption, password })),
    ...otherFormats.map((id) => createExtractionCapability(id, { paths: pathsOption })),
  ],
  limits: { memoryMb: 3008, diskMb: 10_240, timeoutS: 900 },
  version: ['7zz', 'i'],
  run,
}

const Options = z.object({ password, compressionLevel })

async function run(work: EngineWork, tools: Tools): Promise<EngineResult> {
  if (work.operation === 'archive') return packFiles(work, tools)
  const [input] = work.inputs
  if (!input) throw new Error('7zip was called without an input.')
  const options = Options.parse(work.options)
  try {
    tools.progress(0.05)
    const resultPromise =
      work.operation === 'extract' ? extract(work, input, tools) : convertArchive(work, input, options, tools)
    const result = await resultPromise
    tools.progress(1)
    return result
  } catch (error) {
    throw explainFailure(error, input.format, options.password !== undefined)
  }
}

async function convertArchive(
  { to, outDir }: EngineWork,
  input: InputFile,
  options: z.infer<typeof Options>,
  tools: Tools,
): Promise<EngineResult> {
  const folder = join(tools.workDir, 'unpacked')
  const content = await unpackArchive(input, folder, options.password ?? '', tools, {
    keepsLinks: supportsLinks(to),
  })
  if (content.files + content.folders === 0) {
    const message = 'The archive is empty, so there is nothing to convert.'
    throw new AppError('INVALID_INPUT', message, { field: 'file', reason: 'empty' })
  }
  tools.progress(0.5)
  const { memberCount: listedFiles, ...file } = await packFolder(
    { folder, ...content },
    to,
    { outDir, level: options.compressionLevel },
    tools,
  )
  return {
    files: [file],
    memberCounts: { source: content.files, ...defined({ result: listedFiles }) },
    details: { files: content.files, bytes: content.bytes },
  }
}

function explainFailure(error: unknown, format: FormatId, hadPassword: boolean): unknown {
  if (!(error instanceof ProcessFailure || error instanceof EngineCrash)) return error
  if (error instanceof EngineCrash && error.bin === 'bsdtar' && !bsdtarFormats.includes(format)) return error
  if (needsPassword(error)) return createPasswordError(hadPassword, error)
  if (usesUnknownMethod(error)) return createFeatureError(format, 'an unknown compression method', error)
  const message = `The ${formatById(format).name} (${format}) is damaged or uses an unsupported method.`
  return new AppError('CORRUPT_FILE', message, { field: 'file', format }, { cause: error })
}
