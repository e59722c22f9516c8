import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import iconv from 'iconv-lite'
import { sevenZip } from '../../../lib/engines/seven-zip.ts'
import { detectFile } from '../../formats/detect-file.ts'
import {
  createWithPython,
  files,
  getSingleFile,
  getTreeArchive,
  modifiedAt,
  pathInFolder,
  rarSample,
  singleFileIds,
  skipWithoutSample,
  treeIds,
} from '../support/archives.ts'
import { testConformance } from '../support/conformance.ts'
import { readArchive } from '../support/inspect-archive.ts'
import { convert } from '../support/run-engine.ts'

const slowArchivePath = pathInFolder('long.zip')
writeFileSync(pathInFolder('noise'), randomBytes(24_000_000))
execFileSync('7zz', ['a', '-mx=0', slowArchivePath, pathInFolder('noise')], { stdio: 'ignore' })

// Each format is read and written in formats.slow.ts.
testConformance(sevenZip, {
  fixtures: { zip: getTreeArchive('zip'), ...(existsSync(rarSample) && { rar: rarSample }) },
  only: (_, to) => to === 'txz' || to === '7z',
  garbage: ['zip', '7z', 'tar', 'iso', 'gz', 'txz', 'lz4'],
  long: { source: slowArchivePath, to: 'xz', options: { compressionLevel: 9 } },
})

describe('archives', { concurrency: 2 }, () => {
  test('an archive in RAR format can be read', { skip: skipWithoutSample(rarSample) }, async () => {
    const { path } = await convert(sevenZip, rarSample, 'zip')
    const contents = await readArchive(path, 'zip')
    assert.deepEqual(contents['sub/dir1/file1.txt'], 'file1\n')
    assert.equal(Object.keys(contents).length, 4)
  })

  test('an archive keeps the modification times of its files', async () => {
    const { path } = await convert(sevenZip, getTreeArchive('7z'), 'tar')
    mkdirSync(pathInFolder('times'))
    execFileSync('tar', ['-xf', path, '-C', pathInFolder('times')])
    assert.equal(statSync(pathInFolder('times/read me.txt')).mtimeMs, modifiedAt.getTime())
  })

  test('an archive with file names in DOS or Windows encodings gets Unicode names', async () => {
    const tar = createWithPython(
      'old.tar',
      `t = tarfile.open(out, 'w', format=tarfile.GNU_FORMAT, encoding='latin1'); i = tarfile.TarInfo('gr\u00fc\u00dfe'); i.size = 2; t.addfile(i, io.BytesIO(b'hi')); t.close()`,
    )
    const zip = createWithPython(
      'old.zip',
      `z = zipfile.ZipFile(out, 'w'); z.writestr('grXXe', 'hi'); z.close()
b = open(out, 'rb').read().replace(b'grXXe', b'gr\\x81\\xe1e'); open(out, 'wb').write(b)`,
    )
    for (const path of [tar, zip]) {
      const { path: result } = await convert(sevenZip, path, 'tgz')
      assert.deepEqual(await readArchive(result, 'tgz'), { grüße: 'hi' })
    }
  })

  test('an archive with file names in other national encodings gets Unicode names', async () => {
    for (const [charset, names] of Object.entries({
      cp932: ['日本語の資料.txt', '写真.txt'],
      cp936: ['我的文件.txt', '中国地图资料.txt'],
      cp949: ['사진.txt', '보고서.txt'],
      cp866: ['Отчёт за год.txt', 'Фото.txt'],
      // In cp1251 neither name is valid UTF-8, and the names differ only in invalid bytes.
      cp1251: ['Привет.txt', 'Пример.txt'],
    })) {
      const bare = names.map((name, at) => 'xy'.charAt(at).repeat(iconv.encode(name, charset).length))
      const path = createWithPython(
        `${charset}.zip`,
        `z = zipfile.ZipFile(out, 'w'); [z.writestr(n, 'hi') for n in ${JSON.stringify(bare)}]; z.close()`,
      )
      const bytes = names.reduce(
        (text, name, at) => text.replaceAll(bare[at] ?? '', iconv.encode(name, charset).toString('latin1')),
        readFileSync(path, 'latin1'),
      )
      writeFileSync(path, bytes, 'latin1')
      const { path: result, warnings } = await convert(sevenZip, path, 'tar')
      assert.deepEqual(Object.keys(await readArchive(result, 'tar')).sort(), names.toSorted())
      assert.deepEqual(warnings, [], charset)
    }
  })

  test('the entry in a tar made from a compressed file has the name of the upload without .z, .bz2, .xz or .lz4', async () => {
    for (const id of ['z', 'bz2', 'xz', 'lz4'] as const) {
      const { path } = await convert(sevenZip, getSingleFile(id), 'tar', { names: [`Bericht 7.txt.${id}`] })
      assert.deepEqual(Object.keys(await readArchive(path, 'tar')), ['Bericht 7.txt'])
    }
  })

  test('an archive is smaller at a higher compression level', async () => {
    const [fastSize, smallSize] = await Promise.all(
      [0, 9].map(async (compressionLevel) => {
        const { path } = await convert(sevenZip, getTreeArchive('tar'), 'tgz', {
          options: { compressionLevel },
        })
        return statSync(path).size
      }),
    )
    assert.ok(Number(smallSize) < Number(fastSize), `${smallSize} and ${fastSize}`)
  })
})

