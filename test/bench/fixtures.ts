import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import sharp from 'sharp'

const run = promisify(execFile)

export interface Fixture {
  readonly name: string
  readonly path: string
  readonly bytes: Buffer<ArrayBuffer>
}

export interface Fixtures {
  readonly dir: string
  readonly png: Fixture
  readonly docx: Fixture
  readonly html: Fixture
  readonly pdf: Fixture
  readonly mkv: Fixture
  remove(): Promise<void>
}

/**
 * Makes the inputs of the benchmark: a picture of about 370 kB, ten pages of text in two forms, fifty in a
 * PDF, a minute of video.
 */
export async function makeFixtures(): Promise<Fixtures> {
  const dir = await mkdtemp(join(tmpdir(), 'mutabor-bench-'))
  const fixture = async (name: string): Promise<Fixture> => {
    const path = join(dir, name)
    return { name, path, bytes: Buffer.from(await readFile(path)) }
  }
  const noise = { type: 'gaussian', mean: 128, sigma: 12 } as const
  const picture = sharp({ create: { width: 640, height: 400, channels: 3, background: '#468', noise } })
  await picture.blur(1.2).png().toFile(join(dir, 'picture.png'))

  const paragraph =
    '<p>The ship left the harbour before sunrise, and nobody on the quay said a word about it.</p>'
  const page = `<h1>A chapter</h1>${paragraph.repeat(30)}<p style="page-break-before:always"></p>`
  await mkdir(join(dir, 'profile'))
  const html = join(dir, 'pages.html')
  await writeFile(html, `<html><body>${page.repeat(10)}</body></html>`)
  const profile = `-env:UserInstallation=file://${join(dir, 'profile')}`
  const writer = ['--headless', '--writer', '--convert-to', 'docx:MS Word 2007 XML', '--outdir', dir, html]
  await run('soffice', [profile, ...writer], { timeout: 120_000 })

  const pdfWriter = ['--headless', '--convert-to', 'pdf', '--outdir', dir, join(dir, 'pages.docx')]
  await run('soffice', [profile, ...pdfWriter], { timeout: 120_000 })
  const fiveTimes = Array.from({ length: 5 }, () => join(dir, 'pages.pdf'))
  await run('qpdf', ['--empty', '--pages', ...fiveTimes, '--', join(dir, 'long.pdf')])

  const sources = [
    '-f',
    'lavfi',
    '-i',
    'testsrc=size=1280x720:rate=25:duration=60',
    '-f',
    'lavfi',
    '-i',
    'sine=duration=60',
  ]
  const codecs = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p', '-c:a', 'aac']
  await run('ffmpeg', ['-v', 'error', ...sources, ...codecs, join(dir, 'minute.mkv')])

  return {
    dir,
    png: await fixture('picture.png'),
    docx: await fixture('pages.docx'),
    html: await fixture('pages.html'),
    pdf: await fixture('long.pdf'),
    mkv: await fixture('minute.mkv'),
    remove: () => rm(dir, { recursive: true, force: true }),
  }
}
