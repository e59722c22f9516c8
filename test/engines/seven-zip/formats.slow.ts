// Run by `npm run test:slow`: tests reading and writing every archive format.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { sevenZip } from '../../../lib/engines/seven-zip.ts'
import type { FormatId } from '../../../lib/formats/index.ts'
import { files, getSingleFile, getTreeArchive, marker, singleFileIds, treeIds } from '../support/archives.ts'
import { readArchive } from '../support/inspect-archive.ts'
import { convert } from '../support/run-engine.ts'

const targets: readonly FormatId[] = [...treeIds.filter((id) => id !== 'xar'), 'cbz', 'wim', 'squashfs']

describe('archives with several files', { concurrency: 2 }, () => {
  for (const from of treeIds) {
    test(`an archive in ${from} is converted to a tar with all its files`, async () => {
      const { path } = await convert(sevenZip, getTreeArchive(from), from === 'tar' ? 'tgz' : 'tar', { from })
      assert.deepEqual(await readArchive(path, 'tar'), files)
    })
  }

  for (const to of targets) {
    test(`an archive with several files is converted to a complete ${to}`, async () => {
      const from = to === 'zip' ? '7z' : 'zip'
      const { path, format } = await convert(sevenZip, getTreeArchive(from), to)
      assert.equal(format, to)
      assert.deepEqual(await readArchive(path, to), files)
    })
  }
})

describe('compressed files', { concurrency: 2 }, () => {
  for (const from of singleFileIds) {
    test(`the entry in a ZIP made from a ${from} file has the name of the ${from} file without its extension`, async () => {
      const { path } = await convert(sevenZip, getSingleFile(from), 'zip', { from })
      assert.deepEqual(await readArchive(path, 'zip'), { in: marker })
    })
  }

  for (const to of singleFileIds) {
    test(`a single compressed file converted to ${to} is compressed directly, without a tar`, async () => {
      const { path, format } = await convert(sevenZip, getSingleFile(to === 'lz4' ? 'gz' : 'lz4'), to)
      assert.equal(format, to)
      assert.deepEqual(await readArchive(path, to), { '': marker })
    })

    test(`an archive with several files converted to ${to} becomes a compressed tar`, async () => {
      const { path, format } = await convert(sevenZip, getTreeArchive('zip'), to)
      assert.equal(
        format,
        {
          gz: 'tgz',
          bz2: 'tbz2',
          xz: 'txz',
          zst: 'tzst',
          lzma: 'tlz',
          lz: 'tar.lz',
          lz4: 'tar.lz4',
          lzo: 'tar.lzo',
          z: 'tar.z',
        }[to],
      )
      assert.deepEqual(await readArchive(path, format), files)
    })
  }
})
