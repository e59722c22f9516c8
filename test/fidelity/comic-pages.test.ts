import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { readSummary } from '../../lib/decoders/read-summary.ts'
import { scratchFolder } from '../support/scratch-folder.ts'

const folder = scratchFolder('comic-pages')

test('files that macOS adds to an archive do not count as pages of a comic', async () => {
  const names = [
    'Vol 1/page1.jpg',
    'Vol 1/page2.webp',
    'Vol 1/._page2.webp',
    '__MACOSX/Vol 1/._page1.jpg',
    'info.xml',
  ]
  for (const name of names) {
    await mkdir(dirname(join(folder, 'in', name)), { recursive: true })
    await writeFile(join(folder, 'in', name), 'x')
  }
  const comic = join(folder, 'comic.cbz')
  execFileSync('bsdtar', ['--format=zip', '-cf', comic, '-C', join(folder, 'in'), ...names])
  assert.equal((await readSummary(comic, 'cbz', { isResult: false }))?.counts.pages, 2)
})
