import { link, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import * as z from 'zod'
import { type FormatId, formatById, formats } from '../../formats/index.ts'
import { defined } from '../../validation/defined.ts'
import type { Capability, EngineResult, EngineWork, InputFile, Tools } from '../engine.ts'
import { newPasswordOption } from '../options.ts'
import { compressionLevel, type PackedArchive, packFolder, passwordText } from './pack.ts'
import { createFileNamer } from './unique-file-names.ts'

const allFormatIds = formats.map(({ id }) => id)

const EncryptedArchiveOptions = z.object({
  compressionLevel,
  password: passwordText
    .optional()
    .describe('Password for the new archive (AES-256). In a 7z it also encrypts the file names.')
    .meta(newPasswordOption),
})

const row = (to: readonly FormatId[], options: z.ZodObject): Capability => ({
  operation: 'archive',
  from: allFormatIds,
  to,
  same: true,
  more: { from: allFormatIds, min: 0, max: 999 },
  options,
  cost: 0.5,
})

export const archiveCapabilities: readonly Capability[] = [
  row(['zip', '7z'], EncryptedArchiveOptions),
  row(['tgz', 'tbz2', 'txz', 'tzst'], z.object({ compressionLevel })),
  row(['tar'], z.object({})),
]

/** Formats that are lossless but contain compressed data. */
const compressedFormats: readonly FormatId[] = [
  ...(['png', 'apng', 'gif', 'svgz', 'icns', 'flac', 'alac', 'wv', 'tta', 'mlp', 'thd'] as const),
  ...(['docx', 'docm', 'dotx', 'dotm', 'xlsx', 'xlsm', 'xlsb', 'xltx', 'xltm', 'numbers'] as const),
  ...(['pptx', 'pptm', 'ppsx', 'potx', 'potm', 'key', 'vsdx', 'pages', 'xps', 'oxps', 'odt'] as const),
  ...(['ott', 'ods', 'ots', 'odp', 'otp', 'odg', 'otg', 'sxw', 'sxc', 'sxi', 'epub', 'fbz'] as const),
  ...(['htmlz', 'txtz', 'pmlz', 'cbz', 'cbr', 'cb7', 'woff', 'woff2', 'zip', 'zipx', 'jar'] as const),
  ...(['7z', 'rar', 'gz', 'bz2', 'xz', 'zst', 'lz4', 'lzma', 'lz', 'lzo', 'tgz', 'tbz2'] as const),
  ...(['txz', 'tzst', 'tlz', 'tar.lz', 'tar.lz4', 'tar.lzo', 'deb', 'squashfs'] as const),
]

const isCompressed = ({ format }: InputFile) =>
  formatById(format).lossy === true || compressedFormats.includes(format)

/** Packs all inputs into one archive without folders, under their original names. */
export async function packFiles(
  { inputs, to, options, outDir }: EngineWork,
  tools: Tools,
): Promise<EngineResult> {
  const { compressionLevel: level = 0, password } = EncryptedArchiveOptions.partial().parse(options)
  const nameFile = createFileNamer()
  // In a ZIP, each file is compressed separately, so files that would not shrink are stored uncompressed.
  const { loose: compressible = [], stored: uncompressed = [] } = Object.groupBy(inputs, (input) =>
    to === 'zip' && isCompressed(input) ? 'stored' : 'loose',
  )
  let file: PackedArchive | undefined
  let listedCount = 0
  for (const [name, part, partLevel] of [
    ['loose', compressible, level],
    ['stored', uncompressed, 0],
  ] as const) {
    if (part.length === 0) continue
    const folder = join(tools.workDir, name)
    await mkdir(folder)
    for (const { path, filename } of part) await link(path, join(folder, nameFile(filename)))
    const settings = { outDir, level: partLevel, ...defined({ password }) }
    file = await packFolder({ folder, files: part.length, folders: 0 }, to, settings, tools)
    listedCount += file.memberCount ?? 0
    tools.progress(name === 'loose' ? compressible.length / inputs.length : 1)
  }
  if (!file) throw new Error('The step has no file to archive.')
  const bytes = inputs.reduce((sum, { size }) => sum + size, 0)
  const { memberCount: _memberCount, ...output } = file
  return {
    files: [output],
    ...(listedCount > 0 && { memberCounts: { result: listedCount } }),
    details: { files: inputs.length, bytes },
  }
}
