// Processes what is due: runs of schedules and of scheduled rules, and expired client tokens.
import { createHash, randomUUID } from 'node:crypto'
import type { EventsAccount } from './account.ts'
import { composeEvent, eventTime, queueDeliveries, readEvent } from './put-events.ts'
import { retryLimits } from './request-params.ts'
import { nextRuleRun, putRule, type Rule, ruleArn, rulesOf } from './rules.ts'
import {
  nextScheduleRun,
  putSchedule,
  type Schedule,
  scheduleArn,
  scheduleKey,
  schedulesOf,
  windowMs,
} from './schedules.ts'
import type { EventsStore } from './store.ts'
import { serviceOf } from './target-arn.ts'

export interface ScheduleRunner {
  /** Resets the timer after documents have changed. */
  wake(): void
  close(): void
}

/** Maximum duration of a timer, as timers do not notice that the machine was suspended or the clock was set. */
const maxSleepMs = 60_000

export function startScheduleRunner(account: EventsAccount): ScheduleRunner {
  const { store, now, log } = account
  let timer: NodeJS.Timeout | undefined
  let running = false
  let closed = false

  function wake(): void {
    if (running || closed) return
    clearTimeout(timer)
    const dueAt = store.nextDue()
    if (dueAt === undefined) return
    const delay = dueAt - now()
    if (delay <= 0) void run()
    else timer = setTimeout(wake, Math.min(delay, maxSleepMs))
  }

  /** Writes the deliveries of a run and the time of the next one together: a crash neither loses nor repeats a run. */
  async function run(): Promise<void> {
    running = true
    try {
      await store.commit(() => {
        for (const due of store.dueDocuments(now())) runDocument(account, due)
      })
    } catch (error) {
      log('Due schedules could not be run and will be retried.', { error })
      timer = setTimeout(wake, 1000)
      return
    } finally {
      running = false
    }
    wake()
  }

  return {
    wake,
    close() {
      closed = true
      clearTimeout(timer)
    },
  }
}

function runDocument(
  account: EventsAccount,
  { kind, key, dueAt }: ReturnType<EventsStore['dueDocuments']>[number],
): void {
  const schedule = kind === 'schedule' ? schedulesOf(account).get(key) : undefined
  const rule = kind === 'rule' ? rulesOf(account).get(key) : undefined
  if (schedule) runSchedule(account, schedule, dueAt)
  else if (rule) runRule(account, rule, dueAt)
  else account.store.collection(kind).delete(key)
}

interface Due {
  readonly arn: string
  /** Time of the run by its schedule expression, in milliseconds. */
  readonly runAt: number
  /** When it should start: later than `runAt` within a flexible window. */
  readonly dueAt: number
  readonly windowMs: number
  readonly next: (after: number) => number | undefined
}

/** AWS runs schedules with a precision of a minute. */
const precisionMs = 60_000

/**
 * Returns the run to start now, if any, and the next one. After a downtime one missed run is started if its window is
 * still open; the others are skipped, and the log says so.
 */
function planRun({ now, log }: EventsAccount, { arn, runAt, dueAt, windowMs, next }: Due) {
  const at = now()
  const late = at - dueAt > precisionMs
  const opensAt = at - windowMs - precisionMs
  const candidate = runAt >= opensAt ? runAt : next(opensAt - 1)
  const open = candidate !== undefined && candidate <= at ? candidate : undefined
  if (late)
    log(
      open === undefined
        ? 'A schedule missed its time and its window is over: the run is skipped.'
        : 'A schedule missed its time and its window is still open: it runs once now.',
      { schedule: arn, missed: new Date(runAt).toISOString() },
    )
  return { open, following: next(late || open === undefined ? at : open) }
}

function runSchedule(account: EventsAccount, schedule: Schedule, dueAt: number): void {
  const { open, following } = planRun(account, {
    arn: scheduleArn(account, schedule),
    runAt: schedule.nextRunAt ?? dueAt,
    dueAt,
    windowMs: windowMs(schedule),
    next: (after) => nextScheduleRun(schedule, after),
  })
  if (open !== undefined) addDelivery(account, schedule, open)
  if (following === undefined && schedule.ActionAfterCompletion === 'DELETE')
    schedulesOf(account).delete(scheduleKey(schedule))
  else putSchedule(account, schedule, following)
}

/** Adds the delivery of a schedule's run to the outbox. */
function addDelivery(account: EventsAccount, schedule: Schedule, runAt: number): void {
  const { Target } = schedule
  const arn = scheduleArn(account, schedule)
  const scheduledAt = eventTime(new Date(runAt))
  const executionId = createHash('sha256').update(`${arn} ${runAt}`).digest('hex').slice(0, 16)
  const keywords = new Map([
    ['schedule-arn', arn],
    ['scheduled-time', scheduledAt],
    ['execution-id', executionId],
  ])
  const input = Target.Input?.replace(
    /<aws\.scheduler\.([a-z-]+)>/g,
    (text, name) => keywords.get(name) ?? text,
  )
  const event = (source: string, detailType: string, detail: string, resources: string[]) =>
    composeEvent(account, { id: randomUUID(), source, detailType, time: new Date(runAt), resources, detail })
  const { EventBridgeParameters: parameters } = Target
  const body =
    serviceOf(Target.Arn) === 'events'
      ? event(parameters?.Source ?? '', parameters?.DetailType ?? '', input ?? '{}', [])
      : // The default notification, whose detail is a string.
        (input ?? event('aws.scheduler', 'Scheduled Event', '"{}"', [arn]))
  account.store.outbox.add(
    {
      targetArn: Target.Arn,
      body,
      ...(Target.SqsParameters?.MessageGroupId !== undefined && {
        messageGroupId: Target.SqsParameters.MessageGroupId,
      }),
      origin: { kind: 'schedule', arn, scheduledAt, executionId },
      acceptedAt: account.now(),
      maximumAgeS: Target.RetryPolicy.MaximumEventAgeInSeconds ?? retryLimits.ageS,
      maximumRetries: Target.RetryPolicy.MaximumRetryAttempts ?? retryLimits.attempts,
      retries: 0,
      hops: 0,
      ...(Target.DeadLetterConfig?.Arn !== undefined && { deadLetterArn: Target.DeadLetterConfig.Arn }),
    },
    account.now(),
  )
}

function runRule(account: EventsAccount, rule: Rule, dueAt: number): void {
  const arn = ruleArn(account, rule)
  const { open, following } = planRun(account, {
    arn,
    runAt: dueAt,
    dueAt,
    windowMs: 0,
    next: (after) => nextRuleRun(rule, after),
  })
  if (open !== undefined) {
    const parts = { source: 'aws.events', detailType: 'Scheduled Event', resources: [arn], detail: '{}' }
    const event = readEvent(composeEvent(account, { ...parts, id: randomUUID(), time: new Date(open) }))
    if (event) queueDeliveries(account, rule, event)
  }
  putRule(account, rule, following)
}
