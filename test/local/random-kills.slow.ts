// Run by `FILE_S=14400 npm run test:slow -- test/local/random-kills.slow.ts`: kills processes at random while 60 jobs
// run. KILLS sets the number of kills, JOBS the number of jobs.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { chmod, mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import { ListMultipartUploadsCommand } from '@aws-sdk/client-s3'
import sharp from 'sharp'
import { createRandom } from '../jobs/simulated-aws.ts'
import { listenToEvents, openClients, type ReceivedEvent, readEvents } from '../support/event-listener.ts'
import { listDescendants } from '../support/processes.ts'
import { Client, type JobData, startService } from '../support/service.ts'

const run = promisify(execFile)
const killCount = Number(process.env['KILLS'] ?? 1000)
const jobsAtOnce = Number(process.env['JOBS'] ?? 60)
const minPauseMs = 2000
/** Maximum number of failed jobs. A job fails if its task is killed three times while it runs alone. */
const maxFailures = 3

interface Work {
  readonly name: string
  readonly bytes: Buffer<ArrayBuffer>
  readonly to: string
}

async function createWork(folder: string): Promise<readonly Work[]> {
  const video = join(folder, 'v.mp4')
  const source = ['-f', 'lavfi', '-i', 'testsrc=size=320x180:rate=25:duration=2']
  await run('ffmpeg', ['-v', 'error', ...source, '-pix_fmt', 'yuv420p', video])
  const noise = { type: 'gaussian', mean: 128, sigma: 60 } as const
  const image = sharp({ create: { width: 800, height: 600, channels: 3, background: '#888', noise } })
  const fixture = (name: string) => readFile(new URL(`../fixtures/${name}`, import.meta.url))
  const text = '# Title\n\nWords of a document, page after page.\n\n'.repeat(200)
  return [
    { name: 'v.mp4', bytes: Buffer.from(await readFile(video)), to: 'webm' },
    { name: 'i.png', bytes: Buffer.from(await image.png().toBuffer()), to: 'avif' },
    { name: 'd.docx', bytes: Buffer.from(await fixture('office/report.docx')), to: 'pdf' },
    { name: 'd.html', bytes: Buffer.from(`<p>${text}</p>`), to: 'pdf' },
    { name: 'd.md', bytes: Buffer.from(text), to: 'epub' },
    { name: 'd.pdf', bytes: Buffer.from(await fixture('report.pdf')), to: 'png' },
  ]
}

/** Repeats a request while the service or its database is starting. */
async function retryUntilDone<T>(request: () => Promise<T | undefined>): Promise<T> {
  for (;;) {
    const result = await request().catch(() => undefined)
    if (result !== undefined) return result
    await pause(500)
  }
}

