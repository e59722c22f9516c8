// Run by `npm run test:slow -- test/local/clock.slow.ts`: the clock of the service is set forward and back by a day
// while jobs run. Workers, which get no LD_PRELOAD, keep the right time, like a worker on another machine.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import { scratchFolder } from '../support/scratch-folder.ts'
import { Client, startService } from '../support/service.ts'

const run = promisify(execFile)
const libraryPath = '/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1'
/** Offsets of the clock, each for `holdMs`. */
const offsets = ['+1d', '+0', '-1d', '+0', '+1d', '-1d'] as const
const holdMs = 8000

test('jobs complete even if the clock of the service is set forward and back by a day', {
  timeout: 600_000,
}, async (t) => {
  const folder = scratchFolder('clock')
  const clock = join(folder, 'offset')
  const setClock = async (offset: string) => {
    await writeFile(`${clock}.new`, `${offset}\n`)
    await rename(`${clock}.new`, clock)
  }
  await setClock('+0')
  const service = await startService({
    LD_PRELOAD: libraryPath,
    FAKETIME_TIMESTAMP_FILE: clock,
    FAKETIME_NO_CACHE: '1',
    // Timers use the monotonic clock, which no one sets.
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
    // Otherwise, files would rightly be deleted a day later.
    RETENTION_HOURS: '96',
  })
  t.after(() => service.stop())
  const video = join(folder, 'v.mp4')
  const source = ['-f', 'lavfi', '-i', 'testsrc=size=640x360:rate=25:duration=4']
  await run('ffmpeg', ['-v', 'error', ...source, '-pix_fmt', 'yuv420p', video])
  const bytes = Buffer.from(await readFile(video))
  const client = new Client(service)
  const ids: string[] = []
  const send = async () => {
    const response = await client.convert({ name: 'v.mp4', bytes }, { targetFormat: 'webm' })
    const body = (await response.json()) as { jobId: string }
    assert.equal(response.status, 202, JSON.stringify(body))
    ids.push(body.jobId)
  }
  await send()
  for (const offset of offsets) {
    await setClock(offset)
    const response = await client.fetch('/v1/formats/png')
    const { meta } = (await response.json()) as { meta: { timestamp: string } }
    const skewMs = Date.parse(meta.timestamp) - Date.now()
    assert.ok(Math.abs(skewMs - Number.parseInt(offset, 10) * 86_400_000) < 60_000, 'the clock is set')
    await send()
    await pause(holdMs)
  }
  await setClock('+0')
  for (const id of ids) {
    const { status, error } = await client.finishedJob(id)
    assert.equal(status, 'completed', JSON.stringify(error))
    assert.ok((await client.download(id)).length > 1000)
  }
})
