import { execFile, spawnSync } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { zstdDecompressSync } from 'node:zlib'
import * as z from 'zod'
import type { FormatId } from '../../../lib/formats/index.ts'
import { python3 } from '../../support/python.ts'

const run = promisify(execFile)

const pythonScript = `
import bz2, gzip, json, lzma, sys, tarfile, zipfile
kind, path = sys.argv[1:]
one = {'gz': gzip, 'bz2': bz2, 'xz': lzma, 'lzma': lzma}.get(kind)
if one:
    found = {'': one.open(path).read()}
elif kind in ('zip', 'jar', 'cbz'):
    with zipfile.ZipFile(path) as archive:
        found = {i.filename: archive.read(i) for i in archive.infolist() if not i.is_dir()}
else:
    with tarfile.open(path) as archive:
        found = {i.name: archive.extractfile(i).read() for i in archive if i.isfile()}
print(json.dumps({name: data.decode('utf-8', 'replace') for name, data in found.items()}))
`

const Contents = z.record(z.string(), z.string())
export type Contents = z.infer<typeof Contents>

/** Returns the text of the files in an archive by name, read with a tool that was not used to create it. */
export async function readArchive(path: string, format: FormatId): Promise<Contents> {
  switch (format) {
    case 'zst':
      return { '': zstdDecompressSync(await readFile(path)).toString() }
    case 'tzst':
      return readTar(zstdDecompressSync(await readFile(path)))
    case '7z':
      return readUnpacked((folder) => run('bsdtar', ['-xf', path, '-C', folder]))
    case 'lz':
    case 'lz4':
    case 'lzo':
    case 'z':
      return { '': await decompressFile(path, format) }
    case 'tar.lz':
    case 'tar.lz4':
    case 'tar.lzo':
    case 'tar.z':
      return readTar(Buffer.from(await decompressFile(path, format), 'latin1'))
    case 'squashfs':
      return readUnpacked((folder) => run('unsquashfs', ['-f', '-q', '-n', '-d', folder, path]))
    case 'wim':
      return readUnpacked((folder) => run('7zz', ['x', '-y', `-o${folder}`, path]))
    case 'ar':
    case 'xar':
      return readUnpacked((folder) => run('unar', ['-q', '-D', '-f', '-o', folder, path]))
    case 'cpio':
    case 'iso':
      return readUnpacked((folder) => run('7zz', ['x', '-y', `-o${folder}`, path]))
    default:
      return readWithPython(format, path)
  }
}

/** Decompresses a file with the program of its format, or with gzip, which also reads the format of `compress`. */
async function decompressFile(path: string, format: FormatId): Promise<string> {
  const program = format.endsWith('lz')
    ? 'lzip'
    : format.endsWith('lz4')
      ? 'lz4'
      : format.endsWith('lzo')
        ? 'lzop'
        : 'gzip'
  const from = await readFile(path)
  const child = spawnSync(program, ['-d', '-c'], { input: from, maxBuffer: 256 * 1024 * 1024 })
  if (child.status !== 0) throw new Error(`${program}: ${child.stderr}`)
  return child.stdout.toString(format.startsWith('tar') ? 'latin1' : 'utf8')
}

async function readWithPython(kind: string, path: string): Promise<Contents> {
  const { stdout } = await run(python3, ['-c', pythonScript, kind, path], { maxBuffer: 256 * 1024 * 1024 })
  return Contents.parse(JSON.parse(stdout))
}

/** Reads a tar with Python, from a temporary file. */
async function readTar(bytes: Buffer): Promise<Contents> {
  const folder = await mkdtemp(join(tmpdir(), 'judge-'))
  try {
    await writeFile(join(folder, 'tape.tar'), bytes)
    return await readWithPython('tar', join(folder, 'tape.tar'))
  } finally {
    await rm(folder, { recursive: true })
  }
}

async function readUnpacked(unpack: (folder: string) => Promise<unknown>): Promise<Contents> {
  const folder = await mkdtemp(join(tmpdir(), 'judge-'))
  try {
    await unpack(folder)
    const foundContents: Contents = {}
    for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
      const path = join(entry.parentPath, entry.name)
      if (entry.isFile()) foundContents[path.slice(folder.length + 1)] = await readFile(path, 'utf8')
    }
    return foundContents
  } finally {
    await rm(folder, { recursive: true })
  }
}
