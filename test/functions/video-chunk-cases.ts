// Films that the service cuts, killed on the way: held against the same one made whole.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { readPacketTimes } from '../engines/frame-times.ts'
import { Client, startService, type TestService } from '../service.ts'
import { until } from '../wait-until.ts'

export interface FilmCase {
  readonly folder: string
  /** Names of files there. */
  readonly files: readonly string[]
  readonly path: string
  readonly fields: Readonly<Record<string, string>>
  /** Seconds that a run may take. */
  readonly limitS: number
  /** Parts that have begun when the service is killed. */
  readonly kills: readonly number[]
  /** By how much the result may differ in size, of one. */
  readonly largerBy: number
  /** That come out. */
  readonly pictures: number
}

/** A film of test pictures with beeps. */
export function makeFilm(path: string, size: string, rate: string, seconds: number): void {
  const pictures = `testsrc2=size=${size}:rate=${rate}:duration=${seconds}`
  const sound = `sine=frequency=440:beep_factor=4:duration=${seconds}`
  const made = spawnSync(
    'ffmpeg',
    [
      ...['-nostdin', '-v', 'error', '-f', 'lavfi', '-i', pictures, '-f', 'lavfi', '-i', sound],
      ...['-c:v', 'libx264', '-preset', 'ultrafast', '-bf', '2', '-g', '100', '-c:a', 'aac', path],
    ],
    { encoding: 'utf8' },
  )
  assert.equal(made.status, 0, made.stderr)
}

/** By one worker and by two: every picture and sound at its time, no other warnings. */
export async function assertSameInParts(t: TestContext, film: FilmCase): Promise<void> {
  const service = await startService({ PARALLEL: '1' })
  t.after(() => service.stop())
  const client = new Client(service)
  const whole = await facts(client, await send(client, film), film)
  assert.equal(whole.pictures.length, film.pictures)
  await service.stop()
  for (const workers of ['1', '2']) {
    const began = performance.now()
    const cut = await inParts(t, film, workers)
    const late = [apart(whole, cut, 'pictures'), apart(whole, cut, 'sounds')]
    assert.ok(Math.max(...late) <= 0.002, `pictures and sounds are up to ${late.join(' and ')} s apart`)
    const larger = cut.size / whole.size - 1
    assert.ok(Math.abs(larger) <= film.largerBy, `${cut.size} bytes, in one run ${whole.size}`)
    assert.deepEqual(cut.job.warnings, whole.job.warnings)
    const seconds = ((performance.now() - began) / 1000).toFixed(0)
    const times = late.map((each) => (each * 1000).toFixed(1)).join(' and ')
    t.diagnostic(`${workers} workers: ${seconds} s, ${times} ms apart, ${(larger * 100).toFixed(1)} % larger`)
  }
}

async function inParts(t: TestContext, film: FilmCase, workers: string): Promise<Facts> {
  const settings = { PARALLEL: workers, TASK_LIMIT_S: String(film.limitS) }
  let service = await startService(settings)
  t.after(() => service.stop())
  const client = new Client(service)
  const jobId = await send(client, film)
  const { dataDir } = service
  for (const parts of film.kills) {
    await until(async () => (await partClaims(service)) >= parts, `${parts} parts were begun`, 300)
    await service.kill()
    service = await startService(settings, dataDir)
  }
  const made = await facts(client.at(service), jobId, film)
  await service.stop()
  return made
}

async function send(client: Client, { folder, files, path, fields }: FilmCase): Promise<string> {
  const form = new FormData()
  for (const name of files) {
    form.append('file', new Blob([new Uint8Array(await readFile(join(folder, name)))]), name)
  }
  for (const [name, value] of Object.entries(fields)) form.set(name, value)
  const response = await client.fetch(path, { method: 'POST', body: form })
  const body = (await response.json()) as { data: { jobId: string } }
  assert.equal(response.status, 202, JSON.stringify(body))
  return body.data.jobId
}

/** How often a part was begun. */
async function partClaims({ dataDir }: TestService): Promise<number> {
  const log = await readFile(join(dataDir, 'service.log'), 'utf8')
  return log.split('\n').filter((line) => line.includes('"task claimed"') && line.includes('"part":')).length
}

type Facts = Awaited<ReturnType<typeof facts>>

async function facts(client: Client, jobId: string, { folder }: FilmCase) {
  const job = await client.finished(jobId)
  const made = await client.saved(job, folder)
  return { job, ...readPacketTimes(made), size: (await stat(made)).size }
}

/** Seconds by which something is shown or heard at another time, at most. */
function apart(whole: Facts, cut: Facts, kind: 'pictures' | 'sounds'): number {
  assert.equal(cut[kind].length, whole[kind].length, kind)
  return Math.max(...whole[kind].map((time, at) => Math.abs((cut[kind][at] ?? Infinity) - time)))
}
