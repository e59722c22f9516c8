import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { splitBackslashes } from '../../../lib/engines/seven-zip/scan-extracted.ts'
import { sevenZip } from '../../../lib/engines/seven-zip.ts'
import { scratchFolder } from '../../support/scratch-folder.ts'
import { readArchive } from '../support/inspect-archive.ts'
import { convert, fixture } from '../support/run-engine.ts'

test('backslashes in the entry names of a ZIP separate folders', async () => {
  for (const to of ['tar', '7z'] as const) {
    const { path } = await convert(sevenZip, fixture('odd/backslash.zip'), to)
    assert.deepEqual(Object.keys(await readArchive(path, to)).sort(), ['dir/b.txt', 'dir/sub/a.txt'], to)
  }
})

test('a file name with backslashes in an archive cannot lead out of the folder, through a link or to an existing file', async () => {
  const top = scratchFolder('backslashes')
  const [folder, outsideFolder] = [join(top, 'in'), join(top, 'outside')]
  mkdirSync(folder)
  mkdirSync(outsideFolder)
  symlinkSync(outsideFolder, join(folder, 'link'))
  const names = ['..\\up.txt', 'link\\x.txt', 'a\\same.txt', 'a\\.\\same.txt']
  for (const name of names) writeFileSync(join(folder, name), name)
  await splitBackslashes(folder)
  assert.deepEqual(readdirSync(outsideFolder), [])
  assert.equal(existsSync(join(top, 'up.txt')), false)
  const remainingNames = readdirSync(folder).filter((name) => name.includes('\\'))
  assert.equal(remainingNames.length, 3)
  assert.deepEqual(readdirSync(join(folder, 'a')), ['same.txt'])
})
