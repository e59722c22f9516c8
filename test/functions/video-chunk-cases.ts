// Compares videos that were encoded in chunks while the service was killed with the same videos encoded in one run.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { readPacketTimes } from '../engines/support/frame-times.ts'
import { Client, startService, type TestService } from '../support/service.ts'
import { waitUntil } from '../support/wait-until.ts'

export interface VideoCase {
  readonly folder: string
  /** Names of fixture files. */
  readonly files: readonly string[]
  readonly path: string
  readonly fields: Readonly<Record<string, string>>
  /** Time limit of a run in seconds. */
  readonly limitS: number
  /** Number of started chunks at which the service is killed. */
  readonly kills: readonly number[]
  /** Allowed relative size difference of the result. */
  readonly maxSizeDifference: number
  /** Number of frames expected in the result. */
  readonly frames: number
}

/** Creates a video of test frames with beeps. */
export function createVideo(path: string, size: string, rate: string, seconds: number): void {
  const frames = `testsrc2=size=${size}:rate=${rate}:duration=${seconds}`
  const tone = `sine=frequency=440:beep_factor=4:duration=${seconds}`
  const madeVideo = spawnSync(
    'ffmpeg',
    [
      ...['-nostdin', '-v', 'error', '-f', 'lavfi', '-i', frames, '-f', 'lavfi', '-i', tone],
      ...['-c:v', 'libx264', '-preset', 'ultrafast', '-bf', '2', '-g', '100', '-c:a', 'aac', path],
    ],
    { encoding: 'utf8' },
  )
  assert.equal(madeVideo.status, 0, madeVideo.stderr)
}

/**
 * Checks, with one worker and with two, that chunks give the same times of all video frames and audio packets, and the
 * same warnings, as a single run.
 */
export async function assertSameInChunks(t: TestContext, video: VideoCase): Promise<void> {
  const service = await startService({ PARALLEL: '1' })
  t.after(() => service.stop())
  const client = new Client(service)
  const wholeFacts = await readFacts(client, await send(client, video), video)
  assert.equal(wholeFacts.video.length, video.frames)
  await service.stop()
  for (const workers of ['1', '2']) {
    const startedAtMs = performance.now()
    const chunkedFacts = await convertInChunks(t, video, workers)
    const delaysS = [
      findLargestDifference(wholeFacts, chunkedFacts, 'video'),
      findLargestDifference(wholeFacts, chunkedFacts, 'audio'),
    ]
    assert.ok(
      Math.max(...delaysS) <= 0.002,
      `frames and audio packets are up to ${delaysS.join(' and ')} s apart`,
    )
    const largerShare = chunkedFacts.size / wholeFacts.size - 1
    assert.ok(
      Math.abs(largerShare) <= video.maxSizeDifference,
      `${chunkedFacts.size} bytes, in one run ${wholeFacts.size}`,
    )
    assert.deepEqual(chunkedFacts.job.warnings, wholeFacts.job.warnings)
    const seconds = ((performance.now() - startedAtMs) / 1000).toFixed(0)
    const times = delaysS.map((each) => (each * 1000).toFixed(1)).join(' and ')
    t.diagnostic(
      `${workers} workers: ${seconds} s, ${times} ms apart, ${(largerShare * 100).toFixed(1)} % larger`,
    )
  }
}

async function convertInChunks(t: TestContext, video: VideoCase, workers: string): Promise<Facts> {
  const settings = { PARALLEL: workers, TASK_LIMIT_S: String(video.limitS) }
  let service = await startService(settings)
  t.after(() => service.stop())
  const client = new Client(service)
  const jobId = await send(client, video)
  const { dataDir } = service
  for (const killAfterChunks of video.kills) {
    await waitUntil(
      async () => (await countChunkClaims(service)) >= killAfterChunks,
      `${killAfterChunks} chunks have started`,
      300,
    )
    await service.kill()
    service = await startService(settings, dataDir)
  }
  const jobFacts = await readFacts(client.at(service), jobId, video)
  await service.stop()
  return jobFacts
}

async function send(client: Client, { folder, files, path, fields }: VideoCase): Promise<string> {
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

/** Counts how often a worker claimed a chunk. */
async function countChunkClaims({ dataDir }: TestService): Promise<number> {
  const log = await readFile(join(dataDir, 'service.log'), 'utf8')
  return log.split('\n').filter((line) => line.includes('"task claimed"') && line.includes('"part":')).length
}

type Facts = Awaited<ReturnType<typeof readFacts>>

async function readFacts(client: Client, jobId: string, { folder }: VideoCase) {
  const job = await client.finishedJob(jobId)
  const savedPath = await client.saved(job, folder)
  return { job, ...readPacketTimes(savedPath), size: (await stat(savedPath)).size }
}

/** Returns the largest time difference of a video frame or an audio packet, in seconds. */
function findLargestDifference(wholeFacts: Facts, chunkedFacts: Facts, kind: 'video' | 'audio'): number {
  assert.equal(chunkedFacts[kind].length, wholeFacts[kind].length, kind)
  return Math.max(
    ...wholeFacts[kind].map((time, at) => Math.abs((chunkedFacts[kind][at] ?? Infinity) - time)),
  )
}
