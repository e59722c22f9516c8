import { link, mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as z from 'zod'
import { type FormatId, formatById } from '../../formats/index.ts'
import type { OutputFile, Tools } from '../engine.ts'
import { integer } from '../options.ts'
import { freeNames } from './unique-file-names.ts'

export const compressionLevel = integer(0, 9)
  .default(5)
  .describe('0 is fastest, 9 smallest; the files are the same.')

// The password is sent to a prompt, where a line break would end it.
export const passwordText = z
  .string()
  .regex(/^[^\r\n]{1,200}$/, 'Expected 1 to 200 characters without line ends.')

interface Filter {
  /** Name of the filter in bsdtar. */
  readonly name: string
  /** Maps the public level (0 to 9) to the filter's level; left out if it has only one. */
  readonly level?: (level: number) => number
  /** The tar format for several files with this compression. */
  readonly tape: FormatId
}

const asItIs = (level: number) => level
const fromOne = (level: number) => Math.max(1, level)

const gzip: Filter = { name: 'gzip', level: asItIs, tape: 'tgz' }
const bzip2: Filter = { name: 'bzip2', level: fromOne, tape: 'tbz2' }
const xz: Filter = { name: 'xz', level: asItIs, tape: 'txz' }
const zstd: Filter = { name: 'zstd', level: (level) => level * 2 + 1, tape: 'tzst' }
const lzma: Filter = { name: 'lzma', level: asItIs, tape: 'tlz' }
const lzip: Filter = { name: 'lzip', level: asItIs, tape: 'tar.lz' }
const lz4: Filter = { name: 'lz4', level: fromOne, tape: 'tar.lz4' }
const lzop: Filter = { name: 'lzop', level: fromOne, tape: 'tar.lzo' }
const compress: Filter = { name: 'compress', tape: 'tar.z' }

/** Formats packed by 7-Zip, with its type names. */
const zips = { zip: 'zip', jar: 'zip', cbz: 'zip', '7z': '7z' } as const
const tapes = {
  tgz: gzip,
  tbz2: bzip2,
  txz: xz,
  tzst: zstd,
  tlz: lzma,
  'tar.lz': lzip,
  'tar.lz4': lz4,
  'tar.lzo': lzop,
} as const
const singles = { gz: gzip, bz2: bzip2, xz, zst: zstd, lzma, lz: lzip, lz4, lzo: lzop } as const
const unleveled = { 'tar.z': compress, z: compress } as const
/** Uncompressed formats with their names in bsdtar; `paxr` adds pax headers only where ustar is not enough. */
const bare = { tar: 'paxr', cpio: 'newc', iso: 'iso9660' } as const
/** Formats with a compression level. */
export const leveled: readonly FormatId[] = [...keys(zips), ...keys(tapes), ...keys(singles)]
/** Formats without a compression level. */
export const plains: readonly FormatId[] = [...keys(bare), ...keys(unleveled), 'ar', 'wim', 'squashfs']

interface Content {
  readonly folder: string
  readonly files: number
  readonly folders: number
}

interface Settings {
  readonly outDir: string
  /** From 0 to 9. */
  readonly level: number
  /** For ZIP and 7z only. */
  readonly password?: string
}

// Object.keys widens the keys to string.
function keys<T extends FormatId>(table: Readonly<Partial<Record<T, unknown>>>): T[] {
  return Object.keys(table) as T[]
}

/** An archive, with the number of files that the packer reports. */
export interface Packed extends OutputFile {
  readonly listed?: number
}

/** Packs the content. Several files as `gz` become a `tgz`, and so on, because a `gz` contains a single file. */
export async function pack(
  content: Content,
  to: FormatId,
  settings: Settings,
  tools: Tools,
): Promise<Packed> {
  const path = join(settings.outDir, `output.${formatById(to).extensions[0]}`)
  const zip = lookUp(zips, to)
  if (zip || to === 'wim') return sevenZip(content, path, zip ?? 'wim', settings, tools)
  if (to === 'squashfs') return squashfs(content, path, tools)
  if (to === 'ar') return bsdtar(await flattened(content, tools), path, ['--format', 'ar'], tools)
  const plain = lookUp(bare, to)
  if (plain) return bsdtar(content, path, ['--format', plain], tools)
  const tape = lookUp(tapes, to) ?? (to === 'tar.z' ? compress : undefined)
  if (tape) return bsdtar(content, path, ['--format', 'paxr', ...compression(tape, settings.level)], tools)
  const single = lookUp(singles, to) ?? (to === 'z' ? compress : undefined)
  if (!single) throw new Error(`7zip does not support the target ${to}.`)
  if (content.files === 1 && content.folders === 0)
    return bsdtar(content, path, ['--format', 'raw', ...compression(single, settings.level)], tools)
  return { ...(await pack(content, single.tape, settings, tools)), format: single.tape }
}

function lookUp<T>(table: Readonly<Record<string, T>>, id: FormatId): T | undefined {
  return Object.hasOwn(table, id) ? table[id] : undefined
}

async function sevenZip(
  { folder }: Content,
  path: string,
  type: 'zip' | '7z' | 'wim',
  { level, password }: Settings,
  tools: Tools,
): Promise<Packed> {
  const how = { zip: [`-mx=${level}`, '-mcu=on'], '7z': [`-mx=${level}`], wim: [] }[type]
  const lock = { zip: ['-p', '-mem=AES256'], '7z': ['-p', '-mhe=on'], wim: [] }[type]
  const args = ['a', `-t${type}`, ...how, ...(password === undefined ? [] : lock)]
  // 7-Zip asks for a new password twice.
  const answers = password === undefined ? {} : { stdin: `${password}\n${password}\n` }
  // 7-Zip resolves the star itself, so that no name from the archive becomes an argument.
  const { stdout } = await tools.exec('7zz', [...args, '--', path, join(folder, '*')], answers)
  const added = /^Add new data to archive:.*?(\d+) files?,/m.exec(stdout)?.[1]
  return { path, ...(added !== undefined && { listed: Number(added) }) }
}

async function squashfs({ folder }: Content, path: string, tools: Tools): Promise<OutputFile> {
  const modest = ['-processors', '2', '-mem', '256M']
  await tools.exec('mksquashfs', [folder, path, '-quiet', '-no-progress', '-all-root', ...modest])
  return { path }
}

/** Puts all files into one folder with unique names, because `ar` has no folders. */
async function flattened({ folder, files, folders }: Content, tools: Tools): Promise<Content> {
  if (folders === 0) return { folder, files, folders }
  tools.warn(
    'FOLDERS_DROPPED',
    'The format ar holds no folders: the files of all of them stand side by side in it.',
  )
  const flat = join(tools.workDir, 'flat')
  await mkdir(flat)
  const nameOf = freeNames()
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    await link(join(entry.parentPath, entry.name), join(flat, nameOf(entry.name)))
  }
  return { folder: flat, files, folders: 0 }
}

function compression({ name, level: scale }: Filter, level: number): string[] {
  return [`--${name}`, ...(scale ? ['--options', `${name}:compression-level=${scale(level)}`] : [])]
}

async function bsdtar(
  { folder }: Content,
  path: string,
  args: readonly string[],
  tools: Tools,
): Promise<OutputFile> {
  const names = join(tools.workDir, 'names.txt')
  await writeFile(names, (await readdir(folder)).map((name) => `${name}\0`).join(''))
  // The files belong to a user that exists only in the sandbox.
  const owner = ['--uid', '0', '--gid', '0', '--uname', 'root', '--gname', 'root']
  await tools.exec('bsdtar', ['-c', ...args, ...owner, '-f', path, '-C', folder, '--null', '-T', names])
  return { path }
}
