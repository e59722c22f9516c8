import type { EventBridgeEvent } from 'aws-lambda'
import * as z from 'zod'
import { eventSchema } from '../events/index.ts'
import { readConfig } from '../lib/config.ts'
import { createLog, type Log } from '../lib/log.ts'

const Ended = z.union([eventSchema('job.completed'), eventSchema('job.failed')])

/** The event of the bus; its detail is one of those that `lib/resources.ts` lets this function listen to. */
export type EndedEvent = Pick<EventBridgeEvent<string, unknown>, 'detail'>

interface Measured {
  /** What the metric is told apart by. */
  readonly dimension: Readonly<Record<string, string>>
  readonly metric: { readonly Name: string; readonly Unit: 'Milliseconds' | 'Count' }
  readonly value: number
}

let log: Log | undefined

/**
 * Makes metrics of how jobs ended: `Duration` by engine, `Failures` by error code. CloudWatch reads them from log lines
 * in its Embedded Metric Format, so that nobody waits for a call; on one machine the lines are there to be searched.
 */
export async function handler({ detail }: EndedEvent): Promise<void> {
  log ??= createLog(readConfig())
  const event = Ended.parse(detail)
  log.info({ ...embedded(measured(event), event.timestamp), jobId: event.job.id }, 'job ended')
}

function measured(event: z.infer<typeof Ended>): Measured {
  if (event.event === 'job.completed') {
    const metric = { Name: 'Duration', Unit: 'Milliseconds' } as const
    return { dimension: { Engine: event.job.engine ?? 'none' }, metric, value: event.job.durationMs }
  }
  const metric = { Name: 'Failures', Unit: 'Count' } as const
  return { dimension: { ErrorCode: event.job.error.code }, metric, value: 1 }
}

/** https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch_Embedded_Metric_Format_Specification.html */
const embedded = ({ dimension, metric, value }: Measured, timestamp: string) => ({
  _aws: {
    Timestamp: Date.parse(timestamp),
    CloudWatchMetrics: [{ Namespace: 'Mutabor', Dimensions: [Object.keys(dimension)], Metrics: [metric] }],
  },
  ...dimension,
  [metric.Name]: value,
})
