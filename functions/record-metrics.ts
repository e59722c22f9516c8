import type { EventBridgeEvent } from 'aws-lambda'
import * as z from 'zod'
import { eventSchema } from '../events/index.ts'
import { Table } from '../lib/aws/table.ts'
import { DurationStats } from '../lib/conversion/duration-stats.ts'
import { createLog, type Log } from '../lib/log.ts'
import { type Metric, toEmbeddedMetric } from '../lib/services/embedded-metric.ts'
import { loadConfigAndClearSecrets } from '../lib/services/load-config.ts'

const MeasuredEvent = z.discriminatedUnion('event', [
  eventSchema('job.completed'),
  eventSchema('job.failed'),
  eventSchema('file.deleted'),
])
type MeasuredEvent = z.infer<typeof MeasuredEvent>

interface Measurement extends Metric {
  readonly jobId: string
}

let log: Log | undefined
let durations: DurationStats | undefined

/**
 * Records metrics of events: `Duration` of jobs by engine, `Failures` by error code, `DeletedFiles` by reason. Also
 * stores the durations of conversions, to estimate those of later conversions.
 */
export async function handler({ detail }: Pick<EventBridgeEvent<string, unknown>, 'detail'>): Promise<void> {
  log ??= createLog(loadConfigAndClearSecrets())
  const event = MeasuredEvent.parse(detail)
  const measurement = toMeasurement(event)
  const { jobId, ...metric } = measurement
  log.info({ ...toEmbeddedMetric(metric, Date.parse(event.timestamp)), jobId }, 'metric')
  if (event.event === 'job.completed') await recordDuration(event.job)
}

type CompletedJob = Extract<MeasuredEvent, { event: 'job.completed' }>['job']

/** Records the duration of a job with one processing task. If there are several, the duration of each is unknown. */
async function recordDuration({ tasks, source, target, durationMs: ms }: CompletedJob): Promise<void> {
  const processingTasks = Object.values(tasks).filter(({ operation }) => !/^(?:im|ex)port\//.test(operation))
  const [task] = processingTasks
  if (!task || processingTasks.length > 1 || !source || !target) return
  durations ??= new DurationStats(new Table(loadConfigAndClearSecrets()))
  const kind = { operation: task.operation, from: source.format, to: target.format }
  await durations.add(kind, { ms, bytes: source.size })
}

function toMeasurement(event: MeasuredEvent): Measurement {
  switch (event.event) {
    case 'job.completed':
      return {
        jobId: event.job.id,
        dimension: { Engine: event.job.engine ?? 'none' },
        name: 'Duration',
        unit: 'Milliseconds',
        value: event.job.durationMs,
      }
    case 'job.failed':
      return {
        jobId: event.job.id,
        dimension: { ErrorCode: event.job.error.code },
        name: 'Failures',
        unit: 'Count',
        value: 1,
      }
    case 'file.deleted':
      return {
        jobId: event.file.jobId,
        dimension: { Reason: event.file.reason },
        name: 'DeletedFiles',
        unit: 'Count',
        value: 1,
      }
  }
}
