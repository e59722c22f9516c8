import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { findSafeLinks } from '../../../lib/engines/seven-zip/kept-links.ts'
import { sevenZip } from '../../../lib/engines/seven-zip.ts'
import { detectFile } from '../../formats/detect-file.ts'
import { scratchFolder } from '../../support/scratch-folder.ts'
import { readArchive } from '../support/inspect-archive.ts'
import { convert, fixture, removeRuns } from '../support/run-engine.ts'

/** The fixtures are made by make-odd-archives.ts. */
after(removeRuns)

/** Returns the links of an archive with their targets. */
const listLinks = (path: string) =>
  execFileSync('bsdtar', ['-tvf', path], { encoding: 'utf8' })
    .split('\n')
    .filter((line) => line.startsWith('l'))
    .map((line) => line.split(/\d\d:\d\d |\d{4} /).at(-1))
    .sort()

test('links of a tar to its own files are kept in TGZ and CPIO, and other links are dropped with a warning', async () => {
  for (const to of ['tgz', 'cpio'] as const) {
    const { path, warnings, messages } = await convert(sevenZip, fixture('odd/links.tar'), to)
    assert.deepEqual(listLinks(path), ['dir/b b.txt -> a.txt', 'same -> dir'], to)
    assert.deepEqual(warnings, ['LINKS_DROPPED'])
    assert.match(messages[0] ?? '', /^3 links or devices .*: "absolute", "outside", "through"\.$/)
  }
})

test('dropped links of an archive are reported if the new format does not support links', async () => {
  const { path, messages } = await convert(sevenZip, fixture('odd/links.tar'), 'zip')
  assert.deepEqual(await readArchive(path, 'zip'), { 'dir/a.txt': 'otters\n' })
  assert.match(
    messages[0] ?? '',
    /^2 links to files .* contains only files and folders: "dir\/b b\.txt", "same"\.$/,
  )
  assert.match(messages[1] ?? '', /^3 links or devices .*: "absolute", "outside", "through"\.$/)
})

test('a link in an LZH archive stays a link and does not become a folder', async () => {
  const { path, warnings } = await convert(sevenZip, fixture('odd/links.lzh'), 'tar')
  assert.deepEqual([listLinks(path), warnings], [['b.txt -> a.txt'], []])
  const zip = await convert(sevenZip, fixture('odd/links.lzh'), 'zip')
  assert.deepEqual(await readArchive(zip.path, 'zip'), { 'a.txt': 'otters\n' })
  assert.deepEqual(zip.warnings, ['LINKS_DROPPED'])
})

test('an archived folder with a vertical bar in its name is not taken for a link', async () => {
  const folder = scratchFolder('bar-test')
  mkdirSync(join(folder, 'a|b'))
  writeFileSync(join(folder, 'a|b/c.txt'), 'otters')
  execFileSync('7zz', ['a', '-psecret', 'bar.zip', 'a|b'], { cwd: folder, stdio: 'ignore' })
  const { path } = await convert(sevenZip, join(folder, 'bar.zip'), 'tar', {
    options: { password: 'secret' },
  })
  assert.deepEqual(Object.values(await readArchive(path, 'tar')), ['otters'])
})

test('archive links that lead out of the archive or through other links are dropped', () => {
  const createLink = (name: string, linkTarget: string) =>
    ({ name, linkTarget, size: 0, kind: 'link' }) as const
  const entries = [
    { name: 'dir/sub/a', size: 1, kind: 'file' } as const,
    createLink('dir/up', '../../x'),
    createLink('root', '/dir'),
    createLink('missing', 'none'),
    createLink('winding', `${'./'.repeat(100)}dir/sub/a`),
    createLink('folder', './dir/sub/'),
    createLink('dir/to-a', 'sub/../sub/a'),
    createLink('through', 'folder/a'),
    createLink('folder/inside', '../dir/sub/a'),
  ]
  assert.deepEqual(
    findSafeLinks(entries).map(({ name }) => name),
    ['folder', 'dir/to-a'],
  )
})

test('file names that are encoded as EUC-JP in a cpio archive are decoded', async () => {
  const { path } = await convert(sevenZip, fixture('odd/euc-jp.cpio'), 'zip')
  assert.deepEqual(Object.keys(await readArchive(path, 'zip')).sort(), ['テスト.txt', '資料/会議の記録.txt'])
})

for (const [name, copies] of [
  ['legacy', 1],
  ['skippable', 1],
  ['two-frames', 2],
] as const)
  test(`an LZ4 file is unpacked: ${name}`, async () => {
    const source = fixture(`odd/${name}.lz4`)
    assert.equal(await detectFile(`${name}.lz4`, readFileSync(source)), 'lz4')
    const { path } = await convert(sevenZip, source, 'zip')
    const plainText = readFileSync(fixture('plain.txt'), 'utf8')
    assert.deepEqual(Object.values(await readArchive(path, 'zip')), [plainText.repeat(copies)])
  })

test('the error for a split archive names the missing parts', async () => {
  const [first, second] = ['001', '002'].map((volume) => readFileSync(fixture(`odd/split.7z.${volume}`)))
  const assertRefused = (name: string, bytes: Buffer | undefined, message: RegExp) =>
    assert.rejects(detectFile(name, bytes ?? ''), { code: 'CORRUPT_FILE', message })
  await assertRefused(
    'photos.7z.001',
    first,
    /part 1 of .*photos\.7z, and 2 parts are missing: photos\.7z\.002, photos\.7z\.003\. Join/,
  )
  const huge = Buffer.from(first ?? '')
  huge.writeBigUInt64LE(2n ** 62n, 12)
  await assertRefused('photos.7z.001', huge, /part 1 of .*at least a part is missing: photos\.7z\.002\. Join/)
  await assertRefused(
    'photos.7z.002',
    second,
    /part 2 of .*at least a part is missing: photos\.7z\.001\. Join/,
  )
  await assertRefused('photos.7z', first, /7z archive, but it is cut off: \d+ bytes at its end are missing/)
})

test('the error for a split ZIP names the missing parts', async () => {
  const parts = ['001', '002', '003'].map((part) => readFileSync(fixture(`odd/split.zip.${part}`)))
  const expectedTexts = [
    /part 1 of .*photos\.zip, and at least a part is missing: photos\.zip\.002\. Join/,
    /part 2 of .*photos\.zip, and at least a part is missing: photos\.zip\.001\. Join/,
    /part 3 of .*photos\.zip, and 2 parts are missing: photos\.zip\.001, photos\.zip\.002\. Join/,
  ]
  for (const [at, message] of expectedTexts.entries())
    await assert.rejects(detectFile(`photos.zip.00${at + 1}`, parts[at] ?? ''), {
      code: 'CORRUPT_FILE',
      message,
    })
})

test('a split archive with a single part is read', async () => {
  assert.equal(await detectFile('small.7z.001', readFileSync(fixture('odd/zstd.7z'))), '7z')
  assert.equal(await detectFile('small.zip.001', readFileSync(fixture('odd/backslash.zip'))), 'zip')
})
