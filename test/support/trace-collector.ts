import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

/** A span as OTLP encodes it in JSON. https://opentelemetry.io/docs/specs/otlp/ */
interface OtlpSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  /** 2 server, 3 client, 4 producer, 5 consumer. */
  readonly kind: number
  readonly startTimeUnixNano: string
  readonly endTimeUnixNano: string
  readonly status: { readonly code: number }
  readonly attributes: readonly {
    readonly key: string
    readonly value: Readonly<Record<string, string | number | boolean>>
  }[]
}

export interface CollectedSpan extends Omit<OtlpSpan, 'attributes'> {
  readonly attributes: Readonly<Record<string, string | number | boolean | undefined>>
}

interface OtlpRequest {
  readonly resourceSpans: readonly {
    readonly scopeSpans: readonly { readonly spans: readonly OtlpSpan[] }[]
  }[]
}

/** An OpenTelemetry collector that keeps what it gets. */
export async function startCollector() {
  const spans: CollectedSpan[] = []
  const server = createServer(async (request, response) => {
    const body = await text(request)
    if (request.url !== '/v1/traces' || request.headers['content-type'] !== 'application/json') {
      response.writeHead(404).end()
      return
    }
    const { resourceSpans } = JSON.parse(body) as OtlpRequest
    for (const { attributes, ...span } of resourceSpans.flatMap(({ scopeSpans }) =>
      scopeSpans.flatMap((scope) => scope.spans),
    ))
      spans.push({
        ...span,
        attributes: Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]])),
      })
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo // a TCP server's address is an AddressInfo
  return {
    endpoint: `http://127.0.0.1:${port}`,
    spans,
    stop: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}
