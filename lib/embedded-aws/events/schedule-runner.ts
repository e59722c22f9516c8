// Runs the scheduled rules that are due.
import { randomUUID } from 'node:crypto'
import type { EventsAccount } from './account.ts'
import { composeEvent, queueDeliveries, readEvent } from './put-events.ts'
import { createRuleArn, findNextRuleRun, getRuleCollection, putRule, type Rule } from './rules.ts'
import type { EventsStore } from './store.ts'

interface ScheduleRunner {
  /** Restarts the timer after documents have changed. */
  wake(): void
  close(): void
}

/**
 * Maximum duration of a timer, because timers do not notice that the machine was suspended or the clock was changed.
 */
const maxSleepMs = 60_000

export function startScheduleRunner(account: EventsAccount): ScheduleRunner {
  const { store, now, log } = account
  let timer: NodeJS.Timeout | undefined
  let isRunning = false
  let isClosed = false

  function wake(): void {
    if (isRunning || isClosed) return
    clearTimeout(timer)
    const dueAt = store.getNextDue()
    if (dueAt === undefined) return
    const delayMs = dueAt - now()
    if (delayMs <= 0) void run()
    else timer = setTimeout(wake, Math.min(delayMs, maxSleepMs))
  }

  /**
   * Writes the deliveries of a run together with the time of the next run, so that a crash neither loses nor repeats a
   * run.
   */
  async function run(): Promise<void> {
    isRunning = true
    try {
      await store.commit(() => {
        for (const dueDocument of store.listDueDocuments(now())) runDocument(account, dueDocument)
      })
    } catch (error) {
      log('Due schedules could not be run and will be retried.', { error })
      timer = setTimeout(wake, 1000)
      return
    } finally {
      isRunning = false
    }
    wake()
  }

  return {
    wake,
    close() {
      isClosed = true
      clearTimeout(timer)
    },
  }
}

function runDocument(
  account: EventsAccount,
  { kind, key, dueAt }: ReturnType<EventsStore['listDueDocuments']>[number],
): void {
  const rule = kind === 'rule' ? getRuleCollection(account).get(key) : undefined
  if (rule) runRule(account, rule, dueAt)
  else account.store.collection(kind).delete(key)
}

/** AWS runs schedules with a precision of a minute. */
const precisionMs = 60_000

/**
 * Returns the run to start now, if any, and the next one. After a downtime, a run missed by less than a minute is
 * started; earlier missed runs are skipped and logged.
 */
function planRun({ now, log }: EventsAccount, rule: Rule, arn: string, dueAt: number) {
  const at = now()
  const isLate = at - dueAt > precisionMs
  const candidate = isLate ? findNextRuleRun(rule, at - precisionMs - 1) : dueAt
  const dueRun = candidate !== undefined && candidate <= at ? candidate : undefined
  if (isLate)
    log(
      dueRun === undefined
        ? 'A schedule missed its time: the run is skipped.'
        : 'A schedule missed its time: it runs once now.',
      { schedule: arn, missed: new Date(dueAt).toISOString() },
    )
  return { open: dueRun, following: findNextRuleRun(rule, isLate || dueRun === undefined ? at : dueRun) }
}

function runRule(account: EventsAccount, rule: Rule, dueAt: number): void {
  const arn = createRuleArn(account, rule)
  const { open, following } = planRun(account, rule, arn, dueAt)
  if (open !== undefined) {
    const eventFields = {
      source: 'aws.events',
      detailType: 'Scheduled Event',
      resources: [arn],
      detail: '{}',
    }
    const event = readEvent(composeEvent(account, { ...eventFields, id: randomUUID(), time: new Date(open) }))
    if (event) queueDeliveries(account, rule, event)
  }
  putRule(account, rule, following)
}
