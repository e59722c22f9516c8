// Run by `npm run test:slow`, because LibreOffice is slow.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after, test } from 'node:test'
import { engines } from '../../lib/engines/index.ts'
import { convertAndCleanUp } from './support/convert-and-clean-up.ts'
import { readStdout } from './support/inspect-result.ts'
import { fixture } from './support/run-engine.ts'

after(() => Promise.all(engines.map((engine) => engine.close?.())))

test('a Strict Word document is converted to Markdown through LibreOffice', async () => {
  const { path, route } = await convertAndCleanUp(fixture('odd/strict.docx'), 'md')
  assert.match(route, /^libreoffice /)
  assert.match(await readFile(path, 'utf8'), /alphamarker in a letter/)
})

test('a Strict Word document becomes an ebook that contains its text', async () => {
  const { path, route } = await convertAndCleanUp(fixture('odd/strict.docx'), 'epub')
  assert.match(route, /^libreoffice /)
  assert.match(await readStdout('unzip', '-p', path, '*html'), /alphamarker in a letter/)
})
