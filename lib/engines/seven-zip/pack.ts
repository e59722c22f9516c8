import { link, mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as z from 'zod'
import { type FormatId, formatById } from '../../formats/index.ts'
import { keysOf } from '../../validation/keys-of.ts'
import type { OutputFile, Tools } from '../engine.ts'
import { integer } from '../options.ts'
import { type KeptLink, writeLinkList } from './kept-links.ts'
import { createFileNamer } from './unique-file-names.ts'

export const compressionLevel = integer(0, 9)
  .default(5)
  .describe('0 is fastest, 9 makes the smallest archive; the files in it do not change.')

// The password is written to a prompt, where a line break would end it.
export const passwordText = z
  .string()
  .regex(/^[^\r\n]{1,200}$/, 'Expected 1 to 200 characters without line breaks.')

interface CompressionFilter {
  /** Name of the filter in bsdtar. */
  readonly name: string
  /** Maps the public level (0 to 9) to that of the filter; unset if the filter has only one level. */
  readonly level?: (level: number) => number
  /** The tar format for several files with this compression. */
  readonly tarFormat: FormatId
}

const keepLevel = (level: number) => level
const raiseToOne = (level: number) => Math.max(1, level)

const gzip: CompressionFilter = { name: 'gzip', level: keepLevel, tarFormat: 'tgz' }
const bzip2: CompressionFilter = { name: 'bzip2', level: raiseToOne, tarFormat: 'tbz2' }
const xz: CompressionFilter = { name: 'xz', level: keepLevel, tarFormat: 'txz' }
const zstd: CompressionFilter = { name: 'zstd', level: (level) => level * 2 + 1, tarFormat: 'tzst' }
const lzma: CompressionFilter = { name: 'lzma', level: keepLevel, tarFormat: 'tlz' }
const lzip: CompressionFilter = { name: 'lzip', level: keepLevel, tarFormat: 'tar.lz' }
const lz4: CompressionFilter = { name: 'lz4', level: raiseToOne, tarFormat: 'tar.lz4' }
const lzop: CompressionFilter = { name: 'lzop', level: raiseToOne, tarFormat: 'tar.lzo' }
const compress: CompressionFilter = { name: 'compress', tarFormat: 'tar.z' }

/** Formats packed by 7-Zip, with its type names. */
const sevenZipTypes = { zip: 'zip', jar: 'zip', cbz: 'zip', '7z': '7z' } as const
const tarFilters = {
  tgz: gzip,
  tbz2: bzip2,
  txz: xz,
  tzst: zstd,
  tlz: lzma,
  'tar.lz': lzip,
  'tar.lz4': lz4,
  'tar.lzo': lzop,
} as const
const singleFileFilters = { gz: gzip, bz2: bzip2, xz, zst: zstd, lzma, lz: lzip, lz4, lzo: lzop } as const
const filtersWithoutLevel = { 'tar.z': compress, z: compress } as const
/** Uncompressed formats with their names in bsdtar; `paxr` adds pax headers only where ustar is not enough. */
const uncompressedTypes = { tar: 'paxr', cpio: 'newc', iso: 'iso9660' } as const
/** Formats with a compression level. */
export const formatsWithLevel: readonly FormatId[] = [
  ...keysOf(sevenZipTypes),
  ...keysOf(tarFilters),
  ...keysOf(singleFileFilters),
]
/** Formats without a compression level. */
export const formatsWithoutLevel: readonly FormatId[] = [
  ...keysOf(uncompressedTypes),
  ...keysOf(filtersWithoutLevel),
  'ar',
  'wim',
  'squashfs',
]

interface FolderContent {
  readonly folder: string
  readonly files: number
  readonly folders: number
  /** Set only for formats for which `supportsLinks` returns true. */
  readonly links?: readonly KeptLink[]
}

/** Whether a format keeps links of the source. */
export const supportsLinks = (to: FormatId) =>
  to === 'tar' || to === 'cpio' || to === 'tar.z' || Object.hasOwn(tarFilters, to)

interface PackSettings {
  readonly outDir: string
  /** Compression level from 0 to 9. */
  readonly level: number
  /** Password, which only ZIP and 7z support. */
  readonly password?: string
}

/** An archive, with the number of files that the packer reports. */
export interface PackedArchive extends OutputFile {
  readonly memberCount?: number
}

/** Packs the content. Several files as `gz` become a `tgz`, and so on, because a `gz` contains a single file. */
export async function packFolder(
  content: FolderContent,
  to: FormatId,
  settings: PackSettings,
  tools: Tools,
): Promise<PackedArchive> {
  const path = join(settings.outDir, `output.${formatById(to).extensions[0]}`)
  const zip = getOwn(sevenZipTypes, to)
  if (zip || to === 'wim') return packWithSevenZip(content, path, zip ?? 'wim', settings, tools)
  if (to === 'squashfs') return packSquashfs(content, path, tools)
  if (to === 'ar')
    return packWithBsdtar(await flattenFolders(content, tools), path, ['--format', 'ar'], tools)
  const uncompressedType = getOwn(uncompressedTypes, to)
  if (uncompressedType) return packWithBsdtar(content, path, ['--format', uncompressedType], tools)
  const tarFilter = getOwn(tarFilters, to) ?? (to === 'tar.z' ? compress : undefined)
  if (tarFilter)
    return packWithBsdtar(
      content,
      path,
      ['--format', 'paxr', ...createCompressionArgs(tarFilter, settings.level)],
      tools,
    )
  const singleFileFilter = getOwn(singleFileFilters, to) ?? (to === 'z' ? compress : undefined)
  if (!singleFileFilter) throw new Error(`7zip does not support the target ${to}.`)
  if (content.files === 1 && content.folders === 0)
    return packWithBsdtar(
      content,
      path,
      ['--format', 'raw', ...createCompressionArgs(singleFileFilter, settings.level)],
      tools,
    )
  return {
    ...(await packFolder(content, singleFileFilter.tarFormat, settings, tools)),
    format: singleFileFilter.tarFormat,
  }
}

function getOwn<T>(table: Readonly<Record<string, T>>, id: FormatId): T | undefined {
  return Object.hasOwn(table, id) ? table[id] : undefined
}

async function packWithSevenZip(
  { folder }: FolderContent,
  path: string,
  type: 'zip' | '7z' | 'wim',
  { level, password }: PackSettings,
  tools: Tools,
): Promise<PackedArchive> {
  const typeArgs = { zip: [`-mx=${level}`, '-mcu=on'], '7z': [`-mx=${level}`], wim: [] }[type]
  const passwordArgs = { zip: ['-p', '-mem=AES256'], '7z': ['-p', '-mhe=on'], wim: [] }[type]
  const args = ['a', `-t${type}`, ...typeArgs, ...(password === undefined ? [] : passwordArgs)]
  // 7-Zip asks for a new password twice.
  const passwordInput = password === undefined ? {} : { stdin: `${password}\n${password}\n` }
  // 7-Zip expands the star itself, so that no name from the archive becomes an argument.
  const { stdout } = await tools.exec('7zz', [...args, '--', path, join(folder, '*')], passwordInput)
  const addedFiles = /^Add new data to archive:(?: \d+ folders?,)? (\d+) files?,/m.exec(stdout)?.[1]
  return { path, ...(addedFiles !== undefined && { memberCount: Number(addedFiles) }) }
}

async function packSquashfs({ folder }: FolderContent, path: string, tools: Tools): Promise<OutputFile> {
  const resourceArgs = ['-processors', '2', '-mem', '256M']
  await tools.exec('mksquashfs', [folder, path, '-quiet', '-no-progress', '-all-root', ...resourceArgs])
  return { path }
}

/** Puts all files into one folder with unique names, because `ar` has no folders. */
async function flattenFolders(
  { folder, files, folders }: FolderContent,
  tools: Tools,
): Promise<FolderContent> {
  if (folders === 0) return { folder, files, folders }
  tools.warn(
    'FOLDERS_DROPPED',
    'The format ar does not support folders: all files were put next to each other.',
  )
  const flatFolder = join(tools.workDir, 'flat')
  await mkdir(flatFolder)
  const nameFile = createFileNamer()
  for (const folderEntry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!folderEntry.isFile()) continue
    await link(join(folderEntry.parentPath, folderEntry.name), join(flatFolder, nameFile(folderEntry.name)))
  }
  return { folder: flatFolder, files, folders: 0 }
}

function createCompressionArgs({ name, level: scale }: CompressionFilter, level: number): string[] {
  return [`--${name}`, ...(scale ? ['--options', `${name}:compression-level=${scale(level)}`] : [])]
}

async function packWithBsdtar(
  { folder, links = [] }: FolderContent,
  path: string,
  args: readonly string[],
  tools: Tools,
): Promise<OutputFile> {
  const namesPath = join(tools.workDir, 'names.txt')
  await writeFile(namesPath, (await readdir(folder)).map((name) => `${name}\0`).join(''))
  // Sets root as the owner, because the files belong to a user that exists only in the sandbox.
  const ownerArgs = ['--uid', '0', '--gid', '0', '--uname', 'root', '--gname', 'root']
  const contentArgs = ['-C', folder, '--null', '-T', namesPath, ...(await writeLinkList(links, tools))]
  await tools.exec('bsdtar', ['-c', ...args, ...ownerArgs, '-f', path, ...contentArgs])
  return { path }
}
