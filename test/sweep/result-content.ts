import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { extname, join } from 'node:path'
import { promisify } from 'node:util'
import { Uint8ArrayReader, Uint8ArrayWriter, ZipReader } from '@zip.js/zip.js'

const run = promisify(execFile)

/** Times and random ids that programs write into documents; they differ from run to run. */
const changingTexts = [
  /\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d)?/g,
  /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/gi,
  /D:\d{14}(?:Z|[+-]\d\d'?\d\d'?)?/g,
  /<office:(?:meta|settings)>.*?<\/office:(?:meta|settings)>/gs,
  /\/ID\s*\[[^\]]*\]/g,
]
const removeChangingTexts = (bytes: Buffer) =>
  changingTexts.reduce((text, pattern) => text.replaceAll(pattern, ''), bytes.toString('latin1'))

const hash = (content: string | Buffer) => createHash('sha256').update(content).digest('hex')

/**
 * Returns what a reader of the file sees: of a PDF its pages, fonts and properties, as Poppler shows them, of an
 * archive the names and contents of its files.
 */
export async function readContent(path: string, includesSizes: boolean): Promise<string> {
  const bytes = await readFile(path)
  if (bytes.subarray(0, 5).toString() === '%PDF-') return pdfContent(path)
  const unpack = unpackers[extname(path)]
  if (unpack) return unpackBook(path, unpack)
  if (bytes.length > 22 && bytes.readUInt16BE(0) === 0x504b) return zipContent(bytes, includesSizes)
  return removeChangingTexts(bytes)
}

async function pdfContent(path: string): Promise<string> {
  const read = async (bin: string, ...args: string[]) =>
    (await run(bin, [...args, path], { encoding: 'buffer', maxBuffer: 1 << 28 })).stdout
  const [image, text, info, fonts] = await Promise.all([
    read('pdftoppm', '-r', '50', '-l', '3'),
    run('pdftotext', ['-layout', path, '-'], { maxBuffer: 1 << 28 }).then(({ stdout }) => stdout),
    read('pdfinfo'),
    read('pdffonts'),
  ])
  const stableInfo = info.toString('latin1').replaceAll(/^(?:CreationDate|ModDate|File size):.*$/gm, '')
  return [hash(image), text, stableInfo, fonts.toString('latin1')].join('\n')
}

const readLit = `import sys
from calibre.ebooks.lit.reader import LitContainer
from calibre.utils.logging import default_log
book = LitContainer(sys.argv[1], default_log)
for name in sorted(book.namelist()):
    content = book.read(name)
    print(name, content if isinstance(content, str) else content.decode('latin-1'), file=open('entries.txt', 'a'))`

/** Commands that write the content of compressed books into the current folder. */
const unpackers: Readonly<Record<string, (path: string) => readonly [bin: string, ...args: string[]]>> = {
  '.mobi': (path) => ['calibre-debug', '--inspect-mobi', path],
  '.azw3': (path) => ['calibre-debug', '--inspect-mobi', path],
  '.lit': (path) => ['calibre-debug', '-c', readLit, path],
  '.lrf': (path) => ['lrf2lrs', '-o', 'book.lrs', path],
}

async function unpackBook(path: string, unpack: (path: string) => readonly [string, ...string[]]) {
  const folder = await mkdtemp(join(tmpdir(), 'unpacked-book-'))
  try {
    const [bin, ...args] = unpack(path)
    await run(bin, args, { cwd: folder })
    const names = (await readdir(folder, { recursive: true })).sort()
    const contents = names
      .filter((name) => extname(name) !== '' && !/header\.txt|tbs_|binary/.test(name))
      .map(
        async (name) =>
          `${name} ${removeChangingTexts(await readFile(join(folder, name)).catch(() => Buffer.alloc(0)))}`,
      )
    return (await Promise.all(contents)).join('\n').replaceAll(/<BookID>.*/g, '')
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function zipContent(bytes: Buffer, includesSizes: boolean): Promise<string> {
  const entries = await new ZipReader(new Uint8ArrayReader(bytes)).getEntries()
  const texts = entries.map(async (entry) => {
    if (entry.directory || /^(?:meta|settings)\.xml$|Thumbnails/.test(entry.filename)) return ''
    const content = Buffer.from(await entry.getData(new Uint8ArrayWriter()))
    return `${entry.filename} ${includesSizes ? entry.compressedSize : ''} ${removeChangingTexts(content)}`
  })
  return (await Promise.all(texts)).join('\n')
}

/** Returns whether a result differs from two results of another option value at places where these two agree. */
export function differsBeyondNoise(result: string, [one, other]: readonly [string, string]): boolean {
  if (one === other) return result !== one
  if (one.length !== other.length) return false
  if (result.length !== one.length) return true
  for (let at = 0; at < one.length; at++) if (one[at] === other[at] && result[at] !== one[at]) return true
  return false
}
