import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type FormatId, formatById } from '../formats/index.ts'
import type { OutputFile, Tools } from './engine.ts'

interface Filter {
  /** Of bsdtar. */
  readonly name: string
  /** Of a public level from 0 to 9. */
  readonly level: (level: number) => number
  /** The format of several files under this compression. */
  readonly tape: FormatId
}

const gzip: Filter = { name: 'gzip', level: (level) => level, tape: 'tgz' }
const bzip2: Filter = { name: 'bzip2', level: (level) => Math.max(1, level), tape: 'tbz2' }
const xz: Filter = { name: 'xz', level: (level) => level, tape: 'txz' }
const zstd: Filter = { name: 'zstd', level: (level) => level * 2 + 1, tape: 'tzst' }

export const zips = ['zip', '7z'] as const
export const tapes = { tgz: gzip, tbz2: bzip2, txz: xz, tzst: zstd } as const
export const singles = { gz: gzip, bz2: bzip2, xz, zst: zstd } as const
/** Without compression, and their names in bsdtar; plain ustar headers grow only where a name needs it. */
export const plains = { tar: 'paxr', cpio: 'newc', iso: 'iso9660' } as const

interface Content {
  readonly folder: string
  readonly files: number
  readonly folders: number
}

/** @returns the archive; of several files a `gz` is a `tgz`, and so on: it holds a tape archive. */
export async function pack(
  content: Content,
  to: FormatId,
  { outDir, level }: { outDir: string; level: number },
  tools: Tools,
): Promise<OutputFile> {
  const zip = zips.find((id) => id === to)
  if (zip) {
    const path = join(outDir, `output.${zip}`)
    // 7-Zip resolves the star itself, so that no name from the archive becomes an argument.
    const args = ['a', `-t${zip}`, `-mx=${level}`, ...(zip === 'zip' ? ['-mcu=on'] : [])]
    await tools.exec('7zz', [...args, '--', path, join(content.folder, '*')])
    return { path }
  }
  const plain = lookUp(plains, to)
  if (plain) return bsdtar(content, to, outDir, ['--format', plain], tools)
  const tape = lookUp(tapes, to)
  if (tape) return bsdtar(content, to, outDir, ['--format', 'paxr', ...compression(tape, level)], tools)
  const single = lookUp(singles, to)
  if (!single) throw new Error(`7zip was asked for ${to}, which it does not declare.`)
  if (content.files === 1 && content.folders === 0) {
    return bsdtar(content, to, outDir, ['--format', 'raw', ...compression(single, level)], tools)
  }
  return pack(content, single.tape, { outDir, level }, tools).then((file) => ({
    ...file,
    format: single.tape,
  }))
}

function lookUp<T>(table: Readonly<Record<string, T>>, id: FormatId): T | undefined {
  return Object.hasOwn(table, id) ? table[id] : undefined
}

function compression({ name, level: scale }: Filter, level: number): string[] {
  return [`--${name}`, '--options', `${name}:compression-level=${scale(level)}`]
}

async function bsdtar(
  { folder }: Content,
  to: FormatId,
  outDir: string,
  args: readonly string[],
  tools: Tools,
): Promise<OutputFile> {
  const names = join(tools.workDir, 'names.txt')
  await writeFile(names, (await readdir(folder)).map((name) => `${name}\0`).join(''))
  const path = join(outDir, `output.${formatById(to).extensions[0]}`)
  // The files belong to a user that exists only in the sandbox.
  const owner = ['--uid', '0', '--gid', '0', '--uname', 'root', '--gname', 'root']
  await tools.exec('bsdtar', ['-c', ...args, ...owner, '-f', path, '-C', folder, '--null', '-T', names])
  return { path }
}