test(`at most ${maxFailures} jobs fail while ${jobsAtOnce} jobs run at once and ${killCount} random processes are killed`, {
  timeout: 4 * 3_600_000,
}, async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'kills-'))
  const [dataDir, workDir] = [join(folder, 'data'), join(folder, 'work')]
  await mkdir(workDir)
  // Workers of a service that root started run as another user.
  await chmod(folder, 0o711)
  await chmod(workDir, 0o1777)
  // TMPDIR is a short path, because the path of a socket has at most 108 characters.
  const settings = { PARALLEL: '2', TMPDIR: workDir }
  let service = await startService(settings, dataDir)
  t.after(async () => {
    await service.kill()
    await rm(folder, { recursive: true, force: true })
  })
  const { port } = new URL(service.url)
  await listenToEvents(service)
  const client = new Client(service)
  await client.fetch('/v1')
  const workloads = await createWork(folder)
  const random = createRandom(20_261_128)
  const endedJobs = new Map<string, JobData>()
  const events: ReceivedEvent[] = []
  const problems: string[] = []
  let isOver = false
  let number = 0

  /** Sends one job after the other and waits for each. */
  const runJobsForever = async () => {
    while (!isOver) {
      const { to, ...file } = workloads[number++ % workloads.length] as Work // the list is not empty
      const headers = { 'idempotency-key': `job-${number}` }
      const id = await retryUntilDone(async () => {
        const response = await client.convert(file, { targetFormat: to }, headers)
        if (response.status >= 500 || response.status === 409) return undefined
        const body = (await response.json()) as { jobId?: string }
        if (body.jobId === undefined) problems.push(JSON.stringify(body))
        return body.jobId ?? ''
      })
      if (id === '') return
      endedJobs.set(
        id,
        await retryUntilDone(async () => {
          const { data } = (await (await client.fetch(`/v1/status/${id}`)).json()) as { data: JobData }
          return ['completed', 'failed', 'cancelled'].includes(data.status) ? data : undefined
        }),
      )
    }
  }
  const runningLoops = Array.from({ length: jobsAtOnce }, runJobsForever)

  const killedProcesses = new Map<string, number>()
  for (let kill = 0; kill < killCount; kill++) {
    await pause(minPauseMs + random() * 200)
    const allProcesses = [{ pid: service.pid, command: 'service' }, ...listDescendants(service.pid)]
    const victim = allProcesses[Math.floor(random() * allProcesses.length)]
    assert.ok(victim)
    const program = victim.command
      .split(' ')
      .find((word) => /worker|reader|decoder|service|^\/usr|soffice|dynoxide/.test(word))
    const name = program?.split('/').at(-1) ?? victim.command.slice(0, 40)
    killedProcesses.set(name, (killedProcesses.get(name) ?? 0) + 1)
    if (victim.pid === service.pid) {
      await service.kill()
      service = await startService({ ...settings, PORT: port }, dataDir)
    } else
      try {
        process.kill(victim.pid, 'SIGKILL')
      } catch {
        // The process ended before it could be killed.
      }
  }
  isOver = true
  await Promise.all(runningLoops)
  assert.deepEqual(problems, [])
  t.diagnostic(`killed ${JSON.stringify(Object.fromEntries(killedProcesses))}`)
  t.diagnostic(`${endedJobs.size} jobs ended`)

  const failures = [...endedJobs].filter(([, { status }]) => status !== 'completed')
  for (const [id, { status, error }] of failures) t.diagnostic(`${id} ${status}: ${JSON.stringify(error)}`)
  const corruptFileFailures = failures.filter(([, { error }]) => error?.code === 'CORRUPT_FILE')
  assert.deepEqual(corruptFileFailures, [], 'an interrupted read is no verdict on the file')
  assert.ok(failures.length <= maxFailures, `${failures.length} jobs failed`)

  await pause(60_000)
  events.push(...(await readEvents(service)))
  const wrongEvents = [...endedJobs.keys()].flatMap((id) => {
    const eventsById = new Map(
      events.flatMap((event) => (event.stream === id ? [[event.id, event] as const] : [])),
    )
    const jobEvents = [...eventsById.values()].sort((a, b) => a.sequence - b.sequence)
    const isComplete = jobEvents.every(({ sequence }, at) => sequence === at + 1)
    const ends = jobEvents.filter(({ event }) => event === 'job.completed' || event === 'job.failed')
    if (isComplete && ends.length === 1) return []
    return [`${id}: ${jobEvents.map(({ event, sequence }) => `${sequence} ${event}`).join(', ')}`]
  })
  assert.deepEqual(wrongEvents, [], 'each event is published once, and each job ends once')
  const { s3 } = await openClients(service)
  const { Uploads = [] } = await s3.send(new ListMultipartUploadsCommand({ Bucket: 'mutabor' }))
  assert.deepEqual(Uploads, [])
  const folders = [workDir, join(dataDir, 'work')]
  const remainingFiles = (await Promise.all(folders.map((one) => readdir(one)))).flat()
  assert.deepEqual(
    remainingFiles.filter((name) => /^task-/.test(name)),
    [],
    'folders of tasks',
  )
})
