import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { timesIn } from '../engines/film-times.ts'
import { before } from '../hooks.ts'
import { scratchFolder } from '../scratch.ts'
import { Client, startService, type TestService } from '../service.ts'
import { until } from '../until.ts'

const folder = scratchFolder('film')
const path = join(folder, 'film.mp4')

before(async () => {
  const film = 'testsrc2=size=1280x720:rate=25:duration=240'
  const sound = 'sine=frequency=440:beep_factor=4:duration=240'
  const made = spawnSync(
    'ffmpeg',
    [
      ...['-nostdin', '-v', 'error', '-f', 'lavfi', '-i', film, '-f', 'lavfi', '-i', sound],
      ...['-c:v', 'libx264', '-preset', 'ultrafast', '-bf', '2', '-g', '100', '-c:a', 'aac', path],
    ],
    { encoding: 'utf8' },
  )
  assert.equal(made.status, 0, made.stderr)
})

const send = async (client: Client) => {
  const film = { name: 'film.mp4', bytes: new Uint8Array(await readFile(path)) }
  const response = await client.convert(film, { targetFormat: 'mkv', mode: 'encode', preset: 'ultrafast' })
  const { data } = (await response.json()) as { data: { jobId: string } }
  return data.jobId
}

/** Claims of the task itself, and of its parts. */
async function claims({ dataDir }: TestService): Promise<{ whole: number; parts: number }> {
  const log = await readFile(join(dataDir, 'service.log'), 'utf8')
  const lines = log.split('\n').filter((line) => line.includes('"task claimed"'))
  const parts = lines.filter((line) => line.includes('"part":')).length
  return { whole: lines.length - parts, parts }
}

async function facts(client: Client, jobId: string) {
  const job = await client.finished(jobId)
  const made = await client.saved(job, folder)
  return { job, ...timesIn(made), size: (await stat(made)).size }
}

test('4 minutes of film in runs of 15 s are those of one run, though killed twice', {
  timeout: 1_500_000,
}, async (t) => {
  const unlimited = await startService({ PARALLEL: '1' })
  t.after(() => unlimited.stop())
  const client = new Client(unlimited)
  const whole = await facts(client, await send(client))
  await unlimited.stop()
  for (const workers of ['1', '2']) {
    const settings = { PARALLEL: workers, TASK_LIMIT_S: '15' }
    let service = await startService(settings)
    t.after(() => service.stop())
    const sender = new Client(service)
    const began = performance.now()
    const jobId = await send(sender)
    const { dataDir } = service
    for (const parts of [2, 8]) {
      await until(async () => (await claims(service)).parts >= parts, `${parts} parts were begun`, 300)
      await service.kill()
      service = await startService(settings, dataDir)
    }
    const cut = await facts(sender.at(service), jobId)
    assert.equal(cut.pictures.length, 6000)
    assert.equal(whole.pictures.length, 6000)
    for (const kind of ['pictures', 'sounds'] as const) {
      const apart = whole[kind].map((time, at) => Math.abs((cut[kind][at] ?? Infinity) - time))
      assert.ok(Math.max(...apart) <= 0.002, `${kind} are up to ${Math.max(...apart)} s apart`)
    }
    assert.ok(Math.abs(cut.size / whole.size - 1) <= 0.03, `${cut.size} bytes, in one run ${whole.size}`)
    assert.deepEqual(cut.job.warnings, whole.job.warnings)
    t.diagnostic(
      `${workers} workers: ${((performance.now() - began) / 1000).toFixed(0)} s, ${cut.size} bytes`,
    )
    await service.stop()
  }
})
