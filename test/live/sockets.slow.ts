// Many clients of the real service: latency, memory, and missed events when the service is killed.
// Part of `npm run test:slow`.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { get } from 'node:http'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { WebSocket } from 'ws'
import { ServerFrame } from '../../lib/live/frames.ts'
import { after, before } from '../hooks.ts'
import { startService, type TestService } from '../support/service.ts'
import { waitUntil } from '../support/wait-until.ts'

let service: TestService
const openSockets = new Set<WebSocket>()
before(async () => {
  service = await startService()
})
after(async () => {
  for (const socket of openSockets) socket.terminate()
  await service.stop()
})

// biome-ignore lint/suspicious/noExplicitAny: any frame
type Frame = any
interface Listener {
  readonly socket: WebSocket
  readonly frames: Frame[]
  /** Milliseconds from an event to its frame. */
  readonly lagsMs: number[]
  closeCode?: number
}

function listen(url: string, token: string): Listener {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/ws/user/jobs`, ['v1.jobs', `bearer.${token}`])
  const listener: Listener = { socket, frames: [], lagsMs: [] }
  openSockets.add(socket)
  socket.on('message', (data) => {
    const frame: Frame = ServerFrame.parse(JSON.parse(String(data)))
    if (frame.type === 'event') listener.lagsMs.push(Date.now() - Date.parse(frame.timestamp))
    listener.frames.push(frame)
  })
  socket.on('close', (code) => {
    listener.closeCode = code
    openSockets.delete(socket)
  })
  socket.on('error', () => undefined)
  return listener
}

const isGreeted = ({ frames }: Listener) => frames[0]?.type === 'hello'
const getEventFrames = ({ frames }: Listener): Frame[] => frames.filter(({ type }) => type === 'event')

const markdownImport = { operation: 'import/raw', filename: 'hello.md', file: '# Hello' }
const tasks = {
  text: markdownImport,
  page: { operation: 'convert', input: 'text', output_format: 'html' },
  out: { operation: 'export/url', input: 'page' },
}

async function createJob(url: string, token?: string, body: object = { tasks }) {
  const headers = { 'content-type': 'application/json', ...(token && { 'x-owner-token': token }) }
  const response = await fetch(`${url}/v1/jobs`, { method: 'POST', headers, body: JSON.stringify(body) })
  const { data } = (await response.json()) as { data: { jobId: string } }
  return { jobId: data.jobId, token: token ?? response.headers.get('x-owner-token') ?? '' }
}

const readMemoryKib = async (pid: number) =>
  Number(/VmRSS:\s+(\d+)/.exec(await readFile(`/proc/${pid}/status`, 'utf8'))?.[1])

test('of 200 WebSocket clients, 199 receive all events quickly and in order, and one that does not read is disconnected', async (t) => {
  const { url, pid } = service
  const firstJobs = await Promise.all(Array.from({ length: 4 }, () => createJob(url)))
  const [warm] = firstJobs.map(({ token }) => listen(url, token))
  assert.ok(warm)
  await waitUntil(() => isGreeted(warm), 'the first is greeted', 60)
  await sleep(3000)
  const memoryBeforeKib = await readMemoryKib(pid)
  const groups = firstJobs.map(({ token }) => Array.from({ length: 50 }, () => listen(url, token)))
  const allListeners = groups.flat()
  await waitUntil(() => allListeners.every(isGreeted), 'all are greeted', 120)
  await sleep(3000)
  const addedKib = (await readMemoryKib(pid)) - memoryBeforeKib
  t.diagnostic(
    `${(addedKib / allListeners.length).toFixed(0)} KiB of memory per newly opened socket, before garbage collection`,
  )

  const silentListener = groups[0]?.[0]
  assert.ok(silentListener)
  silentListener.socket.pause()
  const socketsPerOwner = 10
  for (let round = 0; round < socketsPerOwner; round++) {
    await Promise.all(firstJobs.map(({ token }) => createJob(url, token)))
    await sleep(400)
  }
  const countCompletedJobs = (listener: Listener) =>
    new Set(
      getEventFrames(listener)
        .filter(({ event }) => event === 'job.completed')
        .map(({ job }) => job.id),
    ).size
  await waitUntil(
    () =>
      allListeners.every(
        (listener) => listener === silentListener || countCompletedJobs(listener) >= socketsPerOwner,
      ),
    'all jobs are reported',
    120,
  )
  for (const group of groups) {
    const [reference] = group.slice(1).map((listener) => getEventFrames(listener).map(({ seq }) => seq))
    for (const listener of group.filter((one) => one !== silentListener)) {
      const sequenceNumbers = getEventFrames(listener).map(({ seq }) => seq)
      assert.deepEqual(
        sequenceNumbers,
        sequenceNumbers.toSorted((a, b) => a - b),
      )
      assert.equal(new Set(sequenceNumbers).size, sequenceNumbers.length)
      assert.equal(sequenceNumbers.at(-1), reference?.at(-1))
      assert.equal(
        (sequenceNumbers.at(-1) ?? 0) - (sequenceNumbers[0] ?? 0),
        sequenceNumbers.length - 1,
        'no gap',
      )
    }
  }
  const owners = groups.map(
    (group) =>
      new Set(group.flatMap((listener) => getEventFrames(listener).flatMap(({ job }) => job?.id ?? []))),
  )
  for (const [at, jobs] of owners.entries())
    for (const otherOwner of owners.slice(at + 1))
      assert.deepEqual(
        [...jobs].filter((id) => otherOwner.has(id)),
        [],
        'no events of others',
      )
  const lagsMs = allListeners.flatMap(({ lagsMs }) => lagsMs).sort((a, b) => a - b)
  const getPercentile = (fraction: number) => lagsMs[Math.floor(lagsMs.length * fraction)] ?? 0
  t.diagnostic(
    `${lagsMs.length} frames, milliseconds after the event: ${getPercentile(0.5)} p50, ${getPercentile(0.95)} p95, ${lagsMs.at(-1)} max`,
  )
  assert.ok(getPercentile(0.95) < 1500, 'p95 latency')

  // Sends more and more requests without reading the replies.
  const jobs = [...(owners[0] ?? [])]
  const isClosed = async () =>
    (await readFile(join(service.dataDir, 'service.log'), 'utf8')).includes('"code":4409')
  const deadline = Date.now() + 60_000
  while (!(await isClosed()) && Date.now() < deadline) {
    for (let count = 0; count < 20; count++)
      silentListener.socket.send(JSON.stringify({ type: 'subscribe', jobs }))
    await sleep(250)
  }
  const addedPeakKib = (await readMemoryKib(pid)) - memoryBeforeKib
  t.diagnostic(`${addedPeakKib} KiB more than before the sockets, with one that does not read`)
  silentListener.socket.resume()
  await waitUntil(() => silentListener.closeCode !== undefined, 'the client that does not read is closed', 60)
  assert.equal(silentListener.closeCode, 4409)
  assert.ok(allListeners.every((listener) => listener === silentListener || listener.closeCode === undefined))
})

/** A client that reconnects and resumes after each lost connection, as the documentation recommends. */
class ResumingClient {
  readonly events: Frame[] = []
  isGreeted = false
  resumeCount = 0
  errorCount = 0
  #lastSequence: number | undefined
  #current: Listener | undefined
  isStopped = false

  async run(url: string, token: string): Promise<void> {
    while (!this.isStopped) {
      const listener = listen(url, token)
      this.#current = listener
      let takenCount = 0
      listener.socket.on('message', () => {
        for (const frame of listener.frames.slice(takenCount)) this.#handle(frame, listener.socket)
        takenCount = listener.frames.length
      })
      await Promise.race([once(listener.socket, 'close'), once(listener.socket, 'error')]).catch(
        () => undefined,
      )
      await sleep(50 + Math.random() * 200)
    }
  }

  #handle(frame: Frame, socket: WebSocket): void {
    if (frame.type === 'error') this.errorCount += 1
    if (frame.type === 'hello' && this.#lastSequence !== undefined) {
      this.resumeCount += 1
      socket.send(JSON.stringify({ type: 'resume', since: this.#lastSequence }))
    }
    if (frame.type === 'hello') {
      this.isGreeted = true
      this.#lastSequence ??= frame.lastSequence
    }
    if (frame.type !== 'event') return
    this.events.push(frame)
    this.#lastSequence = Math.max(this.#lastSequence ?? 0, frame.seq)
  }

  stop(): void {
    this.isStopped = true
    this.#current?.socket.close()
  }
}

test('WebSocket clients that reconnect and resume miss no events when the service is killed', async (t) => {
  const port = new URL(service.url).port
  await service.kill()
  service = await startService({ PORT: port }, service.dataDir)
  const { token } = await createJob(service.url)
  const clients = Array.from({ length: 10 }, () => new ResumingClient())
  const runs = clients.map((client) => client.run(service.url, token))
  t.after(() => Promise.all(clients.map((client) => client.stop())))
  await waitUntil(() => clients.every(({ isGreeted }) => isGreeted), 'they are greeted', 60)
  const jobIds: string[] = []
  for (let kills = 0; kills < 2; kills++) {
    for (let count = 0; count < 6; count++) jobIds.push((await createJob(service.url, token)).jobId)
    await sleep(300)
    await service.kill()
    service = await startService({ PORT: port }, service.dataDir)
    await waitUntil(() => clients.every(({ resumeCount }) => resumeCount > kills), 'they reconnect', 60)
  }
  for (const id of jobIds)
    await waitUntil(
      async () => {
        const response = await fetch(`${service.url}/v1/status/${id}`)
        return ((await response.json()) as { data: { status: string } }).data.status === 'completed'
      },
      'jobs complete',
      120,
    )
  const hasAllEnds = ({ events }: ResumingClient) =>
    jobIds.every((id) => events.some(({ event, job }) => event === 'job.completed' && job.id === id))
  await waitUntil(() => clients.every(hasAllEnds), 'every client receives every end', 60)
  for (const client of clients) {
    assert.ok(
      client.resumeCount >= 2 && client.errorCount === 0,
      `${client.resumeCount} resumed, ${client.errorCount} errors`,
    )
    const sequenceNumbers = [...new Set(client.events.map(({ seq }) => seq))].sort((a, b) => a - b)
    assert.equal(
      (sequenceNumbers.at(-1) ?? 0) - (sequenceNumbers[0] ?? 0),
      sequenceNumbers.length - 1,
      'no gap',
    )
    const knownEvents = new Map<number, string>()
    for (const { seq, id } of client.events) {
      assert.equal(knownEvents.get(seq) ?? id, id, 'a repeated frame contains the same event')
      knownEvents.set(seq, id)
    }
    assert.equal(new Set(knownEvents.values()).size, knownEvents.size, 'no event has two numbers')
    for (const id of jobIds) {
      const ownEvents = client.events.filter(({ job }) => job?.id === id).map(({ sequence }) => sequence)
      const numbers = [...new Set(ownEvents)].sort((a, b) => a - b)
      assert.deepEqual(
        numbers,
        Array.from({ length: numbers.at(-1) ?? 0 }, (_, at) => at + 1),
        id,
      )
    }
  }
  t.diagnostic(`${clients[0]?.events.length} events, of which ${clients[0]?.resumeCount} resumptions`)
  for (const client of clients) client.stop()
  await Promise.all(runs)
})

test('an event stream sends events as they happen and ends with the job', async () => {
  const waitingTasks = { ...tasks, text: { operation: 'import/upload', filename: 'hello.md' } }
  const { jobId, token } = await createJob(service.url, undefined, { tasks: waitingTasks })
  let text = ''
  const request = get(`${service.url}/v1/jobs/${jobId}/events`)
  const [response] = await once(request, 'response')
  response.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk
  })
  await waitUntil(() => text.includes('event: snapshot'), 'the snapshot is sent at once')
  await fetch(`${service.url}/v1/jobs/${jobId}/cancel`, {
    method: 'POST',
    headers: { 'x-owner-token': token },
  })
  await once(response, 'end')
  assert.match(
    text,
    /^retry: \d+\n\nevent: snapshot\nid: \d+\ndata: .*\n\nevent: job\.cancelled\nid: \d+\ndata: .*\n\n$/,
  )
})
