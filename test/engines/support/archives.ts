// Packs a small tree of files on demand in the requested format.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { zstdCompressSync } from 'node:zlib'
import { python3 } from '../../support/python.ts'
import { scratchFolder } from '../../support/scratch-folder.ts'

const folder = scratchFolder('archives')
export const pathInFolder = (name: string) => join(folder, name)
export const marker = 'the quick marker\n'
export const files = { 'read me.txt': marker, 'ünï/日本.txt': 'deep\n', '.hidden': 'dot\n' }
export const modifiedAt = new Date('2020-02-02T02:02:02Z')

const samplePath = (name: string) =>
  fileURLToPath(new URL(`../../../../shared/samples/archive/${name}`, import.meta.url))
/** No program available here creates RAR; these samples are outside of the project. */
export const rarSample = samplePath('s5.rar')
export const lockedRarSample = samplePath('s5psw.rar')
export const skipWithoutSample = (path: string) =>
  existsSync(path) ? false : 'there is no RAR sample beside the project (../shared/samples)'

const tree = pathInFolder('tree')
mkdirSync(join(tree, 'ünï'), { recursive: true })
for (const [name, text] of Object.entries(files)) {
  writeFileSync(join(tree, name), text)
  utimesSync(join(tree, name), modifiedAt, modifiedAt)
}

/** Runs a program in the folder of the file tree. */
export function runInTree(bin: string, ...args: string[]): void {
  execFileSync(bin, args, { cwd: tree, stdio: 'ignore' })
}

/** Creates an archive that no regular tool would create, with a Python script that writes to the path `out`. */
export function createWithPython(name: string, script: string): string {
  execFileSync(python3, [
    '-c',
    `import io, sys, tarfile, zipfile\nout = sys.argv[1]\n${script}`,
    pathInFolder(name),
  ])
  return pathInFolder(name)
}

const trees = {
  zip: ['7zz', 'a', '-tzip'],
  jar: ['7zz', 'a', '-tzip'],
  '7z': ['7zz', 'a', '-t7z'],
  tar: ['bsdtar', '-cf'],
  tgz: ['bsdtar', '-czf'],
  tbz2: ['bsdtar', '-cjf'],
  txz: ['bsdtar', '-cJf'],
  tlz: ['bsdtar', '-c', '--lzma', '-f'],
  'tar.lz': ['bsdtar', '-c', '--lzip', '-f'],
  'tar.lz4': ['bsdtar', '-c', '--lz4', '-f'],
  'tar.lzo': ['bsdtar', '-c', '--lzop', '-f'],
  'tar.z': ['bsdtar', '-c', '--compress', '-f'],
  cpio: ['bsdtar', '-c', '--format', 'newc', '-f'],
  iso: ['bsdtar', '-c', '--format', 'iso9660', '-f'],
  xar: ['bsdtar', '-c', '--format', 'xar', '-f'],
} as const
export type TreeId = keyof typeof trees | 'tzst'
// Object.keys widens the keys to string.
export const treeIds = [...(Object.keys(trees) as (keyof typeof trees)[]), 'tzst'] as const

/** Returns an archive of the whole tree in this format, created on first use. */
export function getTreeArchive(id: TreeId): string {
  const path = pathInFolder(`tree.${id}`)
  if (existsSync(path)) return path
  if (id === 'tzst') writeFileSync(path, zstdCompressSync(readFileSync(getTreeArchive('tar'))))
  else {
    const [bin, ...args] = trees[id]
    runInTree(bin, ...args, path, '.hidden', 'read me.txt', 'ünï')
  }
  return path
}

const filters = {
  gz: '--gzip',
  bz2: '--bzip2',
  xz: '--xz',
  zst: '--zstd',
  lz4: '--lz4',
  lzma: '--lzma',
  lz: '--lzip',
  lzo: '--lzop',
  z: '--compress',
} as const
export type SingleFileId = keyof typeof filters
export const singleFileIds = Object.keys(filters) as SingleFileId[]

/** Returns one compressed file of the tree, created on first use. */
export function getSingleFile(id: SingleFileId): string {
  const path = pathInFolder(`one.${id}`)
  if (!existsSync(path)) runInTree('bsdtar', '-c', '--format', 'raw', filters[id], '-f', path, 'read me.txt')
  return path
}
