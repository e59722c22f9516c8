import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import { readResidentBytes } from '../../support/processes.ts'
import { startService, type TestService } from '../../support/service.ts'
import { buildForm, ServiceClient } from '../client.ts'
import { p95 } from '../measure.ts'
import type { BenchContext, Section } from '../section.ts'

const perSecond = 10
const seconds = 100
/** Number of sockets, which is within the connection limit of one identity. */
const socketCount = 90
/** Response time of the slow receiver in milliseconds. */
const slowMs = 5000
/** Time for the last events to arrive in milliseconds. */
const deliveryGraceMs = 10_000
/** Time after which an idle service has collected its garbage, in milliseconds. */
const restMs = 40_000
const healthyPaths = ['one', 'two', 'three'] as const

interface ReceivedEvents {
  readonly id: string
  readonly event: string
  readonly sequence: number
  readonly timestamp: string
  readonly job: { readonly id: string }
}

interface WebhookEvents extends ReceivedEvents {
  readonly at: number
}

/** A webhook receiver that records the events of each path, with one slow path. */
async function openReceiver() {
  const receivedEvents = new Map<string, WebhookEvents[]>()
  const server = createServer(async (request, response) => {
    const at = Date.now()
    const event = JSON.parse((await buffer(request)).toString()) as ReceivedEvents
    const path = request.url ?? ''
    receivedEvents.set(path, [...(receivedEvents.get(path) ?? []), { ...event, at }])
    if (path === '/slow') await pause(slowMs)
    response.writeHead(204).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo // the server listens on TCP
  return {
    url: (path: string) => `http://127.0.0.1:${port}/${path}`,
    at: (path: string) => receivedEvents.get(`/${path}`) ?? [],
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

async function subscribe(client: ServiceClient, url: string): Promise<void> {
  const body = Buffer.from(JSON.stringify({ url, events: ['job.completed', 'job.failed'] }))
  const headers = { 'content-type': 'application/json' }
  const { status, body: webhookBody } = await client.send('/v1/webhooks', { method: 'POST', headers, body })
  if (status !== 201) throw new Error(`creating the webhook returned ${status} ${webhookBody}`)
}

/** Opens a socket of the identity and records the delay of each end event. */
async function listen(service: TestService, token: string, delaysMs: number[]): Promise<WebSocket> {
  const socket = new WebSocket(`${service.url.replace('http', 'ws')}/v1/ws/user/jobs`, [
    'v1.jobs',
    `bearer.${token}`,
  ])
  await new Promise((resolve, reject) => {
    socket.onmessage = resolve
    socket.onerror = reject
    socket.onclose = reject
  })
  socket.onmessage = ({ data }) => {
    const frame = JSON.parse(String(data)) as Partial<ReceivedEvents>
    if (frame.event === 'job.completed' && frame.timestamp)
      delaysMs.push(Date.now() - Date.parse(frame.timestamp))
  }
  return socket
}

function getJobId({ status, body }: Awaited<ReturnType<ServiceClient['send']>>): string {
  if (status !== 202) throw new Error(`creating a job returned ${status} ${body}`)
  return JSON.parse(body.toString()).data.jobId
}

/** Starts ten jobs per second, without waiting for earlier jobs, and returns the ids of all jobs. */
async function startJobs(client: ServiceClient): Promise<string[]> {
  const path = new URL('../../fixtures/alpha.png', import.meta.url)
  const { type, body } = buildForm(
    { name: 'alpha.png', path: path.pathname, bytes: Buffer.from(await readFile(path)) },
    { targetFormat: 'webp' },
  )
  const jobs: Promise<string>[] = []
  const startedAt = performance.now()
  for (let job = 0; job < perSecond * seconds; job++) {
    await pause(Math.max(0, startedAt + (job * 1000) / perSecond - performance.now()))
    const reply = client.send('/v1/convert', { method: 'POST', headers: { 'content-type': type }, body })
    jobs.push(reply.then(getJobId))
  }
  return Promise.all(jobs)
}

async function run({ report }: BenchContext): Promise<void> {
  const service = await startService({ OUTGOING_ALLOW: '127.0.0.0/8' })
  const receiver = await openReceiver()
  const client = new ServiceClient(service.url)
  try {
    const deadUrl = 'http://127.0.0.1:9/dead'
    for (const url of [...healthyPaths.map(receiver.url), receiver.url('slow'), deadUrl])
      await subscribe(client, url)
    const frameDelaysMs: number[] = []
    const socket = await listen(service, client.token, frameDelaysMs)
    const jobs = await startJobs(client)
    await pause(deliveryGraceMs)
    report.title(`${perSecond} jobs a second for ${seconds} s, five webhooks, one dead and one slow`)
    for (const path of healthyPaths) {
      const endEventsByJob = new Map(receiver.at(path).map((event) => [event.job.id, event]))
      const missingCount = jobs.filter((id) => !endEventsByJob.has(id)).length
      report.figure({
        what: `webhook ${path}, missing`,
        value: missingCount,
        unit: 'events',
        aim: { most: 0 },
      })
      const delays = [...endEventsByJob.values()].map(({ at, timestamp }) => at - Date.parse(timestamp))
      report.figure({
        what: `webhook ${path}, p95`,
        value: p95(delays),
        unit: 'ms',
        aim: { most: 1000 },
        remark: 'behind the end of the job',
      })
    }
    report.figure({
      what: 'frames, missing',
      value: jobs.length - frameDelaysMs.length,
      unit: 'frames',
      aim: { most: 0 },
    })
    report.figure({ what: 'frames, p95', value: p95(frameDelaysMs), unit: 'ms', aim: { most: 150 } })
    socket.close()
    await measureSockets(service, client, report)
  } finally {
    client.close()
    receiver.close()
    await service.stop()
  }
}

/** Measures the memory per socket with a second batch, because the first sockets also cause one-time allocations. */
async function measureSockets(service: TestService, client: ServiceClient, report: BenchContext['report']) {
  const openSockets = () =>
    Promise.all(Array.from({ length: socketCount }, () => listen(service, client.token, [])))
  for (const socket of await openSockets()) socket.close()
  await pause(restMs)
  const bytesBefore = readResidentBytes(service.pid)
  const openedSockets = await openSockets()
  await pause(restMs)
  const kibPerSocket = (readResidentBytes(service.pid) - bytesBefore) / socketCount / 1024
  report.figure({
    what: `${socketCount} sockets, memory of each`,
    value: kibPerSocket,
    unit: 'KiB',
    aim: { most: 50 },
  })
  for (const socket of openedSockets) socket.close()
}

export const notifications: Section = {
  name: 'notifications',
  about: 'how soon webhooks and sockets receive the events of 1,000 jobs',
  run,
}
