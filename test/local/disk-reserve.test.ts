import assert from 'node:assert/strict'
import { readFileSync, statfsSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import pino from 'pino'
import { DiskReserve } from '../../lib/local/runtime/disk-reserve.ts'
import { createLog } from '../../lib/log.ts'
import { makeSmallDisk } from '../support/small-disk.ts'
import { waitUntil } from '../support/wait-until.ts'

const mib = 1024 ** 2
const silentLog = pino({ level: 'silent' })
const getSize = (file: string) => statSync(file, { throwIfNoEntry: false })?.size ?? 0

test('disk space is reserved, released when the disk is full, and reserved again', async (t) => {
  const disk = makeSmallDisk(t, 120)
  if (typeof disk === 'string') return t.skip(disk)
  const getFreeBytes = () => statfsSync(disk.folder).bavail * statfsSync(disk.folder).bsize
  const file = join(disk.folder, '.reserve')
  let releaseCount = 0
  const openReserve = () => new DiskReserve(disk.folder, silentLog, () => releaseCount++, 20)
  const reserve = openReserve()
  t.after(() => reserve.close())
  await waitUntil(() => getSize(file) === 10 * mib, 'about a tenth of the disk is reserved')
  assert.equal(statSync(file).mode & 0o777, 0o600)
  assert.ok(reserve.ensureFreeSpace() > 8 * mib)
  assert.equal(getSize(file), 10 * mib, 'nothing is released while there is free space')
  disk.fill()
  assert.equal(getFreeBytes(), 0)
  assert.ok(reserve.ensureFreeSpace() >= 8 * mib)
  assert.deepEqual([getSize(file), releaseCount], [2 * mib, 1])
  writeFileSync(join(disk.folder, 'records'), Buffer.alloc(mib))
  reserve.ensureFreeSpace()
  assert.deepEqual(
    [getSize(file), releaseCount],
    [2 * mib, 1],
    'one release is enough for several operations',
  )
  disk.emptyDisk()
  await waitUntil(() => getSize(file) === 10 * mib, 'the space is reserved again')
  await reserve.close()
  disk.fill()
  const nextReserve = openReserve()
  t.after(() => nextReserve.close())
  assert.ok(nextReserve.ensureFreeSpace() >= 8 * mib, 'the next start uses the existing reserve')
})

test('logging on a full disk does not throw, and the lines are written later', async (t) => {
  const disk = makeSmallDisk(t, 4)
  if (typeof disk === 'string') return t.skip(disk)
  const file = join(disk.folder, 'service.log')
  const log = createLog({ LOG_LEVEL: 'info', LOG_FILE: file })
  log.info('before')
  disk.fill()
  const long = 'x'.repeat(5000)
  log.info({ long }, 'meanwhile')
  log.info({ long }, 'meanwhile')
  disk.emptyDisk()
  log.info('after')
  const lines = readFileSync(file, 'utf8').trim().split('\n')
  assert.deepEqual(
    lines.map((line) => JSON.parse(line).msg),
    ['before', 'meanwhile', 'meanwhile', 'after'],
  )
})
