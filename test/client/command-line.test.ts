import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { parseArguments } from '../../lib/client/command/arguments.ts'
import { withFileLock } from '../../lib/client/command/file-lock.ts'
import { compileGlob, findInputs, OutputNames } from '../../lib/client/command/inputs.ts'
import { createProgressItem, renderBars, updateProgress } from '../../lib/client/command/progress-bars.ts'
import { toSafeFileName } from '../../lib/client/command/safe-file-name.ts'
import { formatBytes, openTerminal, renderBar, truncateToWidth } from '../../lib/client/command/terminal.ts'
import { readFailure } from '../../lib/client/errors.ts'
import { scratchFolder } from '../support/scratch-folder.ts'
import { waitUntil } from '../support/wait-until.ts'

test('the command line parses unknown flags as conversion options', () => {
  const { words, flags, options } = parseArguments([
    ...[
      'a.png',
      '--jpeg-quality',
      '80',
      '--lossless',
      'webp',
      '--no-strip',
      '--dpi=300',
      '-o',
      'out/',
      '--json',
    ],
  ])
  assert.deepEqual(words, ['a.png', 'webp'])
  assert.deepEqual({ ...flags }, { out: 'out/', json: true })
  assert.deepEqual(options, { jpegQuality: '80', lossless: true, strip: false, dpi: '300' })
  assert.throws(() => parseArguments(['a.png', 'webp', '-x']), /Unknown option -x/)
})

test('the command line expands glob patterns like a shell', () => {
  const matches = (pattern: string, path: string) => compileGlob(pattern).matches(path)
  assert.ok(matches('scans/*.png', 'scans/a.png') && !matches('scans/*.png', 'scans/deep/a.png'))
  assert.ok(
    matches('scans/**/*.{png,jpg}', 'scans/very/deep/a.jpg') && matches('scans/**/*.png', 'scans/a.png'),
  )
  assert.ok(matches('a?.[!b]*', 'ab.c') && !matches('a?.[!b]*', 'ab.b') && !matches('a.png*', 'axpng'))
  assert.equal(compileGlob('plain.png').base, undefined)
})

test('the command line keeps the subfolders of an input folder and skips hidden files', async () => {
  const folder = scratchFolder('mutabor-inputs')
  await mkdir(join(folder, 'in/deep'), { recursive: true })
  for (const name of ['in/a.png', 'in/deep/b.png', 'in/.hidden.png', 'in/c.txt'])
    await writeFile(join(folder, name), '')
  const inputs = await findInputs([join(folder, 'in')], join(folder, 'out'), async () => (id) => id === 'png')
  assert.deepEqual(
    inputs.map(({ path, folder: to }) => [path, to]),
    [
      [join(folder, 'in/a.png'), join(folder, 'out')],
      [join(folder, 'in/deep/b.png'), join(folder, 'out/deep')],
    ],
  )
})

test('the command line formats file sizes and progress bars for people', () => {
  assert.deepEqual([0, 999, 1234, 56_789, 1_500_000_000].map(formatBytes), [
    '0 B',
    '999 B',
    '1.2 kB',
    '57 kB',
    '1.5 GB',
  ])
  assert.deepEqual([renderBar(0, 4), renderBar(0.5, 4), renderBar(2, 4)], ['░░░░', '██░░', '████'])
})

test('a progress bar of the command line never moves back, and is not shown for quick files', () => {
  const now = 10_000
  const largeItem = createProgressItem('video.mov', 0)
  const smallItem = createProgressItem('icon.png', now - 100)
  const percents: number[] = []
  const update = (stage: string, fraction: number) => {
    updateProgress(largeItem, stage, fraction)
    percents.push(Math.round(largeItem.fraction * 100))
  }
  update('upload', 0.5)
  update('upload', 1)
  update('waiting', 0)
  update('convert', 0.5)
  update('export', 0)
  update('export', 1)
  assert.deepEqual(percents, [20, 40, 40, 70, 70, 100])
  updateProgress(smallItem, 'convert', 0.5)
  const [firstBar, total, ...moreBars] = renderBars([largeItem, smallItem], { finished: 1, total: 3, now })
  assert.match(firstBar ?? '', /100 % {2}video\.mov {2}export$/)
  assert.equal(total, `${renderBar(2.5 / 3)}   1 of 3`)
  assert.deepEqual(moreBars, [])
  assert.equal(renderBars([createProgressItem('one.png', now)], { finished: 0, total: 1, now }).length, 1)
})

