// Tests the whole service on a host that does not allow namespaces, such as a container or Lambda.
import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { chownSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { python3 } from '../support/python.ts'
import { Client, startService } from '../support/service.ts'

const uid = 993
/** Runs the following command with another uid, no user namespaces, and at most 1,024 processes. */
const withoutNamespaces = [
  ...['setpriv', `--reuid=${uid}`, `--regid=${uid}`, '--clear-groups', '--inh-caps=-all'],
  ...[
    'bwrap',
    '--unshare-user',
    '--unshare-pid',
    '--die-with-parent',
    '--disable-userns',
    '--dev-bind',
    '/',
    '/',
    '--proc',
    '/proc',
  ],
  ...['prlimit', '--nproc=1024:1024', '--'],
]
const here = fileURLToPath(new URL('.', import.meta.url))

function reasonToSkip(): string | undefined {
  if (process.getuid?.() !== 0) return 'needs root, to become another user'
  const [command = '', ...args] = [...withoutNamespaces, 'test', '-r', here]
  return spawnSync(command, args).status === 0
    ? undefined
    : 'needs this code where others can read it, and bubblewrap'
}
const reason = reasonToSkip()

async function withService(env: Record<string, string>, use: (client: Client) => Promise<void>) {
  const dir = mkdtempSync(join(tmpdir(), 'mutabor-test-'))
  chownSync(dir, uid, uid)
  try {
    const service = await startService({ HOME: dir, ...env }, dir, withoutNamespaces)
    try {
      await use(new Client(service))
    } finally {
      await service.end()
    }
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}

interface Health {
  readonly parts: Readonly<Record<string, { readonly ok: boolean; readonly message?: string }>>
  readonly engines: readonly { readonly available: boolean }[]
}

const readFixture = (path: string) =>
  Buffer.from(readFileSync(new URL(`../fixtures/${path}`, import.meta.url)))
const folder = mkdtempSync(join(tmpdir(), 'mutabor-samples-'))
process.once('exit', () => rmSync(folder, { recursive: true, force: true }))

function convertAll(name: string, command: string, ...args: string[]) {
  const path = join(folder, name)
  execFileSync(command, [...args, path], { stdio: 'pipe' })
  return Buffer.from(readFileSync(path))
}
const video = ['-y', '-v', 'error', '-f', 'lavfi', '-i', 'testsrc=size=320x200:duration=1'] as const
const print = (command: string, ...args: string[]) => execFileSync(command, args, { encoding: 'utf8' })
const readText = (path: string) => print('pdftotext', path, '-')
const kind = (path: string) => print('file', '--brief', path)
const zipScript = "import sys, zipfile; zipfile.ZipFile(sys.stdout.buffer, 'w').writestr('a.txt', 'narwhal')"

/** A conversion for each engine, and what another program finds in the result. */
const samples: readonly [
  engine: string,
  name: string,
  bytes: () => Buffer<ArrayBuffer>,
  target: string,
  look: (path: string) => string,
  expected: RegExp,
][] = [
  [
    'ffmpeg',
    'a.mp4',
    () => convertAll('a.mp4', 'ffmpeg', ...video),
    'gif',
    kind,
    /GIF image data.*320 x 200/,
  ],
  ['vips', 'a.png', () => convertAll('a.png', 'ffmpeg', ...video, '-frames:v', '1'), 'webp', kind, /Web\/P/],
  [
    'imagemagick',
    'a.png',
    () => convertAll('a.png', 'ffmpeg', ...video, '-frames:v', '1'),
    'bmp',
    kind,
    /320 x -?200/,
  ],
  ['libreoffice', 'a.docx', () => readFixture('office/report.docx'), 'pdf', readText, /Quarterly report/],
  ['pandoc', 'a.md', () => Buffer.from('# Heading\n\nokapi\n'), 'html', kind, /HTML/],
  ['calibre', 'a.html', () => readFixture('page.html'), 'azw3', kind, /Mobipocket/],
  ['chromium', 'a.html', () => Buffer.from('<h1>axolotl</h1>'), 'pdf', readText, /axolotl/],
  [
    'fontforge',
    'a.ttf',
    () => Buffer.from(readFileSync('/usr/share/fonts/truetype/dejavu/DejaVuSansMono.ttf')),
    'woff2',
    kind,
    /Web Open Font Format \(Version 2\)/,
  ],
  [
    '7zip',
    'a.zip',
    () => execFileSync(python3, ['-c', zipScript]) as Buffer<ArrayBuffer>,
    '7z',
    (path) => print('bsdtar', '-xOf', path),
    /narwhal/,
  ],
  ['vtracer', 'a.png', () => convertAll('a.png', 'ffmpeg', ...video, '-frames:v', '1'), 'svg', kind, /SVG/],
  ['potrace', 'a.png', () => convertAll('a.png', 'ffmpeg', ...video, '-frames:v', '1'), 'svg', kind, /SVG/],
  [
    'ghostscript',
    'a.eps',
    () =>
      Buffer.from(
        '%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 200 100\n/Helvetica findfont 20 scalefont setfont 20 50 moveto (quokka) show showpage\n',
      ),
    'pdf',
    readText,
    /quokka/,
  ],
]

describe('converting on a host without namespaces', reason === undefined ? {} : { skip: reason }, () => {
  test('without namespaces, the service runs no engine and reports the reason and a solution', () =>
    withService({ MIN_CONFINEMENT: 'namespaces' }, async (client) => {
      const health = await client.fetch('/health')
      assert.equal(health.status, 503)
      const { parts, engines } = (await health.json()) as Health
      assert.match(
        parts['confinement']?.message ?? '',
        /that is "filtered", and MIN_CONFINEMENT asks for "namespaces".*or accept this level with MIN_CONFINEMENT=filtered$/,
      )
      assert.ok(engines.every(({ available }) => !available))
      const refusedReply = await client.convert(
        { name: 'a.png', bytes: Buffer.from('x') },
        { targetFormat: 'jpg' },
      )
      assert.equal(refusedReply.status >= 400, true)
    }))

  test('without namespaces, every engine converts if the operator accepts seccomp filters', () =>
    withService({ MIN_CONFINEMENT: 'filtered' }, async (client) => {
      const failedEngines: string[] = []
      for (const [engine, name, bytes, targetFormat, look, expectedText] of samples) {
        const acceptedReply = await client.convert({ name, bytes: bytes() }, { targetFormat, engine })
        const { data, error } = (await acceptedReply.json()) as { data?: { jobId: string }; error?: unknown }
        const job = data && (await client.finishedJob(data.jobId))
        if (!data || job?.status !== 'completed') {
          failedEngines.push(`${engine}: ${JSON.stringify(job ?? error)}`)
          continue
        }
        const path = join(folder, `result.${targetFormat}`)
        writeFileSync(path, await client.download(data.jobId))
        const seenResult = look(path)
        if (!expectedText.test(seenResult)) failedEngines.push(`${engine}: ${seenResult}`)
      }
      assert.deepEqual(failedEngines, [])
    }))
})
