import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { listZippedPages } from '../../lib/decoders/list-pages.ts'
import { stopCounting } from '../../lib/decoders/read-summary.ts'
import { manifestName } from '../../lib/engines/pdf/page-files.ts'
import { zipPages } from '../../lib/engines/pdf/pages-zip.ts'
import { StoredZip } from '../../lib/engines/pdf/stored-zip.ts'

let folder: string
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'list-pages-'))
})
after(async () => {
  await stopCounting()
  await rm(folder, { recursive: true })
})

const createManifest = (...names: readonly string[]) =>
  JSON.stringify({ parameters: {}, pages: names.map((file, at) => ({ page: at + 1, file, size: 1 })) })

async function writeZip(name: string, files: Readonly<Record<string, string>>): Promise<string> {
  const path = join(folder, name)
  await StoredZip.write(path, async (zip) => {
    for (const [file, text] of Object.entries(files)) await zip.addText(file, text)
  })
  return path
}

test('the pages of a ZIP with a page manifest are listed with their byte ranges in the ZIP', async () => {
  // The directory of a larger file is read in a range of its own.
  const contents = ['first', '', 'x'.repeat(1_000_000)]
  const pages = contents.map((_, at) => ({ page: at + 1, path: join(folder, `page-00${at + 1}.txt`) }))
  for (const [at, { path }] of pages.entries()) await writeFile(path, contents[at] ?? '')
  const zip = await zipPages(folder, pages, { dpi: 75 })
  const bytes = await readFile(zip)
  const listedPages = await listZippedPages(zip)
  assert.deepEqual(
    listedPages?.map(({ page, name, start, size }) => [
      page,
      name,
      bytes.toString('utf8', start, start + size),
    ]),
    contents.map((content, at) => [at + 1, `page-00${at + 1}.txt`, content]),
  )
})

const others: readonly (readonly [caseName: string, files: Readonly<Record<string, string>>])[] = [
  ['without a manifest', { 'a.txt': 'a' }],
  ['whose manifest names a path', { '../a.txt': 'a', [manifestName]: createManifest('../a.txt') }],
  ['whose manifest names a missing file', { 'a.txt': 'a', [manifestName]: createManifest('b.txt') }],
  ['whose manifest is no JSON', { 'a.txt': 'a', [manifestName]: '{' }],
  ['whose manifest has another meaning', { 'a.txt': 'a', [manifestName]: '{"name":"extension"}' }],
]
for (const [caseName, files] of others)
  test(`a ZIP ${caseName} is not read as a list of pages`, async () => {
    assert.equal(await listZippedPages(await writeZip(`${caseName}.zip`, files)), undefined)
  })

test('a ZIP with bytes between its files is not read as a list of pages', async () => {
  const path = await writeZip('gap.zip', { 'a.txt': 'a', [manifestName]: createManifest('a.txt') })
  const bytes = await readFile(path)
  const manifestStart = 30 + 'a.txt'.length + 1
  const directoryStart = bytes.readUInt32LE(bytes.length - 6)
  const bytesWithGap = Buffer.concat([
    bytes.subarray(0, manifestStart),
    Buffer.alloc(9),
    bytes.subarray(manifestStart),
  ])
  // The second entry of the directory and the directory itself are nine bytes further on.
  const secondEntry = directoryStart + 9 + 46 + 'a.txt'.length
  bytesWithGap.writeUInt32LE(manifestStart + 9, secondEntry + 42)
  bytesWithGap.writeUInt32LE(directoryStart + 9, bytesWithGap.length - 6)
  await writeFile(path, bytesWithGap)
  assert.equal(await listZippedPages(path), undefined)
})

test('a damaged ZIP is not read as a list of pages', async () => {
  const path = await writeZip('cut.zip', { 'a.txt': 'a', [manifestName]: createManifest('a.txt') })
  await writeFile(path, (await readFile(path)).subarray(0, -30))
  assert.equal(await listZippedPages(path), undefined)
})
