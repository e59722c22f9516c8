import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { extname, join } from 'node:path'
import { promisify } from 'node:util'
import { Uint8ArrayReader, Uint8ArrayWriter, ZipReader } from '@zip.js/zip.js'
import { type FormatId, formatById } from '../../lib/formats/index.ts'
import { readMediaContent, readMetadata, sizeOptions } from './media-content.ts'

const run = promisify(execFile)

/** The current time and random ids that programs write into documents; they differ from run to run. */
const today = new Date().toISOString().slice(0, 10)
const changingTexts = [
  new RegExp(
    `${today.replaceAll('-', '[-:]')}[T ]\\d\\d:\\d\\d:\\d\\d(?:\\.\\d+)?(?:Z|[+-]\\d\\d:?\\d\\d)?`,
    'g',
  ),
  /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/gi,
  new RegExp(`D:${today.replaceAll('-', '')}\\d{6}(?:Z|[+-]\\d\\d'?\\d\\d'?)?`, 'g'),
  /<office:(?:meta|settings)>.*?<\/office:(?:meta|settings)>/gs,
  /\/ID\s*\[[^\]]*\]/g,
]
export const removeChangingTexts = (bytes: Buffer | string) =>
  changingTexts.reduce(
    (text, pattern) => text.replaceAll(pattern, ''),
    typeof bytes === 'string' ? bytes : bytes.toString('latin1'),
  )

const hash = (content: string | Buffer) => createHash('sha256').update(content).digest('hex')

/**
 * Returns what a reader of the file sees: of a PDF its pages, fonts and properties, as Poppler shows them, of a ZIP the
 * names and contents of its files, of images, media, fonts and other archives what other programs report.
 */
export async function readContent(path: string, format: FormatId, option: string): Promise<string> {
  const bytes = await readFile(path)
  if (bytes.subarray(0, 5).toString() === '%PDF-') return readPdfContent(path, option)
  const unpack = unpackers[extname(path)]
  if (unpack) return unpackBook(path, unpack)
  const isZip = bytes.length > 22 && bytes.readUInt16BE(0) === 0x504b
  if (isZip) return readZipContent(path, bytes, formatById(format).category === 'archive', option)
  return removeChangingTexts((await readMediaContent(path, format, option)) ?? bytes)
}

/** Passwords of trials and fixtures. */
const passwords = ['', 'secret', 'other', 'owner', 'boss']

async function readPdfContent(path: string, option: string): Promise<string> {
  const isEncrypted = (await readFile(path)).includes('/Encrypt')
  const encryptionReports = await Promise.all(
    passwords.map((password) =>
      isEncrypted
        ? run('qpdf', ['--show-encryption', `--password=${password}`, path]).then(
            // qpdf also succeeds with a wrong password.
            ({ stdout }) => (stdout.startsWith('Incorrect password') ? undefined : stdout),
            () => undefined,
          )
        : '',
    ),
  )
  const password = passwords.find((_, at) => encryptionReports[at] !== undefined) ?? ''
  const read = async (bin: string, ...args: string[]) =>
    (await run(bin, ['-upw', password, ...args, path], { encoding: 'buffer', maxBuffer: 1 << 28 })).stdout
  const [image, text, info, links, fonts, { size }] = await Promise.all([
    read('pdftoppm', '-r', '50', '-l', '3'),
    run('pdftotext', ['-upw', password, '-layout', path, '-'], { maxBuffer: 1 << 28 }).then(
      ({ stdout }) => stdout,
    ),
    read('pdfinfo', '-isodates', '-box'),
    // Fails for some files without links.
    read('pdfinfo', '-url').catch(() => ''),
    read('pdffonts'),
    stat(path),
  ])
  const stableInfo = removeChangingTexts(info).replaceAll(/^File size:.*$/gm, '')
  const metadata = await readMetadata(path, option)
  const outline =
    option === 'outline'
      ? await run('qpdf', ['--json', '--json-key=outlines', path]).then(({ stdout }) => stdout)
      : ''
  // `pdfinfo -url` crashes at links without an action.
  const webLinks =
    option === 'removeLinks'
      ? (await run('qpdf', ['--warning-exit-0', '--json', path], { maxBuffer: 1 << 28 })).stdout.match(
          /"\/URI": "[^"]*"/g,
        )
      : []
  return [
    ...[outline, String(webLinks)],
    ...[hash(image), text, stableInfo, links.toString(), fonts.toString('latin1'), ...encryptionReports],
    ...[removeChangingTexts(metadata), ...(sizeOptions.includes(option) ? [size] : [])],
  ].join('\n')
}

const readLitScript = `import sys
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
  '.lit': (path) => ['calibre-debug', '-c', readLitScript, path],
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

async function readZipContent(
  path: string,
  bytes: Buffer,
  isArchive: boolean,
  option: string,
): Promise<string> {
  // Entries that need a password cannot be read here.
  const list = isArchive ? await readMediaContent(path, 'zip', 'compressionLevel') : ''
  const entries = await new ZipReader(new Uint8ArrayReader(bytes)).getEntries()
  const texts = entries.map(async (entry) => {
    if (entry.directory || /^(?:meta|settings)\.xml$|Thumbnails/.test(entry.filename)) return ''
    const content = entry.encrypted ? '' : Buffer.from(await entry.getData(new Uint8ArrayWriter()))
    return `${entry.filename} ${removeChangingTexts(content)}`
  })
  const size = sizeOptions.includes(option) ? bytes.length : ''
  return [list, size, ...(await Promise.all(texts))].join('\n')
}

/**
 * Whether a result differs from two runs with another option value at a place where those runs are identical. Places
 * where they differ from each other are noise, such as random ids.
 */
export function differsBeyondNoise(result: string, [one, other]: readonly [string, string]): boolean {
  if (one === other) return result !== one
  if (one.length !== other.length) return false
  if (result.length !== one.length) return true
  for (let at = 0; at < one.length; at++) if (one[at] === other[at] && result[at] !== one[at]) return true
  return false
}
