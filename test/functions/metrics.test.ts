import assert from 'node:assert/strict'
import { get, type IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { createJobMetrics, renderMetrics } from '../../lib/usage/prometheus.ts'
import { after, before } from '../hooks.ts'
import { createAdminKey, createManagerKey } from '../support/account.ts'
import { startService, type TestService } from '../support/service.ts'

let service: TestService
before(async () => {
  service = await startService()
})
after(() => service.stop())

/** Does not use `fetch`: it would check the reply against the OpenAPI document, which lacks this endpoint. */
async function readMetrics(headers: Readonly<Record<string, string>> = {}) {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  get(`${service.url}/metrics`, { headers }, resolve).on('error', reject)
  const reply = await promise
  return { status: reply.statusCode, type: reply.headers['content-type'], body: await text(reply) }
}

test('GET /metrics returns metrics in Prometheus format to programs on the machine of the service', async () => {
  await fetch(`${service.url}/v1/formats`)
  const { status, type, body } = await readMetrics()
  assert.deepEqual([status, type], [200, 'text/plain; version=0.0.4; charset=utf-8'])
  assert.match(body, /^# TYPE mutabor_queue_messages gauge$/m)
  assert.match(body, /^mutabor_queue_messages\{queue="image"\} 0$/m)
  assert.match(body, /^mutabor_http_requests_total\{method="GET",status="200"\} [1-9]\d*$/m)
  for (const line of body.trimEnd().split('\n'))
    assert.match(line, /^(?:# (?:HELP|TYPE) [a-z_]+ .+|[a-z_]+(?:\{(?:[a-z]+="[^"\\]*",?)+\})? [\d.]+)$/)
})

test('GET /metrics is refused to clients on other machines, even through a proxy on the machine of the service', async () => {
  for (const headers of [
    { 'x-forwarded-for': '203.0.113.7' },
    { forwarded: 'for=203.0.113.7' },
    { via: '1.1 proxy' },
    { origin: 'https://other.example' },
    { 'x-real-ip': '203.0.113.7' },
    { host: 'rebound.example:8080' },
  ]) {
    const { status, body } = await readMetrics(headers)
    assert.equal(status, 403, JSON.stringify(headers))
    assert.ok(!body.includes('mutabor_'))
  }
})

test('GET /metrics requires the API key of an administrator if the request comes from another machine', async () => {
  const headersOfOtherClient = { 'x-forwarded-for': '203.0.113.7' }
  const fetchStatus = async (key: string) =>
    (await readMetrics({ ...headersOfOtherClient, 'x-api-key': key })).status
  assert.equal(await fetchStatus(await createAdminKey(service)), 200)
  assert.equal(await fetchStatus(await createManagerKey(service)), 403)
  assert.equal(await fetchStatus('sk_unknown'), 401)
})

test('metrics count jobs by engine, outcome, error code and duration', () => {
  const countsByBin = { 'took 0': 3, 'took 170': 1 }
  const lines = renderMetrics(
    createJobMetrics([
      { engine: 'vips', counts: { jobs: 4, completed: 4, ...countsByBin } },
      { engine: 'vips', counts: { jobs: 2, completed: 1, failed: 1, 'code CORRUPT_FILE': 1, 'took 0': 1 } },
    ]),
  ).split('\n')
  const findValue = (start: string) => lines.find((line) => line.startsWith(start))?.slice(start.length)
  assert.equal(findValue('mutabor_jobs_total{engine="vips",outcome="completed"} '), '5')
  assert.equal(findValue('mutabor_jobs_total{engine="vips",outcome="failed"} '), '1')
  assert.equal(findValue('mutabor_job_errors_total{engine="vips",code="CORRUPT_FILE"} '), '1')
  const findBucket = (le: string) =>
    findValue(`mutabor_job_duration_seconds_bucket{engine="vips",le="${le}"} `)
  // The durations are in two bins: one of 1 ms, and one of about 0.9 s that only buckets from 1 s on include.
  assert.deepEqual(
    [findBucket('0.1'), findBucket('0.5'), findBucket('1'), findBucket('+Inf')],
    ['4', '4', '5', '5'],
  )
  assert.equal(findValue('mutabor_job_duration_seconds_count{engine="vips"} '), '5')
  const sum = Number(findValue('mutabor_job_duration_seconds_sum{engine="vips"} '))
  assert.ok(sum > 0.7 && sum < 1.1, String(sum))
})
