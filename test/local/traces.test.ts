import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { after, before } from '../hooks.ts'
import { scratchFolder } from '../support/scratch-folder.ts'
import { Client, startService, type TestService } from '../support/service.ts'
import { type CollectedSpan, startCollector } from '../support/trace-collector.ts'
import { waitUntil } from '../support/wait-until.ts'
import { openReceiver } from '../webhooks/receiver.ts'

const png = await readFile(new URL('../fixtures/alpha.png', import.meta.url))
const filename = 'secret-plans.png'
const createTasks = (file: string) => ({
  file: { operation: 'import/base64', file, filename },
  first: { operation: 'convert', input: 'file', output_format: 'pdf' },
  second: { operation: 'convert', input: 'first', output_format: 'jpg' },
  result: { operation: 'export/url', input: 'second' },
})

let collector: Awaited<ReturnType<typeof startCollector>>
let receiver: Awaited<ReturnType<typeof openReceiver>>
let service: TestService
before(async () => {
  collector = await startCollector()
  receiver = await openReceiver()
  service = await startService({
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
    OUTGOING_ALLOW: '127.0.0.0/8',
  })
})
after(async () => {
  await service?.stop()
  collector.stop()
  await receiver.close()
})

const clientSpanId = 'b7ad6b7169203331'
const readLog = async ({ dataDir }: TestService) =>
  (await readFile(join(dataDir, 'service.log'), 'utf8'))
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, string>)

/** Creates a pipeline with two engines and a webhook; resolves when the job has ended and the webhook was called. */
async function runPipeline(traceId: string, flags = '01') {
  const client = new Client(service)
  const path = `/${traceId}/private-token`
  const job = await client.accepted(
    await client.post(
      '/v1/jobs',
      { tasks: createTasks(png.toString('base64')), webhookUrl: receiver.url(path) },
      { traceparent: `00-${traceId}-${clientSpanId}-${flags}` },
    ),
  )
  assert.equal(job.status, 'completed', JSON.stringify(job.error))
  await waitUntil(() => receiver.at(path).length > 0, 'the webhook is called')
  return { job, path }
}

test('one trace follows a request through queues, engines and the bus to the webhook', async () => {
  const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
  const { job, path } = await runPipeline(traceId)
  const listSpans = () => collector.spans.filter((span) => span.traceId === traceId)
  const findDelivery = () => listSpans().find(({ name }) => name === 'deliver job.completed')
  await waitUntil(() => findDelivery() !== undefined, 'the last span arrives')

  /** Names of a span and of all spans that led to it, back to the span of the client. */
  const listAncestors = (span: CollectedSpan | undefined): string[] => {
    if (!span) return ['missing']
    if (span.parentSpanId === clientSpanId) return [span.name]
    return [...listAncestors(listSpans().find(({ spanId }) => spanId === span.parentSpanId)), span.name]
  }
  await waitUntil(() => !listAncestors(findDelivery()).includes('missing'), 'the spans before it arrive')
  assert.deepEqual(listAncestors(findDelivery()), [
    'POST /v1/jobs',
    'send image',
    'process mutabor-image',
    'send pdf',
    'process mutabor-pdf',
    'publish',
    'dispatch job.completed',
    'deliver job.completed',
  ])
  const engineRuns = listSpans().filter(({ name }) => name.startsWith('run '))
  assert.deepEqual(
    engineRuns.map((run) => [
      listAncestors(run).at(-2),
      run.attributes['mutabor.from'],
      run.attributes['mutabor.to'],
    ]),
    [
      ['process mutabor-image', 'png', 'pdf'],
      ['process mutabor-pdf', 'pdf', 'jpg'],
    ],
  )
  const kinds = { 'POST /v1/jobs': 2, 'send pdf': 4, 'process mutabor-pdf': 5, 'deliver job.completed': 3 }
  for (const [name, kind] of Object.entries(kinds))
    assert.deepEqual(
      listSpans()
        .filter((span) => span.name === name)
        .map((span) => span.kind),
      [kind],
      name,
    )
  const [request] = listSpans().filter(({ name }) => name === 'POST /v1/jobs')
  assert.equal(request?.attributes['http.route'], '/v1/jobs')
  assert.equal(request?.attributes['http.response.status_code'], 202)
  for (const { startTimeUnixNano, endTimeUnixNano, status, name } of listSpans()) {
    assert.ok(BigInt(endTimeUnixNano) >= BigInt(startTimeUnixNano), name)
    assert.equal(status.code, 0, name)
  }
  const exportedSpans = JSON.stringify(collector.spans)
  for (const text of [filename, 'secret-plans', path, new URL(receiver.url('/')).host])
    assert.ok(!exportedSpans.includes(text), text)
  assert.ok(exportedSpans.includes(job.jobId))
})

