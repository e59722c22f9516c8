import type { EndedSpan } from './trace.ts'

/** Numbers of span kinds in OTLP. */
const kinds = { internal: 1, server: 2, client: 3, producer: 4, consumer: 5 } as const satisfies Record<
  EndedSpan['kind'],
  number
>
const statusCodes = { unset: 0, error: 2 } as const

/**
 * Returns a span as a line of OTLP JSON, which collectors read from logs and files. Functions without access to a
 * collector export their spans this way. https://opentelemetry.io/docs/specs/otel/protocol/file-exporter/
 */
export function toOtlpLine(span: EndedSpan): string {
  const { traceId, spanId, parentId, name, kind, startMs, durationMs, attributes, hasFailed } = span
  const otlpSpan = {
    traceId,
    spanId,
    parentSpanId: parentId,
    name,
    kind: kinds[kind],
    startTimeUnixNano: toNanoseconds(startMs),
    endTimeUnixNano: toNanoseconds(startMs + durationMs),
    attributes: toKeyValues(attributes),
    status: { code: hasFailed ? statusCodes.error : statusCodes.unset },
  }
  const resource = { attributes: toKeyValues({ 'service.name': 'mutabor' }) }
  const scopeSpans = [{ scope: { name: 'mutabor' }, spans: [otlpSpan] }]
  return JSON.stringify({ resourceSpans: [{ resource, scopeSpans }] })
}

/** 64-bit numbers are strings in OTLP JSON. */
const toNanoseconds = (ms: number) => String(BigInt(Math.round(ms * 1000)) * 1000n)

const toKeyValues = (attributes: EndedSpan['attributes']) =>
  Object.entries(attributes).flatMap(([key, value]) =>
    value === undefined ? [] : [{ key, value: toAnyValue(value) }],
  )

function toAnyValue(value: string | number | boolean) {
  if (typeof value === 'string') return { stringValue: value }
  if (typeof value === 'boolean') return { boolValue: value }
  return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value }
}
