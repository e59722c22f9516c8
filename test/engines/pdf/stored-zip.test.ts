import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { StoredZip } from '../../../lib/engines/pdf/stored-zip.ts'
import { python3 } from '../../support/python.ts'
import { scratchFolder } from '../../support/scratch-folder.ts'
import { readStdout } from '../support/inspect-result.ts'

// The content is longer than the read buffer.
const content = Buffer.alloc(600_000, 'all that was drawn ')

async function writeZip(fill: (zip: StoredZip, source: string) => Promise<void>): Promise<string> {
  const folder = scratchFolder('stored-zip')
  const [source, path] = [join(folder, 'source'), join(folder, 'made.zip')]
  await writeFile(source, content)
  await StoredZip.write(path, (zip) => fill(zip, source))
  return path
}

const listEntries = (path: string) =>
  readStdout(
    python3,
    '-c',
    `import sys, zipfile
archive = zipfile.ZipFile(sys.argv[1])
for one in archive.infolist(): print(one.filename, one.compress_type, len(archive.read(one)), one.date_time[0])`,
    path,
  )

test('an uncompressed ZIP can be read by Python, unzip, 7-Zip and bsdtar', async () => {
  const path = await writeZip(async (zip, source) => {
    assert.equal(await zip.addFile('whole.bin', source), content.length)
    assert.equal(await zip.addFile('part.bin', source, { start: 300_000, size: 7 }), 7)
    await zip.addText('grün.txt', 'words')
    await zip.addText('empty.txt', '')
  })
  const year = new Date().getUTCFullYear()
  assert.equal(
    await listEntries(path),
    `whole.bin 0 600000 ${year}\npart.bin 0 7 ${year}\ngrün.txt 0 5 ${year}\nempty.txt 0 0 ${year}\n`,
  )
  // Some of these programs read the local headers, others the central directory; all verify checksums.
  await readStdout('unzip', '-tq', path)
  await readStdout('7zz', 't', path)
  await readStdout('bsdtar', '-tf', path)
  const extractedContent = await readStdout('unzip', '-p', path, 'part.bin')
  assert.equal(extractedContent, content.toString('utf8', 300_000, 300_007))
})

test('writing a ZIP fails if a file is truncated while it is being read', async () => {
  await assert.rejects(
    writeZip(async (zip, source) => {
      await zip.addFile('part.bin', source, { start: content.length - 3, size: 7 })
    }),
    /truncated/,
  )
})
