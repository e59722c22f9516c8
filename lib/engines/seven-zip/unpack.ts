import { mkdir, open, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { join, parse } from 'node:path'
import { fileTypeFromBuffer } from 'file-type'
import { AppError } from '../../errors.ts'
import type { FormatId } from '../../formats/index.ts'
import type { ExecOptions, InputFile, Tools } from '../engine.ts'
import { ProcessFailure } from '../sandbox/exec.ts'
import { pythonProgram } from '../sandbox/python.ts'
import { unsupportedFeature } from '../unsupported-feature.ts'
import { tellWhatIsDropped } from './dropped-entries.ts'
import { allowedBytes, tooLarge } from './limits.ts'
import { check, type Entry, list, listByBsdtar, listByUnar, unarEnv, unwanted } from './list-entries.ts'
import { makeReadable, survey, type Unpacked } from './scan-extracted.ts'

/** Compressed single files; a tape archive inside is unpacked too. */
export const streams = ['gz', 'bz2', 'xz', 'zst', 'lz4', 'lzma', 'lz', 'lzo', 'z'] as const
/** The same around a tape archive, by their names. */
export const taped = ['tgz', 'tbz2', 'txz', 'tzst', 'tlz', 'tar.lz', 'tar.lz4', 'tar.lzo', 'tar.z'] as const
/** 7-Zip does not know them, or not all of what is in them. */
export const byBsdtar: readonly FormatId[] = ['rar', 'ar', 'deb', 'xar']

/** Names in a ZIP that are not marked as UTF-8 are in code page 437 (APPNOTE 4.4.4, appendix D), by rights. */
const ofDos: readonly FormatId[] = ['zip', 'jar', 'zipx', 'cbz']

const isTaped = (format: FormatId) => taped.some((id) => id === format)
const isStream = (format: FormatId) => isTaped(format) || streams.some((id) => id === format)

/**
 * Fills `folder`, which it makes. Archives inside the archive stay as they are.
 * @throws AppError INVALID_INPUT (password, names that lead out), FILE_TOO_LARGE, CORRUPT_FILE; ProcessFailure or
 * EngineCrash where a program cannot read the archive.
 */
export async function unpack(
  input: InputFile,
  folder: string,
  password: string,
  tools: Tools,
): Promise<Unpacked> {
  const limitBytes = allowedBytes(input.size)
  await mkdir(folder)
  const limits = { limitBytes, password }
  if (input.format === 'rar') await unpackRar(input.path, folder, limits, tools)
  else if (byBsdtar.includes(input.format)) await unpackByBsdtar(input.path, folder, limitBytes, tools)
  else if (isStream(input.format)) await unpackStream(input, folder, limitBytes, tools)
  else await unpackAnyhow({ path: input.path, format: input.format, folder }, limits, tools)
  await makeReadable(folder, ofDos.includes(input.format) ? 'cp437' : 'windows-1252')
  const found = await survey(folder)
  if (found.bytes > limitBytes) throw tooLarge(limitBytes)
  return found
}

interface Limits {
  readonly limitBytes: number
  /** Empty when none was given. */
  readonly password: string
}

/** What libarchive reads besides. */
const alsoByBsdtar: readonly FormatId[] = [
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

/** What 7-Zip cannot read, libarchive may; if it cannot either, what 7-Zip said is said. */
async function unpackAnyhow(
  { path, format, folder }: { readonly path: string; readonly format: FormatId; readonly folder: string },
  limits: Limits,
  tools: Tools,
): Promise<void> {
  try {
    return await unpackArchive(path, folder, limits, tools)
  } catch (error) {
    const isUnread =
      error instanceof SparseFiles || (error instanceof ProcessFailure && !wantsPassword(error))
    if (!isUnread || !alsoByBsdtar.includes(format)) throw error
    await rm(folder, { recursive: true })
    await mkdir(folder)
    const byPython = format === '7z' && usesUnknownMethod(error)
    const unpackOtherwise = byPython ? unpackByPython : unpackByBsdtar
    await unpackOtherwise(path, folder, limits.limitBytes, tools).catch((other: unknown) => {
      throw other instanceof ProcessFailure && error instanceof ProcessFailure ? error : other
    })
  }
}

/** It can list such an archive, and no more. */
export const usesUnknownMethod = (error: unknown) =>
  error instanceof ProcessFailure && /Unsupported Method/i.test(error.stderr)

/** Zstandard, which several packers of 7z have, is read by py7zr alone; links are not, as it would make them. */
async function unpackByPython(path: string, folder: string, limitBytes: number, tools: Tools): Promise<void> {
  const entries = await list(path, '', tools)
  check(entries, limitBytes)
  if (unwanted(entries).length > 0)
    throw unsupportedFeature('7z', 'links and a compression that is not known')
  const { file, args, readOnly } = pythonProgram('archive/unpack_7z.py')
  await guarded({ folder, limitBytes }, [file, ...args, path, folder], tools, { readOnly })
}

export const wantsPassword = ({ stderr }: { readonly stderr: string }) =>
  /wrong password|enter password/i.test(stderr)

/** POSIX writes a file with holes as a list of what is in it, which 7-Zip takes for the file. */
class SparseFiles extends Error {}
const isSparse = ({ name }: Entry) => /(?:^|\/)GNUSparseFile\.\d+\//.test(name)

async function unpackArchive(
  path: string,
  folder: string,
  { limitBytes, password }: Limits,
  tools: Tools,
): Promise<void> {
  const entries = await list(path, password, tools)
  if (entries.some(isSparse)) throw new SparseFiles()
  check(entries, limitBytes)
  const dropped = unwanted(entries)
  const exclude = join(tools.workDir, 'dropped.txt')
  if (dropped.length > 0) await writeFile(exclude, `${dropped.map(({ name }) => name).join('\n')}\n`)
  const args = ['x', '-y', '-spd', `-o${folder}`, ...(dropped.length > 0 ? [`-x@${exclude}`] : [])]
  await guarded({ folder, limitBytes }, ['7zz', ...args, '--', path], tools, { stdin: `${password}\n` })
  tellWhatIsDropped(entries, tools)
}

/** libarchive cannot decrypt RAR; of the rest it is the safer reader. */
async function unpackRar(path: string, folder: string, limits: Limits, tools: Tools): Promise<void> {
  const entries = await listByUnar(path, limits.password, tools)
  if (entries.some(({ locked }) => locked)) {
    admit(entries, limits.limitBytes, tools)
    return unpackLockedRar(path, folder, limits, tools)
  }
  return unpackByBsdtar(path, folder, limits.limitBytes, tools)
}

async function unpackByBsdtar(path: string, folder: string, limitBytes: number, tools: Tools): Promise<void> {
  admit(await listByBsdtar(path, tools), limitBytes, tools)
  await guarded({ folder, limitBytes }, ['bsdtar', '-xf', path, '-C', folder], tools)
}

async function unpackLockedRar(
  path: string,
  folder: string,
  { limitBytes, password }: Limits,
  tools: Tools,
): Promise<void> {
  if (password === '') throw locked(false)
  // It takes the password in no other way; nobody else sees the processes of a sandbox.
  const command = ['unar', '-q', '-D', '-f', '-o', folder, '-password', password, path] as const
  try {
    await guarded({ folder, limitBytes }, command, tools, { env: unarEnv })
  } catch (error) {
    throw error instanceof ProcessFailure ? locked(true, error) : error
  }
}

/** Links that lead out are refused by both; what they make is removed before anything else reads the folder. */
function admit(entries: readonly Entry[], limitBytes: number, tools: Tools): void {
  check(entries, limitBytes)
  tellWhatIsDropped(entries, tools)
}

/** The archive needs a password, or another one. */
export function locked(hadPassword: boolean, cause?: unknown): AppError {
  const sentence = hadPassword
    ? 'The password does not open the archive. Check it and send it again.'
    : 'The archive is protected. Send its password in the field password.'
  const reason = hadPassword ? 'wrong-password' : 'password-needed'
  return new AppError('INVALID_INPUT', sentence, { field: 'password', reason }, { cause })
}

type Command = readonly [bin: string, ...args: string[]]
type Decompressor = (from: string, to: string) => Command
const unLz4: Decompressor = (from, to) => ['lz4', '-d', '-q', '-f', from, to]
const unLzip: Decompressor = (from, to) => ['lzip', '-d', '-q', '-o', to, '--', from]
const unLzop: Decompressor = (from, to) => ['lzop', '-d', '-q', '-f', '-o', to, '--', from]
/** For what 7-Zip cannot read. */
const decompressors: Readonly<Partial<Record<FormatId, Decompressor>>> = {
  lz4: unLz4,
  'tar.lz4': unLz4,
  lz: unLzip,
  'tar.lz': unLzip,
  lzo: unLzop,
  'tar.lzo': unLzop,
}

async function unpackStream(input: InputFile, folder: string, limitBytes: number, tools: Tools) {
  const stage = join(tools.workDir, 'stream')
  await mkdir(stage)
  const own = decompressors[input.format]
  const ours = parse(input.path).name
  const command: Command = own
    ? own(input.path, join(stage, ours))
    : ['7zz', 'x', '-y', `-o${stage}`, '--', input.path]
  await guarded({ folder: stage, limitBytes }, command, tools, { stdin: '\n' })
  await makeReadable(stage, 'windows-1252')
  const [name] = await readdir(stage)
  if (name === undefined) throw new Error('Nothing came out of a compressed file.')
  const content = join(stage, name)
  if (await isTar(content)) {
    const tar = join(tools.workDir, 'content.tar')
    await rename(content, tar)
    return unpackAnyhow({ path: tar, format: 'tar', folder }, { limitBytes, password: '' }, tools)
  }
  if (isTaped(input.format)) {
    const sentence = `The file is named as a compressed tape archive (${input.format}), but there is none in it.`
    throw new AppError('CORRUPT_FILE', sentence, { field: 'file', format: input.format })
  }
  // It holds no name, or none was asked for: 7-Zip takes that of our copy.
  await rename(content, join(folder, name === ours ? contentName(input.filename) : name))
}

/** Also one from before POSIX, which has no mark but the sum of its header. */
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

/** `photo.svg.gz` holds `photo.svg`; only harmless letters of it become part of a path. */
function contentName(name: string): string {
  const stem = name.replace(/\.[^.]*$/, '').replace(/[^\p{L}\p{N}._ -]/gu, '_')
  return stem.replace(/^[.\s-]+/, '').slice(0, 60) || 'content'
}

const watchMs = 250

/** Runs a program while the folder that it fills is measured: an archive may say less than it holds. */
async function guarded(
  { folder, limitBytes }: { readonly folder: string; readonly limitBytes: number },
  [bin, ...args]: Command,
  tools: Tools,
  // An empty answer to whatever it may ask.
  { stdin = '', env = {}, readOnly = [] }: Pick<ExecOptions, 'stdin' | 'env' | 'readOnly'> = {},
): Promise<void> {
  const stop = new AbortController()
  let measuring: Promise<void> | undefined
  const watch = setInterval(() => {
    measuring ??= survey(folder)
      .then(({ bytes }) => {
        if (bytes > limitBytes) stop.abort(tooLarge(limitBytes))
      })
      .catch((error: unknown) => stop.abort(error))
      .finally(() => {
        measuring = undefined
      })
  }, watchMs)
  try {
    await tools.exec(bin, args, { stdin, env, readOnly, maxFileBytes: limitBytes, signal: stop.signal })
  } catch (error) {
    if (error instanceof AppError && error.details?.limitMb !== undefined) throw tooLarge(limitBytes, error)
    throw error
  } finally {
    clearInterval(watch)
    await measuring
  }
}
