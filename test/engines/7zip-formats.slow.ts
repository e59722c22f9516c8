// Run by `npm run test:slow`: each kind of archive, read and written.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { sevenZip } from '../../lib/engines/seven-zip.ts'
import type { FormatId } from '../../lib/formats/index.ts'
import { archiveContents } from './inspect-archive.ts'
import { files, marker, oneIds, oneIn, treeIds, treeIn } from './archives.ts'
import { convert } from './run-engine.ts'

const targets: readonly FormatId[] = [...treeIds.filter((id) => id !== 'xar'), 'cbz', 'wim', 'squashfs']

describe('an archive', { concurrency: 2 }, () => {
  for (const from of treeIds) {
    test(`of ${from} gives all its files to a tar`, async () => {
      const { path } = await convert(sevenZip, treeIn(from), from === 'tar' ? 'tgz' : 'tar', { from })
      assert.deepEqual(await archiveContents(path, 'tar'), files)
    })
  }

  for (const to of targets) {
    test(`of several files becomes a whole ${to}`, async () => {
      const from = to === 'zip' ? '7z' : 'zip'
      const { path, format } = await convert(sevenZip, treeIn(from), to)
      assert.equal(format, to)
      assert.deepEqual(await archiveContents(path, to), files)
    })
  }
})

describe('a compressed file', { concurrency: 2 }, () => {
  for (const from of oneIds) {
    test(`of ${from} gives its one file, named after the upload`, async () => {
      const { path } = await convert(sevenZip, oneIn(from), 'zip', { from })
      assert.deepEqual(await archiveContents(path, 'zip'), { in: marker })
    })
  }

  for (const to of oneIds) {
    test(`of ${to} is made of a single file as it is`, async () => {
      const { path, format } = await convert(sevenZip, oneIn(to === 'lz4' ? 'gz' : 'lz4'), to)
      assert.equal(format, to)
      assert.deepEqual(await archiveContents(path, to), { '': marker })
    })

    test(`of ${to} is a tape archive when there are several files`, async () => {
      const { path, format } = await convert(sevenZip, treeIn('zip'), to)
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
      assert.deepEqual(await archiveContents(path, format), files)
    })
  }
})