describe('compressed files', { concurrency: 2 }, () => {
  test('the entry in a ZIP made from a GZ file has the name that is stored in the GZ file', async () => {
    const source = createWithPython(
      'named.gz',
      `import gzip; g = gzip.GzipFile('gr\u00fcn.txt', 'wb', fileobj=open(out, 'wb')); g.write(b'hi'); g.close()`,
    )
    const { path } = await convert(sevenZip, source, 'zip')
    assert.deepEqual(await readArchive(path, 'zip'), { 'grün.txt': 'hi' })
  })

  test('the entry in a ZIP made from an XZ file has the name of the upload without .xz', async () => {
    const source = createWithPython('plain.xz', `import lzma; open(out, 'wb').write(lzma.compress(b'hi'))`)
    const { path } = await convert(sevenZip, source, 'zip', { names: ['photo.svg.xz'] })
    assert.deepEqual(await readArchive(path, 'zip'), { 'photo.svg': 'hi' })
  })

  test('a tar that is compressed with gzip becomes a ZIP of the files in the tar', async () => {
    const { path } = await convert(sevenZip, getTreeArchive('tgz'), 'zip', { from: 'gz' })
    assert.deepEqual(await readArchive(path, 'zip'), files)
  })
})

test('an archive converted to AR, which has no folders, keeps the files of all folders, with a warning', async () => {
  const { path, warnings } = await convert(sevenZip, getTreeArchive('zip'), 'ar')
  assert.deepEqual(warnings, ['FOLDERS_DROPPED'])
  assert.deepEqual(Object.values(await readArchive(path, 'ar')).sort(), Object.values(files).sort())
})

test('an archive format is detected by its bytes, and a compressed tar by its name', async () => {
  const detect = (path: string, name: string) => detectFile(name, readFileSync(path))
  for (const id of treeIds) assert.equal(await detect(getTreeArchive(id), `x.${id}`), id)
  for (const id of singleFileIds) assert.equal(await detect(getSingleFile(id), 'upload'), id)
  for (const id of ['7z', 'tar', 'cpio', 'iso'] as const)
    assert.equal(await detect(getTreeArchive(id), 'upload'), id)
  if (existsSync(rarSample)) assert.equal(await detect(rarSample, 'upload'), 'rar')
  assert.equal(await detect(getTreeArchive('tgz'), 'files.tar.gz'), 'tgz')
})
