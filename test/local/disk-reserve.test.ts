import assert from 'node:assert/strict'
import { readFileSync, statfsSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import pino from 'pino'
import { DiskReserve } from '../../lib/local/disk-reserve.ts'
import { createLog } from '../../lib/log.ts'
import { makeSmallDisk } from '../small-disk.ts'
import { until } from '../wait-until.ts'

const mib = 1024 ** 2
const silentLog = pino({ level: 'silent' })
const sizeOf = (file: string) => statSync(file, { throwIfNoEntry: false })?.size ?? 0

test('room is kept on a disk, given up when it is full, and taken back', async (t) => {
  const disk = makeSmallDisk(t, 120)
  if (typeof disk === 'string') return t.skip(disk)
  const free = () => statfsSync(disk.folder).bavail * statfsSync(disk.folder).bsize
  const file = join(disk.folder, '.reserve')
  let releases = 0
  const open = () => new DiskReserve(disk.folder, silentLog, () => releases++, 20)
  const reserve = open()
  t.after(() => reserve.close())
  await until(() => sizeOf(file) === 10 * mib, 'a tenth or so is kept')
  assert.equal(statSync(file).mode & 0o777, 0o600)
  assert.ok(reserve.ensureFreeSpace() > 8 * mib)
  assert.equal(sizeOf(file), 10 * mib, 'as long as there is room it stays')
  disk.fill()
  assert.equal(free(), 0)
  assert.ok(reserve.ensureFreeSpace() >= 8 * mib)
  assert.deepEqual([sizeOf(file), releases], [2 * mib, 1])
  writeFileSync(join(disk.folder, 'records'), Buffer.alloc(mib))
  reserve.ensureFreeSpace()
  assert.deepEqual([sizeOf(file), releases], [2 * mib, 1], 'what is given up serves many')
  disk.empty()
  await until(() => sizeOf(file) === 10 * mib, 'it is taken back')
  await reserve.close()
  disk.fill()
  const next = open()
  t.after(() => next.close())
  assert.ok(next.ensureFreeSpace() >= 8 * mib, 'the next start finds it')
})

test('a log on a full disk fails nobody, and tells later what it could not write', async (t) => {
  const disk = makeSmallDisk(t, 4)
  if (typeof disk === 'string') return t.skip(disk)
  const file = join(disk.folder, 'service.log')
  const log = createLog({ LOG_LEVEL: 'info', LOG_FILE: file })
  log.info('before')
  disk.fill()
  const long = 'x'.repeat(5000)
  log.info({ long }, 'meanwhile')
  log.info({ long }, 'meanwhile')
  disk.empty()
  log.info('after')
  const lines = readFileSync(file, 'utf8').trim().split('\n')
  assert.deepEqual(
    lines.map((line) => JSON.parse(line).msg),
    ['before', 'meanwhile', 'meanwhile', 'after'],
  )
})
