import * as z from 'zod'
import { AppError } from '../lib/errors.ts'
import { contract } from '../lib/http/contract.ts'
import { listReplyCounts } from '../lib/http/reply-counts.ts'
import { queueIds } from '../lib/resources/queues.ts'
import type { Services } from '../lib/services/services.ts'
import {
  createJobMetrics,
  createProcessMetrics,
  type MetricFamily,
  prometheusMimeType,
  renderMetrics,
} from '../lib/usage/prometheus.ts'
import { readEngineDays } from '../lib/usage/reliability.ts'

/**
 * Prometheus metrics of a service on one machine; deployments on AWS use CloudWatch instead. The endpoint is not part
 * of the public API, so the OpenAPI document omits it.
 */
export const getMetrics = contract({
  method: 'GET',
  path: '/metrics',
  access: { scopes: ['ADMIN'], anonymous: true },
  tag: 'Service',
  summary: 'Get metrics for Prometheus',
  description:
    'Only for administrators, and for programs on the same machine that call this endpoint as localhost.',
  reply: { status: 200, schema: z.unknown(), form: 'stream', contentType: prometheusMimeType },
  errors: ['INSUFFICIENT_PERMISSIONS'],
  handle: async ({ principal, sourceIp, headers }, services) => {
    if (principal.kind === 'anonymous' && !isLocal(sourceIp, headers))
      throw new AppError(
        'INSUFFICIENT_PERMISSIONS',
        'Only administrators and programs on the machine of the service may read the metrics. Authenticate as an administrator, or call localhost on that machine.',
      )
    const [queues, today] = await Promise.all([readQueueMetrics(services), readEngineDays(services.table, 1)])
    const metricFamilies = [
      ...queues,
      ...createJobMetrics(today),
      createRequestMetric(),
      ...createProcessMetrics(),
    ]
    return { data: [renderMetrics(metricFamilies)] }
  },
})

const loopbackPattern = /^(?:127\.\d{1,3}\.\d{1,3}\.\d{1,3}|::1|::ffff:127\.\d{1,3}\.\d{1,3}\.\d{1,3})$/
/** Headers of requests by proxies and by pages of other sites. Such requests may come from this machine as well. */
const foreignHeaders = ['forwarded', 'via', 'x-real-ip', 'origin'] as const

function isLocal(sourceIp: string, headers: Readonly<Record<string, string | undefined>>): boolean {
  // The gateway appends the IP address of its client to the header, so a comma means that there was a proxy before the
  // gateway.
  const isDirect = !headers['x-forwarded-for']?.includes(',')
  // A foreign page whose host name resolves to this machine sends no `Origin`, so the host name must be a local one.
  const host = URL.parse(`http://${headers['host'] ?? ''}`)?.hostname ?? ''
  const isLocalName = host === 'localhost' || loopbackPattern.test(host.replace(/^\[|\]$/g, ''))
  const hasNoForeignHeaders = foreignHeaders.every((name) => headers[name] === undefined)
  return loopbackPattern.test(sourceIp) && isDirect && isLocalName && hasNoForeignHeaders
}

async function readQueueMetrics({ queues }: Services): Promise<MetricFamily[]> {
  const counts = await Promise.all(
    queueIds.map(async (queue) => ({ labels: { queue }, ...(await queues.getMessageCounts(queue)) })),
  )
  return [
    {
      name: 'mutabor_queue_messages',
      type: 'gauge',
      help: 'Messages that are waiting in a queue.',
      samples: counts.map(({ labels, waiting }) => ({ labels, value: waiting })),
    },
    {
      name: 'mutabor_queue_messages_in_flight',
      type: 'gauge',
      help: 'Messages of a queue that workers are processing, such as running tasks.',
      samples: counts.map(({ labels, inFlight }) => ({ labels, value: inFlight })),
    },
  ]
}

const createRequestMetric = (): MetricFamily => ({
  name: 'mutabor_http_requests_total',
  type: 'counter',
  help: 'HTTP requests since the service started, by method and status.',
  samples: listReplyCounts().map(({ method, status, count }) => ({
    labels: { method, status: String(status) },
    value: count,
  })),
})
