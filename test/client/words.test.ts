import assert from 'node:assert/strict'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { parseArguments } from '../../lib/client/command/arguments.ts'
import { picture, told, watched } from '../../lib/client/command/bars.ts'
import { findInputs, glob } from '../../lib/client/command/inputs.ts'
import { bar, bytesText, cutTo, openTerminal } from '../../lib/client/command/terminal.ts'
import { scratchFolder } from '../scratch.ts'

test('what is no option of the command line is one of the conversion', () => {
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
  assert.throws(() => parseArguments(['a.png', 'webp', '-x']), /There is no option -x/)
})

test('a glob is what shells make of it', () => {
  const found = (pattern: string, path: string) => glob(pattern).matches(path)
  assert.ok(found('scans/*.png', 'scans/a.png') && !found('scans/*.png', 'scans/deep/a.png'))
  assert.ok(found('scans/**/*.{png,jpg}', 'scans/very/deep/a.jpg') && found('scans/**/*.png', 'scans/a.png'))
  assert.ok(found('a?.[!b]*', 'ab.c') && !found('a?.[!b]*', 'ab.b') && !found('a.png*', 'axpng'))
  assert.equal(glob('plain.png').base, undefined)
})

test('results of a folder keep its tree, and hidden files are left alone', async () => {
  const folder = scratchFolder('mutabor-inputs')
  await mkdir(join(folder, 'in/deep'), { recursive: true })
  for (const name of ['in/a.png', 'in/deep/b.png', 'in/.hidden.png', 'in/c.txt'])
    await writeFile(join(folder, name), '')
  const inputs = await findInputs(
    [join(folder, 'in')],
    join(folder, 'out'),
    async () => (one) => one === 'png',
  )
  assert.deepEqual(
    inputs.map(({ path, folder: to }) => [path, to]),
    [
      [join(folder, 'in/a.png'), join(folder, 'out')],
      [join(folder, 'in/deep/b.png'), join(folder, 'out/deep')],
    ],
  )
})

test('sizes and bars are as people read them', () => {
  assert.deepEqual([0, 999, 1234, 56_789, 1_500_000_000].map(bytesText), [
    '0 B',
    '999 B',
    '1.2 kB',
    '57 kB',
    '1.5 GB',
  ])
  assert.deepEqual([bar(0, 4), bar(0.5, 4), bar(2, 4)], ['░░░░', '██░░', '████'])
})

test('a bar never falls back, and what is done in a moment has none of its own', () => {
  const now = 10_000
  const large = watched('film.mov', 0)
  const small = watched('icon.png', now - 100)
  const seen: number[] = []
  const tell = (stage: string, share: number) => {
    told(large, stage, share)
    seen.push(Math.round(large.share * 100))
  }
  tell('upload', 0.5)
  tell('upload', 1)
  tell('waiting', 0)
  tell('convert', 0.5)
  tell('export', 0)
  tell('export', 1)
  assert.deepEqual(seen, [20, 40, 40, 70, 70, 100])
  told(small, 'convert', 0.5)
  const [first, total, ...more] = picture([large, small], { over: 1, all: 3, now })
  assert.match(first ?? '', /100 % {2}film\.mov {2}export$/)
  assert.equal(total, `${bar(2.5 / 3)}   1 of 3`)
  assert.deepEqual(more, [])
  assert.equal(picture([watched('one.png', now)], { over: 0, all: 1, now }).length, 1)
})

test('names of files neither steer a terminal nor break its lines', () => {
  const written: string[] = []
  const stream = { write: (text: string) => written.push(text), isTTY: true, columns: 12 }
  const terminal = openTerminal({ isJson: false, isQuiet: false, isCapable: true }, stream, stream)
  terminal.note('✓ a\u001b[2Jb\u009b.png')
  terminal.draw(['日本語の長い名前.png'])
  terminal.draw(['日本語の長い名前.png'])
  terminal.draw([])
  assert.deepEqual(written, ['✓ a�[2Jb�.png\n', '日本語の長\n', '\u001b[1A\u001b[J'])
  assert.equal(cutTo(5, 'a👩‍👩‍👧bcd'), 'a👩‍👩‍👧bc')
})