test('a task that waits for an upload keeps the trace of its job', async () => {
  const traceId = '8bf92f3577b34da6a3ce929d0e0e4736'
  const client = new Client(service)
  const { file: _file, ...tasks } = createTasks('')
  const createdReply = await client.post(
    '/v1/jobs',
    { tasks: { file: { operation: 'import/upload', filename }, ...tasks } },
    { traceparent: `00-${traceId}-${clientSpanId}-01` },
  )
  assert.equal(createdReply.status, 202)
  const { data } = (await createdReply.json()) as {
    data: {
      jobId: string
      tasks: { file: { result: { put: { url: string; headers: Record<string, string> } } } }
    }
  }
  const { url, headers } = data.tasks.file.result.put
  assert.equal((await fetch(url, { method: 'PUT', headers, body: png })).status, 200)
  assert.equal((await client.finishedJob(data.jobId)).status, 'completed')
  const hasSpan = (name: string) => () =>
    collector.spans.some((span) => span.traceId === traceId && span.name === name)
  await waitUntil(hasSpan('process mutabor-image'), 'the first task is in the trace')
  await waitUntil(hasSpan('process mutabor-pdf'), 'the second task is in the trace')
})

test('log lines contain the ids of their trace span, in the service and in workers', async () => {
  const traceId = '5bf92f3577b34da6a3ce929d0e0e4736'
  const { job } = await runPipeline(traceId)
  const getSpanName = (id: string | undefined) => collector.spans.find(({ spanId }) => spanId === id)?.name
  const findSpanIds = async (message: string) =>
    (await readLog(service))
      .filter((line) => line['traceId'] === traceId && line['msg'] === message)
      .map((line) => getSpanName(line['spanId']))
  for (const [message, name] of [
    ['request', 'POST /v1/jobs'],
    ['task claimed', 'process mutabor-image'],
    ['step completed', 'process mutabor-pdf'],
    ['webhook called', 'deliver job.completed'],
  ] as const)
    await waitUntil(async () => (await findSpanIds(message)).includes(name), `${message} is in ${name}`)
  assert.ok(
    (await readLog(service)).some((line) => line['traceId'] === traceId && line['jobId'] === job.jobId),
  )
})

test('the spans of a trace that the client does not sample are not exported, but the log contains its trace id', async () => {
  const traceId = '6bf92f3577b34da6a3ce929d0e0e4736'
  await runPipeline(traceId, '00')
  // When the spans of this later trace have arrived, those of the first trace would have arrived as well.
  await new Client(service).fetch('/v1/formats', {
    headers: { traceparent: `00-7${traceId.slice(1)}-${clientSpanId}-01` },
  })
  await waitUntil(
    () => collector.spans.some((span) => span.traceId === `7${traceId.slice(1)}`),
    'spans arrive',
  )
  assert.deepEqual(
    collector.spans.filter((span) => span.traceId === traceId),
    [],
  )
  assert.ok((await readLog(service)).some((line) => line['traceId'] === traceId))
})

