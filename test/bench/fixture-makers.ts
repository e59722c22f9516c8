import { execFile } from 'node:child_process'
import { mkdir, readdir, rename, writeFile } from 'node:fs/promises'
import { dirname, extname, join, parse } from 'node:path'
import { promisify } from 'node:util'
import sharp from 'sharp'
import { makeBook } from './make-book.ts'
import { createNoiseImage } from './noise.ts'

const run = promisify(execFile)

export type FixtureName =
  | 'picture.png'
  | 'dot.png'
  | 'pages.html'
  | 'pages.docx'
  | 'pages.pdf'
  | 'fifty-pages.pdf'
  | 'forty-scans.pdf'
  | 'minute.mkv'
  | 'minute.webm'
  | 'book.epub'
  | 'table.csv'
  | 'table.xlsx'
  | 'minute.mp3'

type GetFixture = (name: FixtureName) => Promise<{ readonly path: string }>
type Maker = (path: string, getFixture: GetFixture) => Promise<unknown>

/** Creates the fixtures, reproducibly as far as the programs allow it. */
export const makers: Readonly<Record<FixtureName, Maker>> = {
  'picture.png': async (path) => void (await createNoiseImage(640, 400, 1).blur(1.2).png().toFile(path)),
  'dot.png': (path) =>
    sharp({ create: { width: 1, height: 1, channels: 3, background: '#468' } }).toFile(path),
  'pages.html': (path) => writeFile(path, pages),
  'pages.docx': async (path, getFixture) =>
    convertWithOffice((await getFixture('pages.html')).path, path, [
      '--writer',
      '--convert-to',
      'docx:MS Word 2007 XML',
    ]),
  'pages.pdf': async (path, getFixture) =>
    convertWithOffice((await getFixture('pages.docx')).path, path, ['--convert-to', 'pdf']),
  'fifty-pages.pdf': async (path, getFixture) => {
    const { path: tenPages } = await getFixture('pages.pdf')
    return run('qpdf', ['--empty', '--pages', tenPages, tenPages, tenPages, tenPages, tenPages, '--', path])
  },
  'forty-scans.pdf': async (path, getFixture) => {
    const pages = join(dirname(path), 'scans')
    await mkdir(pages)
    const { path: fiftyPages } = await getFixture('fifty-pages.pdf')
    await run('pdftoppm', ['-r', '150', '-gray', '-jpeg', '-l', '40', fiftyPages, join(pages, 'page')])
    const images = (await readdir(pages)).sort().map((name) => join(pages, name))
    return run('img2pdf', ['--imgsize', '150dpix150dpi', '--output', path, ...images])
  },
  'minute.mkv': (path) =>
    makeVideo(path, '1280x720', [
      ...['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p', '-c:a', 'aac'],
    ]),
  'minute.webm': (path) =>
    makeVideo(path, '640x360', [
      ...['-c:v', 'libvpx-vp9', '-deadline', 'realtime', '-cpu-used', '8', '-b:v', '1M', '-c:a', 'libopus'],
    ]),
  'book.epub': makeBook,
  'table.csv': (path) => writeFile(path, table),
  'table.xlsx': async (path, getFixture) =>
    convertWithOffice((await getFixture('table.csv')).path, path, ['--convert-to', 'xlsx']),
  'minute.mp3': (path) =>
    run('ffmpeg', ['-v', 'error', '-f', 'lavfi', '-i', 'anoisesrc=d=60:c=pink:seed=1', '-b:a', '192k', path]),
}

const paragraph =
  '<p>The ship left the harbour before sunrise, and nobody on the quay said a word about it.</p>'
const page = `<h1>A chapter</h1>${paragraph.repeat(30)}<p style="page-break-before:always"></p>`
const pages = `<html><body>${page.repeat(10)}</body></html>`

const words = 'harbour island sunrise barrel quay whale map wind'.split(' ')
const createRow = (_: unknown, at: number) =>
  [
    at,
    ...words.map((word, column) => (column % 2 === 0 ? `${word} ${at % 97}` : at * (column + 1))),
    'told',
  ].join()
/** A table of half words, half numbers. */
const table = `${['no', ...words, 'end'].join()}\n${Array.from({ length: 5000 }, createRow).join('\n')}`

async function convertWithOffice(source: string, target: string, args: readonly string[]): Promise<void> {
  const folder = join(dirname(target), 'office')
  const profile = `-env:UserInstallation=file://${join(folder, 'profile')}`
  await run('soffice', [profile, '--headless', ...args, '--outdir', folder, source], { timeout: 120_000 })
  const { name } = parse(source)
  await rename(join(folder, `${name}${extname(target)}`), target)
}

/** Creates a minute of a test pattern with a tone. */
function makeVideo(path: string, size: string, codecs: readonly string[]) {
  const testImageArgs = ['-f', 'lavfi', '-i', `testsrc=size=${size}:rate=25:duration=60`]
  const toneArgs = ['-f', 'lavfi', '-i', 'sine=duration=60']
  return run('ffmpeg', ['-v', 'error', ...testImageArgs, ...toneArgs, ...codecs, path], { timeout: 300_000 })
}
