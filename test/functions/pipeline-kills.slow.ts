import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import { createRandom } from '../jobs/simulated-aws.ts'
import { listenToEvents, readEvents, watchEvents } from '../support/event-listener.ts'
import { scratchFolder } from '../support/scratch-folder.ts'
import { Client, startService } from '../support/service.ts'

const run = promisify(execFile)
const killCount = 20
const png = await readFile(new URL('../fixtures/alpha.png', import.meta.url))

/** Creates tasks: one import, thirty parallel conversions, and an archive that is extracted and archived again. */
function createTasks() {
  const conversions = Array.from({ length: 30 }, (_, at) => `c${at}`)
  const formats = ['webp', 'jpg', 'gif']
  return {
    file: { operation: 'import/base64', file: png.toString('base64'), filename: 'a.png' },
    ...Object.fromEntries(
      conversions.map((name, at) => [
        name,
        { operation: 'convert', input: 'file', output_format: formats[at % 3], filename: `${name}.{ext}` },
      ]),
    ),
    zip: { operation: 'archive', input: conversions },
    apart: { operation: 'extract', input: 'zip' },
    again: { operation: 'archive', input: 'apart', output_format: 'tar' },
    out: { operation: 'export/url', input: ['zip', 'again'] },
  }
}

/** A task whose worker was killed three times rightly fails; such a job is not counted. */
const isGivenUp = ({ error }: { readonly error?: { readonly message: string } | null }) =>
  error?.message.includes('crashed in all three attempts') === true

test(`a pipeline returns all its files and publishes all its events despite ${killCount} kills of the whole service`, async () => {
  for (const seed of [20_261_122, 20_261_123]) if (await survivesKill(seed)) return
  assert.fail('one task met three kills, twice')
})

/**
 * Runs the pipeline, kills the service repeatedly, and checks result and events. Returns false without checks if a task
 * failed because its worker was killed three times.
 */
async function survivesKill(seed: number): Promise<boolean> {
  const random = createRandom(seed)
  const dataDir = await mkdtemp(join(tmpdir(), 'mutabor-kills-'))
  // Runs few tasks in parallel, so that it is unlikely that one of them is interrupted three times, which fails the
  // job.
  const settings = { PARALLEL: '2' }
  let service = await startService(settings, dataDir)
  const port = new URL(service.url).port
  try {
    await listenToEvents(service)
    const client = new Client(service)
    const response = await client.post('/v1/jobs', { tasks: createTasks() })
    const { jobId } = (await response.json()) as { jobId: string }
    assert.equal(response.status, 202)
    let percent = 0
    let killsDuringJob = 0
    for (let kill = 0; kill < killCount; kill++) {
      await pause(300 + random() * 1500)
      const { data } = (await (await client.fetch(`/v1/status/${jobId}`)).json()) as {
        data: { progress: { percent: number } }
      }
      assert.ok(
        data.progress.percent >= percent,
        `progress decreased from ${percent} to ${data.progress.percent}`,
      )
      percent = data.progress.percent
      if (percent < 100) killsDuringJob++
      await service.kill()
      service = await startService({ ...settings, PORT: port }, dataDir)
    }
    assert.ok(killsDuringJob >= 5, `only ${killsDuringJob} kills hit an unfinished job`)
    const job = await client.finishedJob(jobId)
    if (isGivenUp(job)) return false
    assert.equal(job.status, 'completed', JSON.stringify(job.error))
    await watchEvents(client, jobId)
    const path = await client.saved(job, scratchFolder('mutabor-kills'))
    const { stdout } = await run('unzip', ['-Z1', path])
    assert.equal(stdout.trim().split('\n').length, 30)

    const events = await readEvents(service)
    const byId = Map.groupBy(events, ({ id }) => id)
    for (const [id, receivedEvents] of byId)
      for (const event of receivedEvents)
        assert.deepEqual(event, receivedEvents[0], `${id} was published in two versions`)
    const jobEvents = [...byId.values()].flatMap(([event]) => (event?.stream === jobId ? event : []))
    const sortedEvents = jobEvents.sort((a, b) => a.sequence - b.sequence)
    assert.deepEqual(
      sortedEvents.map(({ sequence }) => sequence),
      sortedEvents.map((_, at) => at + 1),
      'an event was lost or published with two ids',
    )
    const kinds = sortedEvents.map(({ event }) => event).filter((event) => event !== 'job.progress')
    const endEvents = ['job.completed', 'file.downloaded']
    assert.deepEqual(kinds, ['job.created', 'job.queued', 'job.started', ...endEvents])
    return true
  } finally {
    await service.kill()
    await rm(dataDir, { recursive: true, force: true })
  }
}