test('the command line prints no control characters of file names and shortens long names', () => {
  const writtenTexts: string[] = []
  const stream = { write: (text: string) => writtenTexts.push(text), isTTY: true, columns: 12 }
  const terminal = openTerminal({ isJson: false, isQuiet: false, isCapable: true }, stream, stream)
  terminal.note('✓ a\u001b[2Jb\u009b.png')
  terminal.draw(['日本語の長い名前.png'])
  terminal.draw(['日本語の長い名前.png'])
  terminal.draw([])
  assert.deepEqual(writtenTexts, ['✓ a�[2Jb�.png\n', '日本語の長\n', '\u001b[1A\u001b[J'])
  assert.equal(truncateToWidth(5, 'a👩‍👩‍👧bcd'), 'a👩‍👩‍👧bc')
})

test('the command line gives different names to the results of inputs with the same name', () => {
  const names = new OutputNames()
  const nextName = (path: string) => names.next({ path, folder: '/out' }, 'html')
  const sources = ['/a/x.md', '/b/x.md', '/c/x.md', '/d/x.txt']
  const expectedNames = [undefined, '/out/x.md.html', '/out/x.md 2.html', '/out/x.txt.html']
  assert.deepEqual(sources.map(nextName), expectedNames)
  assert.deepEqual(sources.map(nextName), expectedNames, 'a source keeps its output name')
})

test('the command line removes folders, leading dots and control characters from file names sent by the service', () => {
  const names = [
    'a.pdf',
    '../../a.pdf',
    '/etc/passwd',
    '.bashrc',
    '..',
    '',
    'a\u001b[31m\n.pdf',
    '…and ünï.pdf',
  ]
  const safeNames = ['a.pdf', 'a.pdf', 'passwd', '_bashrc', '_', 'result', 'a_[31m_.pdf', '…and ünï.pdf']
  assert.deepEqual(names.map(toSafeFileName), safeNames)
})

test('a file lock has one owner at a time, and the lock of a dead process is taken over', async () => {
  const lockFile = join(scratchFolder('mutabor-alone'), 'held')
  const { signal } = new AbortController()
  const waitingPids: number[] = []
  const lockOptions = { signal, onWait: (pid: number) => waitingPids.push(pid) }
  let runningCount = 0
  const holdLock = async () => {
    runningCount += 1
    assert.equal(runningCount, 1)
    if (waitingPids.length < 2) await waitUntil(() => waitingPids.length === 2, 'the other two to wait')
    runningCount -= 1
  }
  await Promise.all([1, 2, 3].map(() => withFileLock(lockFile, lockOptions, holdLock)))
  assert.deepEqual(waitingPids, [process.pid, process.pid])
  const exitedProcess = spawn(process.execPath, ['-e', '0'])
  await once(exitedProcess, 'close')
  for (const stalePid of [exitedProcess.pid, process.pid]) {
    await writeFile(lockFile, String(stalePid))
    await withFileLock(lockFile, lockOptions, holdLock)
  }
  await assert.rejects(readFile(lockFile), 'the lock file is removed')
  assert.equal(await withFileLock('/etc/hostname/held', lockOptions, async () => 'made'), 'made')
  assert.equal(waitingPids.length, 2)
})

test('the client parses Retry-After as seconds or as a date', async () => {
  const readRetryAfterS = async (after: string) =>
    (await readFailure(new Response('', { status: 429, headers: { 'retry-after': after } }))).retryAfterS
  const secondsToDate = await readRetryAfterS(new Date(Date.now() + 60_000).toUTCString())
  assert.ok(secondsToDate !== undefined && secondsToDate > 50 && secondsToDate <= 60, String(secondsToDate))
  assert.deepEqual(
    [
      await readRetryAfterS('7'),
      await readRetryAfterS('Wed, 21 Oct 2015 07:28:00 GMT'),
      await readRetryAfterS('soon'),
    ],
    [7, 0, undefined],
  )
})

test('the client keeps the code and message of a sign-in error, which has no error envelope', async () => {
  const body = JSON.stringify({ code: 'INVALID_CODE', message: 'code: wrong.', details: { field: 'code' } })
  const failure = await readFailure(new Response(body, { status: 401 }))
  assert.deepEqual(
    [failure.code, failure.message, failure.details],
    ['INVALID_CODE', 'code: wrong.', { field: 'code' }],
  )
})