test('with LOG_SPANS, the log contains the spans of a trace in a format that a collector accepts', async () => {
  const traceId = '9bf92f3577b34da6a3ce929d0e0e4736'
  const loggingService = await startService({ LOG_SPANS: '1' })
  const readSpans = async () => {
    const lines = await readLog(loggingService)
    const spanLines = lines.filter((line) => 'resourceSpans' in line)
    const ownCollector = await startCollector()
    for (const line of spanLines) {
      const headers = { 'content-type': 'application/json' }
      const url = `${ownCollector.endpoint}/v1/traces`
      const reply = await fetch(url, { method: 'POST', headers, body: JSON.stringify(line) })
      assert.equal(reply.status, 200)
    }
    ownCollector.stop()
    return ownCollector.spans.filter((span) => span.traceId === traceId)
  }
  try {
    const client = new Client(loggingService)
    const createdReply = await client.post(
      '/v1/jobs',
      { tasks: createTasks(png.toString('base64')) },
      { traceparent: `00-${traceId}-${clientSpanId}-01` },
    )
    assert.equal((await client.accepted(createdReply)).status, 'completed')
    const hasAll = async () => {
      const names = (await readSpans()).map(({ name }) => name)
      return ['POST /v1/jobs', 'process mutabor-image', 'process mutabor-pdf', 'publish'].every((name) =>
        names.includes(name),
      )
    }
    await waitUntil(hasAll, 'the spans are in the log')
    const spans = await readSpans()
    const ids = new Set([clientSpanId, ...spans.map(({ spanId }) => spanId)])
    const runs = spans.filter(({ name }) => name.startsWith('run '))
    assert.deepEqual(
      runs.map(({ attributes, parentSpanId = '' }) => [attributes['mutabor.to'], ids.has(parentSpanId)]),
      [
        ['pdf', true],
        ['jpg', true],
      ],
    )
    const request = spans.find(({ name }) => name === 'POST /v1/jobs')
    assert.equal(request?.parentSpanId, clientSpanId)
    assert.equal(request?.kind, 2)
    assert.equal(request?.attributes['http.response.status_code'], '202')
    for (const { startTimeUnixNano, endTimeUnixNano } of spans) {
      const ms = Number(BigInt(endTimeUnixNano) - BigInt(startTimeUnixNano)) / 1e6
      assert.ok(ms >= 0 && ms < 600_000 && Math.abs(Number(startTimeUnixNano) / 1e6 - Date.now()) < 600_000)
    }
  } finally {
    await loggingService.stop()
  }
})

test('a request with an invalid traceparent header starts a new trace', async () => {
  const zeros = '0'.repeat(32)
  for (const traceparent of [
    '',
    'x',
    `00-${zeros}-${clientSpanId}-01`,
    `ff-${'a'.repeat(32)}-${clientSpanId}-01`,
    `00-${'a'.repeat(32)}-${clientSpanId}-01-more`,
  ]) {
    const before = collector.spans.length
    const response = await new Client(service).fetch('/v1/formats', { headers: { traceparent } })
    assert.equal(response.status, 200)
    await waitUntil(() => collector.spans.length > before, 'a span of a new trace arrives')
    const [span] = collector.spans.slice(before)
    assert.ok(span && span.traceId !== zeros && span.traceId !== 'a'.repeat(32))
    assert.equal(span.parentSpanId, undefined)
  }
})

const preload = { NODE_OPTIONS: `--import=${new URL('../support/record-imports.mjs', import.meta.url)}` }
const readLoadedPackages = async (importsFile: string) =>
  (await readFile(importsFile, 'utf8'))
    .split('\n')
    .flatMap((url) => /node_modules\/(@opentelemetry\/(?!api\/)[a-z-]+)/.exec(url)?.[1] ?? [])

test('without a trace collector, no code of the exporter is loaded', async () => {
  const folder = scratchFolder('imports')
  const loadWith = async (settings: Record<string, string>, name: string) => {
    const IMPORTS_FILE = join(folder, name)
    const startedService = await startService({ ...preload, IMPORTS_FILE, ...settings })
    try {
      await new Client(startedService).fetch('/v1/formats')
    } finally {
      await startedService.stop()
    }
    return readLoadedPackages(IMPORTS_FILE)
  }
  assert.deepEqual(await loadWith({}, 'without'), [])
  const loadedPackages = await loadWith({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint }, 'with')
  assert.ok(loadedPackages.includes('@opentelemetry/exporter-trace-otlp-http'))
})

test('jobs run and the service stops promptly even if the trace collector never responds', async () => {
  const silentServer = createServer(() => undefined)
  silentServer.listen(0, '127.0.0.1')
  await once(silentServer, 'listening')
  const { port } = silentServer.address() as AddressInfo // a TCP server's address is an AddressInfo
  const startedService = await startService({ OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}` })
  try {
    const client = new Client(startedService)
    const job = await client.accepted(
      await client.post('/v1/jobs', { tasks: createTasks(png.toString('base64')) }),
    )
    assert.equal(job.status, 'completed', JSON.stringify(job.error))
  } finally {
    const startedAt = performance.now()
    await startedService.stop()
    assert.ok(performance.now() - startedAt < 12_000, 'the service waits for its collector')
    silentServer.closeAllConnections()
    silentServer.close()
  }
})
