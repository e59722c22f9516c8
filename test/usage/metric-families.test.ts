import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { get, type IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { after, before } from '../hooks.ts'
import { Client, startService, type TestService } from '../support/service.ts'
import { waitUntil } from '../support/wait-until.ts'

let service: TestService
before(async () => {
  service = await startService()
})
after(() => service.stop())

/** Does not use `fetch`: it would check the reply against the OpenAPI document, which lacks this endpoint. */
async function readMetrics(): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  get(`${service.url}/metrics`, resolve).on('error', reject)
  return text(await promise)
}

interface MetricFamily {
  readonly help: string
  readonly type: string
  readonly samples: { readonly name: string; readonly labels: string; readonly value: number }[]
}

/** Parses the text format strictly. https://prometheus.io/docs/instrumenting/exposition_formats/ */
function parseFamilies(body: string): Map<string, MetricFamily> {
  assert.ok(body.endsWith('\n'), 'the last line ends with a line feed')
  const families = new Map<string, MetricFamily>()
  let current: { readonly name: string; readonly family: MetricFamily } | undefined
  let help: { readonly name: string; readonly text: string } | undefined
  for (const line of body.trimEnd().split('\n')) {
    const comment = /^# (HELP|TYPE) ([a-z_]+) (.+)$/.exec(line)
    if (comment) {
      const [, keyword, name = '', remainder = ''] = comment
      if (keyword === 'HELP') help = { name, text: remainder }
      else {
        assert.equal(help?.name, name, 'HELP and TYPE are next to each other')
        assert.ok(!families.has(name), `${name} is one group`)
        assert.ok(['counter', 'gauge', 'histogram'].includes(remainder), remainder)
        const family: MetricFamily = { help: help?.text ?? '', type: remainder, samples: [] }
        families.set(name, family)
        current = { name, family }
      }
      continue
    }
    const [, name = '', labels = '', value = ''] =
      /^([a-z_]+)(?:\{((?:[a-z_]+="(?:[^"\\\n]|\\["\\n])*"(?:,(?!\})|(?=\})))+)\})? (\S+)$/.exec(line) ?? []
    assert.ok(current, line)
    const suffixes = current.family.type === 'histogram' ? ['_bucket', '_sum', '_count'] : ['']
    assert.ok(
      suffixes.some((suffix) => name === `${current?.name}${suffix}`),
      line,
    )
    assert.ok(value !== '' && Number.isFinite(Number(value)), line)
    assert.ok(
      !current.family.samples.some((sample) => sample.name === name && sample.labels === labels),
      `twice: ${line}`,
    )
    current.family.samples.push({ name, labels, value: Number(value) })
  }
  return families
}

test('metrics of queues, jobs, requests and the process are valid Prometheus text', async () => {
  const client = new Client(service)
  const bytes = Buffer.from(await readFile(new URL('../fixtures/alpha.png', import.meta.url)))
  const job = await client.accepted(await client.convert({ name: 'a.png', bytes }, { targetFormat: 'jpg' }))
  assert.equal(job.status, 'completed')
  let families = new Map<string, MetricFamily>()
  await waitUntil(async () => {
    families = parseFamilies(await readMetrics())
    return (families.get('mutabor_jobs_total')?.samples.length ?? 0) > 0
  }, 'the usage of the job is counted')
  const types = Object.fromEntries([...families].map(([name, { type }]) => [name, type]))
  assert.deepEqual(types, {
    mutabor_queue_messages: 'gauge',
    mutabor_queue_messages_in_flight: 'gauge',
    mutabor_jobs_total: 'counter',
    mutabor_job_errors_total: 'counter',
    mutabor_job_duration_seconds: 'histogram',
    mutabor_http_requests_total: 'counter',
    process_cpu_seconds_total: 'counter',
    process_resident_memory_bytes: 'gauge',
    process_start_time_seconds: 'gauge',
  })
  const readValue = (family: string, labels = '') =>
    families.get(family)?.samples.find((sample) => sample.labels === labels)?.value ?? Number.NaN
  assert.equal(readValue('mutabor_jobs_total', 'engine="vips",outcome="completed"'), 1)
  assert.ok(readValue('process_cpu_seconds_total') > 0)
  assert.ok(readValue('process_resident_memory_bytes') > 10e6)
  const ageS = Date.now() / 1000 - readValue('process_start_time_seconds')
  assert.ok(ageS > 0 && ageS < 600, String(ageS))
  const buckets = families.get('mutabor_job_duration_seconds')?.samples ?? []
  const counts = buckets.filter(({ name }) => name.endsWith('_bucket')).map(({ value }) => value)
  assert.ok(
    counts.length > 1 && counts.every((value, at) => at === 0 || value >= (counts[at - 1] ?? 0)),
    'cumulative',
  )
  assert.equal(counts.at(-1), buckets.find(({ name }) => name.endsWith('_count'))?.value)
})
