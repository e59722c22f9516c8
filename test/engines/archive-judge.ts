import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { zstdDecompressSync } from 'node:zlib'
import * as z from 'zod'
import type { FormatId } from '../../lib/formats/index.ts'

const run = promisify(execFile)

const python = `
import bz2, gzip, json, lzma, sys, tarfile, zipfile
kind, path = sys.argv[1:]
one = {'gz': gzip, 'bz2': bz2, 'xz': lzma}.get(kind)
if one:
    found = {'': one.open(path).read()}
elif kind == 'zip':
    with zipfile.ZipFile(path) as archive:
        found = {i.filename: archive.read(i) for i in archive.infolist() if not i.is_dir()}
else:
    with tarfile.open(path) as archive:
        found = {i.name: archive.extractfile(i).read() for i in archive if i.isfile()}
print(json.dumps({name: data.decode('utf-8', 'replace') for name, data in found.items()}))
`

const Contents = z.record(z.string(), z.string())
export type Contents = z.infer<typeof Contents>

/** Text of the files in an archive by their names, read by a tool that had no part in making it. */
export async function archiveContents(path: string, format: FormatId): Promise<Contents> {
  switch (format) {
    case 'zst':
      return { '': zstdDecompressSync(await readFile(path)).toString() }
    case 'tzst': {
      const tar = `${path}.tar`
      await writeFile(tar, zstdDecompressSync(await readFile(path)))
      return byPython('tar', tar)
    }
    case '7z':
      return unpacked((folder) => run('bsdtar', ['-xf', path, '-C', folder]))
    case 'cpio':
    case 'iso':
      return unpacked((folder) => run('7zz', ['x', '-y', `-o${folder}`, path]))
    default:
      return byPython(format, path)
  }
}

async function byPython(kind: string, path: string): Promise<Contents> {
  const { stdout } = await run('python3', ['-c', python, kind, path], { maxBuffer: 256 * 1024 * 1024 })
  return Contents.parse(JSON.parse(stdout))
}

async function unpacked(unpack: (folder: string) => Promise<unknown>): Promise<Contents> {
  const folder = await mkdtemp(join(tmpdir(), 'judge-'))
  try {
    await unpack(folder)
    const found: Contents = {}
    for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
      const path = join(entry.parentPath, entry.name)
      if (entry.isFile()) found[path.slice(folder.length + 1)] = await readFile(path, 'utf8')
    }
    return found
  } finally {
    await rm(folder, { recursive: true })
  }
}
