// Exports spans. This module is only loaded if a collector is configured.
import { setTimeout as sleep } from 'node:timers/promises'
import { SpanKind, SpanStatusCode, TraceFlags } from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { BatchSpanProcessor, type ReadableSpan, type SpanExporter } from '@opentelemetry/sdk-trace'
import type { Log } from '../../log.ts'
import type { EndedSpan } from '../../trace.ts'

/** Maximum number of spans that wait for the collector; further spans are dropped. */
const maxQueueSize = 4096
const exportIntervalMs = 1000
const exportTimeoutMs = 10_000
/** How long the service waits for the last spans when it stops. */
const closeTimeoutMs = 2000

const resource = resourceFromAttributes({ 'service.name': 'mutabor' })
const instrumentationScope = { name: 'mutabor' }

/** Sends spans to a collector in batches. If the collector does not respond, only spans are lost. */
export class LocalSpanExporter {
  readonly #processor: BatchSpanProcessor

  constructor(endpoint: string, log: Log) {
    const url = `${endpoint.replace(/\/$/, '')}/v1/traces`
    this.#processor = new BatchSpanProcessor({
      exporter: logFailures(new OTLPTraceExporter({ url, timeoutMillis: exportTimeoutMs }), log),
      maxQueueSize,
      scheduledDelayMillis: exportIntervalMs,
      exportTimeoutMillis: exportTimeoutMs,
    })
  }

  export(span: EndedSpan): void {
    this.#processor.onEnd(toReadableSpan(span))
  }

  async close(): Promise<void> {
    const flushPromise = this.#processor.shutdown().catch(() => undefined)
    await Promise.race([flushPromise, sleep(closeTimeoutMs, undefined, { ref: false })])
  }
}

/** Logs only the first of several consecutive failures. */
function logFailures(exporter: SpanExporter, log: Log): SpanExporter {
  let isFailing = false
  return {
    export: (spans, callback) =>
      exporter.export(spans, (result) => {
        const { error } = result
        if (error && !isFailing) log.warn({ error: error.message }, 'traces could not be exported')
        isFailing = error !== undefined
        callback(result)
      }),
    shutdown: () => exporter.shutdown(),
  }
}

const kinds = {
  internal: SpanKind.INTERNAL,
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
} as const satisfies Record<EndedSpan['kind'], SpanKind>

function toReadableSpan(span: EndedSpan): ReadableSpan {
  const { traceId, spanId, parentId, name, kind, startMs, durationMs, attributes, hasFailed } = span
  const createSpanContext = (id: string) => ({ traceId, spanId: id, traceFlags: TraceFlags.SAMPLED })
  return {
    name,
    kind: kinds[kind],
    spanContext: () => createSpanContext(spanId),
    ...(parentId !== undefined && { parentSpanContext: createSpanContext(parentId) }),
    startTime: toHrTime(startMs),
    endTime: toHrTime(startMs + durationMs),
    duration: toHrTime(durationMs),
    ended: true,
    status: { code: hasFailed ? SpanStatusCode.ERROR : SpanStatusCode.UNSET },
    attributes,
    resource,
    instrumentationScope,
    links: [],
    events: [],
    droppedAttributesCount: 0,
    droppedEventsCount: 0,
    droppedLinksCount: 0,
  }
}

/** Converts milliseconds to seconds and nanoseconds. */
const toHrTime = (ms: number): [number, number] => [Math.floor(ms / 1000), Math.round((ms % 1000) * 1e6)]
