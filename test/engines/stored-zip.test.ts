import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { StoredZip } from '../../lib/engines/pdf/stored-zip.ts'
import { python3 } from '../python.ts'
import { scratchFolder } from '../scratch-folder.ts'
import { output } from './judge.ts'

// More than one reading of the buffer.
const long = Buffer.alloc(600_000, 'all that was drawn ')

async function written(fill: (zip: StoredZip, source: string) => Promise<void>): Promise<string> {
  const folder = scratchFolder('stored-zip')
  const [source, path] = [join(folder, 'source'), join(folder, 'made.zip')]
  await writeFile(source, long)
  await StoredZip.write(path, (zip) => fill(zip, source))
  return path
}

const contents = (path: string) =>
  output(
    python3,
    '-c',
    `import sys, zipfile
archive = zipfile.ZipFile(sys.argv[1])
for one in archive.infolist(): print(one.filename, one.compress_type, len(archive.read(one)), one.date_time[0])`,
    path,
  )

test('a ZIP of stored files is whole to every reader', async () => {
  const path = await written(async (zip, source) => {
    assert.equal(await zip.addFile('whole.bin', source), long.length)
    assert.equal(await zip.addFile('part.bin', source, { start: 300_000, size: 7 }), 7)
    await zip.addText('grün.txt', 'words')
    await zip.addText('empty.txt', '')
  })
  const year = new Date().getUTCFullYear()
  assert.equal(
    await contents(path),
    `whole.bin 0 600000 ${year}\npart.bin 0 7 ${year}\ngrün.txt 0 5 ${year}\nempty.txt 0 0 ${year}\n`,
  )
  // Each reads another of the two lists of files, and the sums.
  await output('unzip', '-tq', path)
  await output('7zz', 't', path)
  await output('bsdtar', '-tf', path)
  const part = await output('unzip', '-p', path, 'part.bin')
  assert.equal(part, long.toString('utf8', 300_000, 300_007))
})

test('a file that has become shorter meanwhile is no entry', async () => {
  await assert.rejects(
    written(async (zip, source) => {
      await zip.addFile('part.bin', source, { start: long.length - 3, size: 7 })
    }),
    /shorter/,
  )
})
