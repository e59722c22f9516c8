import assert from 'node:assert/strict'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { parseArguments } from '../../lib/client/command/arguments.ts'
import { findInputs, glob } from '../../lib/client/command/inputs.ts'
import { bar, bytesText } from '../../lib/client/command/terminal.ts'
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
