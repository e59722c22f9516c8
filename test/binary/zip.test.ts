import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { TextReader, Uint8ArrayReader, Uint8ArrayWriter, ZipWriter } from '@zip.js/zip.js'
import { DamagedFileError, FileLimitError, UnsupportedFileError } from '../../lib/binary/errors.ts'
import { openBuffer, openByPath } from '../../lib/binary/random-access.ts'
import { rewriteZip } from '../../lib/binary/rewrite-zip.ts'
import { openZipArchive, UnsafeEntryNameError, type ZipArchive } from '../../lib/binary/zip.ts'
import { scratchFolder } from '../support/scratch-folder.ts'
import { CountingSource } from './counting-source.ts'
import { makeZip, type ZipEntrySpec } from './make-zip.ts'

const maxBytes = 1024 * 1024
const text = Buffer.from('The contract is signed. '.repeat(100))
const largeText = Buffer.from(randomBytes(400_000).toString('hex'))

const openBytes = (bytes: Buffer, maxEntries = 100) => openZipArchive(openBuffer(bytes), maxEntries)

function getEntry(zip: ZipArchive, name: string) {
  const zipEntry = zip.files.get(name)
  assert.ok(zipEntry, name)
  return zipEntry
}

/** Reads the only file of a ZIP with hostile headers. */
async function readSingleEntry(entry: Omit<ZipEntrySpec, 'name'>, method: 'read' | 'readUnchecked' = 'read') {
  const zip = await openBytes(makeZip([{ name: 'a.txt', ...entry }]))
  return zip[method](getEntry(zip, 'a.txt'), maxBytes)
}

test('stored and compressed ZIP entries of different sizes are read by name', async () => {
  const writer = new ZipWriter(new Uint8ArrayWriter(), { useWebWorkers: false })
  await writer.add('stored.txt', new Uint8ArrayReader(text), { level: 0 })
  await writer.add('folder/', undefined, { directory: true })
  await writer.add('folder/größe.txt', new Uint8ArrayReader(text))
  await writer.add('large.txt', new Uint8ArrayReader(largeText))
  await writer.add('empty.txt', new TextReader(''))
  const zip = await openBytes(Buffer.from(await writer.close()))
  assert.deepEqual([...zip.files.keys()], ['stored.txt', 'folder/größe.txt', 'large.txt', 'empty.txt'])
  assert.equal(zip.entries.length, 5)
  for (const [name, content] of [
    ['stored.txt', text],
    ['folder/größe.txt', text],
    ['large.txt', largeText],
    ['empty.txt', Buffer.alloc(0)],
  ] as const) {
    assert.deepEqual(await zip.read(getEntry(zip, name), maxBytes), content)
    assert.deepEqual(await zip.readUnchecked(getEntry(zip, name), maxBytes), content)
  }
})

test('a ZIP entry with ZIP64 sizes is read', async () => {
  const writer = new ZipWriter(new Uint8ArrayWriter(), { useWebWorkers: false, zip64: true })
  await writer.add('a.txt', new Uint8ArrayReader(text))
  const zip = await openBytes(Buffer.from(await writer.close()))
  assert.deepEqual(await zip.read(getEntry(zip, 'a.txt'), maxBytes), text)
})

test('the last of several ZIP entries with the same name is used', async () => {
  const zip = await openBytes(
    makeZip([
      { name: 'a', content: Buffer.from('1') },
      { name: 'a', content: Buffer.from('2') },
    ]),
  )
  assert.equal((await zip.read(getEntry(zip, 'a'), maxBytes)).toString(), '2')
})

test('a ZIP with a damaged directory is reported as damaged', async () => {
  const bytes = makeZip([{ name: 'a.txt', content: text }])
  for (const damagedZip of [
    Buffer.alloc(0),
    Buffer.alloc(1000, 1),
    bytes.subarray(0, bytes.length - 30),
    makeZip([{ name: 'a.txt' }], 2),
  ])
    await assert.rejects(openBytes(damagedZip), {
      name: 'DamagedFileError',
      message: /^its directory is missing/,
    })
})

test('an I/O error while reading a ZIP is not reported as damage', async () => {
  const failure = new Error('the connection was lost')
  const file = { size: 1000, at: () => Promise.reject(failure) }
  await assert.rejects(openZipArchive(file, 100), failure)
})

test('a ZIP entry whose path leads out of the target folder is refused, and the error names the path', async () => {
  for (const name of ['../a.txt', '/etc/passwd', 'a/../../b', 'C:\\a.txt', '\\a.txt', 'a\\..\\b'])
    await assert.rejects(openBytes(makeZip([{ name }])), (error) => {
      assert.ok(error instanceof UnsafeEntryNameError)
      assert.equal(error.entryName, name)
      return true
    })
})

test('reading ZIP entries stops after the maximum number of entries', async () => {
  const bytes = makeZip(Array.from({ length: 5 }, (_, index) => ({ name: `${index}` })))
  const zip = await openBytes(bytes, 3)
  assert.equal(zip.entries.length, 3)
  assert.equal(zip.hasMoreEntries, true)
  assert.equal((await openBytes(bytes, 5)).hasMoreEntries, false)
})

test('a ZIP directory above the size limit is not read', async () => {
  const directoryBytes = 17_000_000
  const bytes = Buffer.concat([Buffer.alloc(2 * directoryBytes), makeZip([{ name: 'a' }])])
  const end = bytes.length - 22
  bytes.writeUInt32LE(directoryBytes, end + 12)
  bytes.writeUInt32LE(end - directoryBytes, end + 16)
  await assert.rejects(openBytes(bytes), FileLimitError)
})

