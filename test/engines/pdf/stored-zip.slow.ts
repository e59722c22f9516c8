// Run by `npm run test:slow`: tests archives that exceed the limits of ZIP without ZIP64.
import assert from 'node:assert/strict'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { StoredZip } from '../../../lib/engines/pdf/stored-zip.ts'
import { scratchFolder } from '../../support/scratch-folder.ts'
import { readStdout } from '../support/inspect-result.ts'

test('an uncompressed ZIP can contain a file of more than 4 GiB and files after it', async () => {
  const folder = scratchFolder('stored-zip')
  const [source, path] = [join(folder, 'source'), join(folder, 'made.zip')]
  const size = 2 ** 32 + 5
  {
    await using file = await open(source, 'w')
    await file.truncate(size)
  }
  await StoredZip.write(path, async (zip) => {
    await zip.addFile('zeros.bin', source)
    await zip.addText('behind.txt', 'words')
  })
  assert.match(await readStdout('7zz', 't', path), /Everything is Ok/)
  assert.match(await readStdout('unzip', '-l', path), new RegExp(`\\b${size}\\b.*zeros.bin`))
  assert.equal(await readStdout('unzip', '-p', path, 'behind.txt'), 'words')
})

test('an uncompressed ZIP can contain more than 65,535 files', async () => {
  const path = join(scratchFolder('stored-zip'), 'made.zip')
  await StoredZip.write(path, async (zip) => {
    for (let at = 0; at < 65_600; at++) await zip.addText(`${at}.txt`, '')
  })
  assert.match(await readStdout('7zz', 't', path), /Files: 65600/)
  assert.match(await readStdout('unzip', '-l', path), /\b65600 files/)
})
