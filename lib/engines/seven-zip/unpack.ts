import { mkdir, open, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { join, parse } from 'node:path'
import { fileTypeFromBuffer } from 'file-type'
import { AppError } from '../../errors.ts'
import { createArchiveTooLargeError, getMaxUnpackedBytes } from '../../formats/archive-limits.ts'
import type { FormatId } from '../../formats/index.ts'
import type { ExecOptions, InputFile, Tools } from '../engine.ts'
import { ProcessFailure } from '../sandbox/exec.ts'
import { locatePythonProgram } from '../sandbox/python.ts'
import { createFeatureError } from '../unsupported-feature.ts'
import { warnAboutDroppedEntries } from './dropped-entries.ts'
import { findSafeLinks, type KeptLink } from './kept-links.ts'
import {
  type ArchiveEntry,
  checkEntries,
  findUnsafeEntries,
  listWithBsdtar,
  listWithSevenZip,
  listWithUnar,
  unarEnv,
} from './list-entries.ts'
import { makeReadable, measureFolder, splitBackslashes, type UnpackedContents } from './scan-extracted.ts'

/** Compressed single files; a tar inside is unpacked too. */
export const singleFileFormats = ['gz', 'bz2', 'xz', 'zst', 'lz4', 'lzma', 'lz', 'lzo', 'z'] as const
/** Compressed tar archives, by their names. */
export const compressedTarFormats = [
  'tgz',
  'tbz2',
  'txz',
  'tzst',
  'tlz',
  'tar.lz',
  'tar.lz4',
  'tar.lzo',
  'tar.z',
] as const
/** Formats unpacked with bsdtar, because 7-Zip does not support them, or not completely. */
export const bsdtarFormats: readonly FormatId[] = ['rar', 'ar', 'deb', 'xar']

/** Formats in which names that are not marked as UTF-8 should be in code page 437 (APPNOTE 4.4.4, appendix D). */
const zipFormats: readonly FormatId[] = ['zip', 'jar', 'zipx', 'cbz']

const isCompressedTar = (format: FormatId) => compressedTarFormats.some((id) => id === format)
const isCompressedFile = (format: FormatId) =>
  isCompressedTar(format) || singleFileFormats.some((id) => id === format)

/**
 * Creates `folder` and unpacks the archive into it. Archives inside the archive are not unpacked.
 * @throws AppError INVALID_INPUT (password, path traversal), FILE_TOO_LARGE, CORRUPT_FILE; ProcessFailure or
 * EngineCrash when a program cannot read the archive.
 */
export async function unpackArchive(
  input: InputFile,
  folder: string,
  password: string,
  tools: Tools,
  { keepsLinks = false } = {},
): Promise<UnpackedContents & { readonly links: readonly KeptLink[] }> {
  const limitBytes = getMaxUnpackedBytes(input.size)
  await mkdir(folder)
  const links: KeptLink[] = []
  const settings = { limitBytes, password, keptLinks: keepsLinks ? links : undefined }
  if (input.format === 'rar') await unpackRar(input.path, folder, settings, tools)
  else if (bsdtarFormats.includes(input.format)) await unpackWithBsdtar(input.path, folder, settings, tools)
  else if (isCompressedFile(input.format)) await unpackCompressedFile(input, folder, settings, tools)
  else await unpackWithFallback({ path: input.path, format: input.format, folder }, settings, tools)
  await makeReadable(folder, zipFormats.includes(input.format) ? 'cp437' : 'windows-1252')
  if (zipFormats.includes(input.format)) await splitBackslashes(folder)
  const contents = await measureFolder(folder)
  if (contents.bytes > limitBytes) throw createArchiveTooLargeError(limitBytes)
  return { ...contents, links }
}

interface UnpackSettings {
  /** Receives the links that can be kept, if the new format supports links. */
  readonly keptLinks: KeptLink[] | undefined
  readonly limitBytes: number
  /** Empty if the client sent no password. */
  readonly password: string
}

/** Formats for which libarchive is the fallback. */
const bsdtarFallbackFormats: readonly FormatId[] = [
  'zip',
  'zipx',
  'jar',
  'cbz',
  '7z',
  'tar',
  'cpio',
  'iso',
  'cab',
  'lzh',
]

interface ArchiveSource {
  readonly path: string
  readonly format: FormatId
  /** Folder into which the archive is unpacked. */
  readonly folder: string
}

/** Falls back to libarchive if 7-Zip cannot read the archive; if that fails too, throws 7-Zip's error. */
async function unpackWithFallback(
  source: ArchiveSource,
  settings: UnpackSettings,
  tools: Tools,
): Promise<void> {
  const { path, format, folder } = source
  try {
    return await unpackWithSevenZip(source, settings, tools)
  } catch (error) {
    const isUnreadable =
      error instanceof MisreadEntriesError || (error instanceof ProcessFailure && !needsPassword(error))
    if (!isUnreadable || !bsdtarFallbackFormats.includes(format)) throw error
    await rm(folder, { recursive: true })
    await mkdir(folder)
    const usesPython = format === '7z' && usesUnknownMethod(error)
    const unpackAlternative = usesPython ? unpackWithPython : unpackWithBsdtar
    await unpackAlternative(path, folder, settings, tools).catch((fallbackError: unknown) => {
      throw fallbackError instanceof ProcessFailure && error instanceof ProcessFailure ? error : fallbackError
    })
  }
}

/** Whether 7-Zip can list the archive but not unpack it. */
export const usesUnknownMethod = (error: unknown) =>
  error instanceof ProcessFailure && /Unsupported Method/i.test(error.stderr)

/**
 * Uses py7zr, the only reader of Zstandard in 7z, which several programs write. Refuses links, because py7zr would
 * create them.
 */
async function unpackWithPython(
  path: string,
  folder: string,
  { limitBytes }: UnpackSettings,
  tools: Tools,
): Promise<void> {
  const entries = await listWithSevenZip(path, '', tools)
  checkEntries(entries, limitBytes)
  if (findUnsafeEntries(entries).length > 0)
    throw createFeatureError('7z', 'links and an unknown compression method')
  const { file, args, readOnly } = locatePythonProgram('archive/unpack_7z.py')
  await runWithSizeLimit({ folder, limitBytes }, [file, ...args, path, folder], tools, { readOnly })
}

export const needsPassword = ({ stderr }: { readonly stderr: string }) =>
  /wrong password|enter password/i.test(stderr)

/**
 * Thrown for entries that 7-Zip misreads: it unpacks a sparse file in POSIX tar as its raw data map instead of the
 * file, and a link in LZH as a folder named after the link and its target.
 */
class MisreadEntriesError extends Error {}
const isMisread = ({ name, kind }: ArchiveEntry, format: FormatId) =>
  /(?:^|\/)GNUSparseFile\.\d+\//.test(name) || (format === 'lzh' && kind === 'folder' && name.includes('|'))

async function unpackWithSevenZip(
  { path, format, folder }: ArchiveSource,
  { limitBytes, password, keptLinks }: UnpackSettings,
  tools: Tools,
): Promise<void> {
  const entries = await listWithSevenZip(path, password, tools)
  if (entries.some((entry) => isMisread(entry, format))) throw new MisreadEntriesError()
  checkEntries(entries, limitBytes)
  const droppedEntries = findUnsafeEntries(entries)
  const excludeListPath = join(tools.workDir, 'dropped.txt')
  if (droppedEntries.length > 0)
    await writeFile(excludeListPath, `${droppedEntries.map(({ name }) => name).join('\n')}\n`)
  const args = [
    'x',
    '-y',
    '-spd',
    `-o${folder}`,
    ...(droppedEntries.length > 0 ? [`-x@${excludeListPath}`] : []),
  ]
  await runWithSizeLimit({ folder, limitBytes }, ['7zz', ...args, '--', path], tools, {
    stdin: `${password}\n`,
  })
  keptLinks?.push(...findSafeLinks(entries))
  warnAboutDroppedEntries(entries, tools, keptLinks)
}

/** Unpacks a RAR with libarchive, which is safer than unar, unless it is encrypted: libarchive cannot decrypt it. */
async function unpackRar(
  path: string,
  folder: string,
  settings: UnpackSettings,
  tools: Tools,
): Promise<void> {
  const entries = await listWithUnar(path, settings.password, tools)
  if (entries.some(({ isEncrypted }) => isEncrypted)) {
    checkAndReport(entries, { ...settings, keptLinks: undefined }, tools)
    return unpackLockedRar(path, folder, settings, tools)
  }
  return unpackWithBsdtar(path, folder, settings, tools)
}

async function unpackWithBsdtar(
  path: string,
  folder: string,
  settings: UnpackSettings,
  tools: Tools,
): Promise<void> {
  const { limitBytes } = settings
  checkAndReport(await listWithBsdtar(path, tools), settings, tools)
  await runWithSizeLimit({ folder, limitBytes }, ['bsdtar', '-xf', path, '-C', folder], tools)
}

async function unpackLockedRar(
  path: string,
  folder: string,
  { limitBytes, password }: UnpackSettings,
  tools: Tools,
): Promise<void> {
  if (password === '') throw createPasswordError(false)
  // unar accepts the password only as an argument; processes outside of the sandbox cannot see its arguments.
  const command = ['unar', '-q', '-D', '-f', '-o', folder, '-password', password, path] as const
  try {
    await runWithSizeLimit({ folder, limitBytes }, command, tools, { env: unarEnv })
  } catch (error) {
    throw error instanceof ProcessFailure ? createPasswordError(true, error) : error
  }
}

/**
 * Checks and reports entries. bsdtar and unar refuse links that lead out of the archive; other links are removed after
 * unpacking.
 */
function checkAndReport(
  entries: readonly ArchiveEntry[],
  { limitBytes, keptLinks }: UnpackSettings,
  tools: Tools,
): void {
  checkEntries(entries, limitBytes)
  keptLinks?.push(...findSafeLinks(entries))
  warnAboutDroppedEntries(entries, tools, keptLinks)
}

/** Creates the error for an archive that needs a password, or a different one. */
export function createPasswordError(hadPassword: boolean, cause?: unknown): AppError {
  const message = hadPassword
    ? 'The password does not open the archive. Check it and send it again.'
    : 'The archive is protected. Send its password in the password option.'
  const reason = hadPassword ? 'wrong-password' : 'password-needed'
  return new AppError('INVALID_INPUT', message, { field: 'password', reason }, { cause })
}

type Command = readonly [bin: string, ...args: string[]]
type Decompressor = (from: string, to: string) => Command
const createUnLz4Command: Decompressor = (from, to) => ['lz4', '-d', '-q', '-f', from, to]
const createUnLzipCommand: Decompressor = (from, to) => ['lzip', '-d', '-q', '-o', to, '--', from]
const createUnLzopCommand: Decompressor = (from, to) => ['lzop', '-d', '-q', '-f', '-o', to, '--', from]
/** Decompressors for formats that 7-Zip cannot read. */
const decompressors: Readonly<Partial<Record<FormatId, Decompressor>>> = {
  lz4: createUnLz4Command,
  'tar.lz4': createUnLz4Command,
  lz: createUnLzipCommand,
  'tar.lz': createUnLzipCommand,
  lzo: createUnLzopCommand,
  'tar.lzo': createUnLzopCommand,
}

async function unpackCompressedFile(
  input: InputFile,
  folder: string,
  settings: UnpackSettings,
  tools: Tools,
) {
  const { limitBytes } = settings
  const stagingFolder = join(tools.workDir, 'stream')
  await mkdir(stagingFolder)
  const decompressor = decompressors[input.format]
  const copyName = parse(input.path).name
  const command: Command = decompressor
    ? decompressor(input.path, join(stagingFolder, copyName))
    : ['7zz', 'x', '-y', `-o${stagingFolder}`, '--', input.path]
  await runWithSizeLimit({ folder: stagingFolder, limitBytes }, command, tools, { stdin: '\n' })
  await makeReadable(stagingFolder, 'windows-1252')
  const [name] = await readdir(stagingFolder)
  if (name === undefined) throw new Error('A compressed file was empty.')
  const contentPath = join(stagingFolder, name)
  if (await isTar(contentPath)) {
    const tarPath = join(tools.workDir, 'content.tar')
    await rename(contentPath, tarPath)
    return unpackWithFallback({ path: tarPath, format: 'tar', folder }, { ...settings, password: '' }, tools)
  }
  if (isCompressedTar(input.format)) {
    const message = `The file is named as a compressed tar archive (${input.format}), but it does not contain one.`
    throw new AppError('CORRUPT_FILE', message, { field: 'file', format: input.format })
  }
  // If the archive stores no name, 7-Zip uses the name of our copy.
  await rename(contentPath, join(folder, name === copyName ? deriveContentName(input.filename) : name))
}

/** Whether the file is a tar, including pre-POSIX tar, which has no magic bytes, only a header checksum. */
async function isTar(path: string): Promise<boolean> {
  const file = await open(path)
  try {
    const { buffer } = await file.read(Buffer.alloc(512), 0, 512, 0)
    if (buffer.toString('latin1', 257, 262) === 'ustar') return true
    return (await fileTypeFromBuffer(buffer))?.mime === 'application/x-tar'
  } finally {
    await file.close()
  }
}

/** Derives the content's name, such as `photo.svg` from `photo.svg.gz`, with only safe characters. */
function deriveContentName(name: string): string {
  const stem = name.replace(/\.[^.]*$/, '').replace(/[^\p{L}\p{N}._ -]/gu, '_')
  return stem.replace(/^[.\s-]+/, '').slice(0, 60) || 'content'
}

const measureIntervalMs = 250

/** Runs a program while measuring the folder it fills, because an archive can contain more than it declares. */
async function runWithSizeLimit(
  { folder, limitBytes }: { readonly folder: string; readonly limitBytes: number },
  [bin, ...args]: Command,
  tools: Tools,
  // Closes stdin by default, so that prompts get an empty answer.
  { stdin = '', env = {}, readOnly = [] }: Pick<ExecOptions, 'stdin' | 'env' | 'readOnly'> = {},
): Promise<void> {
  const measuringController = new AbortController()
  let measurement: Promise<void> | undefined
  const interval = setInterval(() => {
    measurement ??= measureFolder(folder)
      .then(({ bytes }) => {
        if (bytes > limitBytes) measuringController.abort(createArchiveTooLargeError(limitBytes))
      })
      .catch((error: unknown) => measuringController.abort(error))
      .finally(() => {
        measurement = undefined
      })
  }, measureIntervalMs)
  try {
    await tools.exec(bin, args, {
      stdin,
      env,
      readOnly,
      maxFileBytes: limitBytes,
      signal: measuringController.signal,
    })
  } catch (error) {
    if (error instanceof AppError && error.details?.limitMb !== undefined)
      throw createArchiveTooLargeError(limitBytes, error)
    throw error
  } finally {
    clearInterval(interval)
    await measurement
  }
}