test('a ZIP entry above the size limit of the caller is not decompressed', async () => {
  const zip = await openBytes(makeZip([{ name: 'bomb', content: Buffer.alloc(maxBytes + 1) }]))
  await assert.rejects(zip.read(getEntry(zip, 'bomb'), maxBytes), FileLimitError)
  await assert.rejects(zip.readUnchecked(getEntry(zip, 'bomb'), maxBytes), FileLimitError)
  await assert.rejects(readSingleEntry({ content: text, compressedSize: maxBytes + 1 }), FileLimitError)
})

test('decompression of a zip bomb that declares a small size is stopped', async () => {
  const content = Buffer.alloc(50 * maxBytes)
  for (const uncompressedSize of [0, 10, 300_000])
    await assert.rejects(readSingleEntry({ content, uncompressedSize }), DamagedFileError)
  await assert.rejects(readSingleEntry({ content, uncompressedSize: 10 }, 'readUnchecked'), DamagedFileError)
})

test('a ZIP entry with a wrong size or checksum is reported as damage unless checking is turned off', async () => {
  for (const wrongZip of [
    { uncompressedSize: text.length + 1 },
    { uncompressedSize: text.length - 1 },
    { crc: 1 },
  ]) {
    await assert.rejects(readSingleEntry({ content: text, ...wrongZip }), DamagedFileError)
    assert.deepEqual(await readSingleEntry({ content: text, ...wrongZip }, 'readUnchecked'), text)
  }
})

test('a ZIP entry whose two headers contradict each other is reported as damaged', async () => {
  const bytes = makeZip([{ name: 'a.txt', content: text }])
  for (const at of [0, 6, 8, 14, 18, 22]) {
    const patchedZip = Buffer.from(bytes)
    patchedZip[at] = (patchedZip[at] ?? 0) ^ 8
    const zip = await openBytes(patchedZip)
    await assert.rejects(zip.read(getEntry(zip, 'a.txt'), maxBytes), DamagedFileError, `byte ${at}`)
  }
})

test('encrypted ZIP entries and unknown compression methods are reported as unsupported', async () => {
  await assert.rejects(readSingleEntry({ content: text, flags: 1 }), UnsupportedFileError)
  await assert.rejects(readSingleEntry({ content: text, method: 14 }), UnsupportedFileError)
})

test('a ZIP entry that extends beyond the archive is reported as damaged', async () => {
  await assert.rejects(readSingleEntry({ content: text, compressedSize: 100_000 }), DamagedFileError)
})

test('overlapping ZIP entries are refused before their shared data is read repeatedly', async () => {
  for (const count of [10, 100]) {
    const content = randomBytes(100_000)
    const sharedEntries = Array.from({ length: count }, (_, index) => ({
      name: `${index}`,
      content,
      ...(index > 0 && { sharesDataWith: 0 }),
    }))
    const source = new CountingSource(makeZip(sharedEntries))
    const zip = await openZipArchive(source, 1000)
    await assert.rejects(async () => {
      for (const entry of zip.entries) await zip.readRaw(entry)
    }, /its parts overlap/)
    assert.ok(source.bytesRead < 2 * source.size, `${source.bytesRead} of ${source.size} bytes were read`)
  }
})

test('a ZIP entry can be read more than once', async () => {
  const zip = await openBytes(makeZip([{ name: 'a.txt', content: text }]))
  for (let time = 0; time < 3; time++)
    assert.deepEqual(await zip.read(getEntry(zip, 'a.txt'), maxBytes), text)
})

test('reading the directory of a ZIP reads less than three times the size of the file', async () => {
  for (const count of [500, 2000]) {
    const source = new CountingSource(
      makeZip(Array.from({ length: count }, (_, index) => ({ name: `${index}` }))),
    )
    assert.equal((await openZipArchive(source, 5000)).entries.length, count)
    assert.ok(source.bytesRead < 3 * source.size, `${source.bytesRead} of ${source.size} bytes were read`)
  }
})

test('rewriting a ZIP replaces the specified files and copies all others byte for byte', async () => {
  const folder = scratchFolder('rewritten-zip')
  const zip = await openBytes(
    makeZip([
      { name: 'a.txt', content: text },
      { name: 'b.txt', content: text, method: 0 },
      { name: 'folder/' },
      { name: 'c.txt', content: text },
    ]),
  )
  for (const level of [0, 9]) {
    const path = join(folder, `${level}.zip`)
    await rewriteZip(zip, path, async ({ name }) => (name === 'a.txt' ? largeText : undefined), level)
    const copy = await openZipArchive(await openByPath(path), 100)
    assert.deepEqual(
      copy.entries.map(({ name }) => name),
      ['a.txt', 'b.txt', 'c.txt'],
    )
    assert.deepEqual(await copy.read(getEntry(copy, 'a.txt'), maxBytes), largeText)
    assert.equal(getEntry(copy, 'a.txt').compressedSize < largeText.length, level > 0)
    for (const name of ['b.txt', 'c.txt'])
      assert.deepEqual(await copy.readRaw(getEntry(copy, name)), await zip.readRaw(getEntry(zip, name)))
  }
})

test('only one module of the project opens archives with zip.js', () => {
  const root = fileURLToPath(new URL('../..', import.meta.url))
  const files = globSync(['lib/**/*.{ts,tsx}', 'functions/**/*.{ts,tsx}'], { cwd: root })
  assert.deepEqual(
    files.filter((path) => /\bZipReader/.test(readFileSync(join(root, path), 'utf8'))),
    ['lib/binary/zip.ts'],
  )
})
