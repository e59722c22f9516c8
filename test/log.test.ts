import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLog } from '../lib/log.ts'
import { toOtlpLine } from '../lib/otlp-span.ts'
import { areSpansExported, runSpan } from '../lib/trace.ts'

const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-b7ad6b7169203331-01'

test('trace spans are written to the log only with LOG_SPANS and without a collector', async () => {
  const lines: string[] = []
  const destination = { write: (line: string) => lines.push(line) }
  createLog({ LOG_LEVEL: 'info', LOG_FILE: undefined, LOG_SPANS: '0' }, destination)
  const exporterSettings = { LOG_SPANS: '1', OTEL_EXPORTER_OTLP_ENDPOINT: 'http://localhost:4318' } as const
  createLog({ LOG_LEVEL: 'info', LOG_FILE: undefined, ...exporterSettings }, destination)
  assert.equal(areSpansExported(), false)
  const log = createLog({ LOG_LEVEL: 'info', LOG_FILE: undefined, LOG_SPANS: '1' }, destination)
  const span = { name: 'process image', kind: 'consumer', parent: traceparent } as const
  await runSpan(
    { ...span, attributes: { 'mutabor.task': 1, ratio: 0.5, isNew: true, none: undefined } },
    async () => log.info('task claimed'),
  )
  assert.ok(lines.every((line) => line.endsWith('\n')))
  const [logLine, spanLine] = lines.map((line) => JSON.parse(line))
  const [written] = spanLine.resourceSpans[0].scopeSpans[0].spans
  assert.deepEqual([logLine.traceId, logLine.spanId], [written.traceId, written.spanId])
  assert.deepEqual(
    [written.parentSpanId, written.name, written.kind],
    ['b7ad6b7169203331', 'process image', 5],
  )
  assert.deepEqual(written.attributes, [
    { key: 'mutabor.task', value: { intValue: '1' } },
    { key: 'ratio', value: { doubleValue: 0.5 } },
    { key: 'isNew', value: { boolValue: true } },
  ])
})

test('a failed trace span has its status and times in OTLP format', () => {
  const span = { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), isSampled: true, parentId: undefined }
  const line = toOtlpLine({
    ...span,
    name: 'run pdf',
    kind: 'internal',
    startMs: 1_795_936_893_036,
    durationMs: 1.5,
    attributes: { 'error.type': 'TIMEOUT' },
    hasFailed: true,
  })
  assert.deepEqual(JSON.parse(line).resourceSpans, [
    {
      resource: { attributes: [{ key: 'service.name', value: { stringValue: 'mutabor' } }] },
      scopeSpans: [
        {
          scope: { name: 'mutabor' },
          spans: [
            {
              traceId: 'a'.repeat(32),
              spanId: 'b'.repeat(16),
              name: 'run pdf',
              kind: 1,
              startTimeUnixNano: '1795936893036000000',
              endTimeUnixNano: '1795936893037500000',
              attributes: [{ key: 'error.type', value: { stringValue: 'TIMEOUT' } }],
              status: { code: 2 },
            },
          ],
        },
      ],
    },
  ])
})
