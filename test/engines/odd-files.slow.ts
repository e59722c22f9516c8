// Run by `npm run test:slow`: an office takes its time.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after, test } from 'node:test'
import { engines } from '../../lib/engines/index.ts'
import { byWays } from './convert-and-clean-up.ts'
import { output } from './inspect-result.ts'
import { fixture } from './run-engine.ts'

after(() => Promise.all(engines.map((engine) => engine.close?.())))

test('a Word document of the strict kind becomes Markdown by way of an office', async () => {
  const { path, way } = await byWays(fixture('odd/strict.docx'), 'md')
  assert.match(way, /^libreoffice /)
  assert.match(await readFile(path, 'utf8'), /alphamarker in a letter/)
})

test('a Word document of the strict kind becomes a book with its words in it', async () => {
  const { path, way } = await byWays(fixture('odd/strict.docx'), 'epub')
  assert.match(way, /^libreoffice /)
  assert.match(await output('unzip', '-p', path, '*html'), /alphamarker in a letter/)
})
