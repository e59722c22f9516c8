import { Cron } from 'croner'
import { AppError } from '../errors.ts'
import { isTimeZone, toInstant, toWallTime } from '../time-zones.ts'

/** Schedules of workflows: five-field POSIX cron expressions, or names such as `@daily`, in a time zone. */

interface CronSchedule {
  readonly cron: string
  /** Name of the time zone in the IANA database. */
  readonly timezone: string
}

/** Minimum minutes between two runs; more frequent work belongs in a queue. */
const minIntervalMinutes = 5

const minuteMs = 60_000

/** Number of consecutive runs whose intervals are checked. At the minimum interval, they span more than two days. */
const maxCheckedRuns = 600

/** Checks a schedule. @throws AppError INVALID_INPUT naming `cron` or `timezone`, with the allowed values. */
export function validateSchedule({ cron, timezone }: CronSchedule): void {
  if (!isTimeZone(timezone))
    throw createScheduleError(
      'timezone',
      `expected an IANA time zone such as Europe/Berlin, got "${timezone.slice(0, 64)}"`,
    )
  const fields = cron.trim().split(/\s+/)
  if (fields.length === 6)
    throw createScheduleError(
      'cron',
      `expected five fields, got six; leave out the seconds: ${fields.slice(1).join(' ')}`,
    )
  let wallTimeMs: number | undefined = Date.UTC(2027, 0, 1)
  let lastRunMs: number | undefined
  for (let checkedRuns = 0; checkedRuns < maxCheckedRuns; checkedRuns++) {
    wallTimeMs = findNextWallTime(cron, wallTimeMs)
    if (wallTimeMs === undefined) break
    if (lastRunMs !== undefined && wallTimeMs - lastRunMs < minIntervalMinutes * minuteMs)
      throw createScheduleError(
        'cron',
        `expected at least ${minIntervalMinutes} min between runs, got ${(wallTimeMs - lastRunMs) / minuteMs} min; the most frequent schedule is */${minIntervalMinutes} * * * *`,
      )
    lastRunMs = wallTimeMs
  }
  if (lastRunMs === undefined)
    throw createScheduleError('cron', `"${cron}" never runs, because there is no such day`)
}

/**
 * Returns the time of the first run after an instant (both in milliseconds). If clocks go forward and skip the time of
 * a run, it takes place in the first minute afterwards. If they go back and repeat that time, the run takes place only
 * once.
 */
export function getNextRunTime({ cron, timezone }: CronSchedule, afterMs: number): number | undefined {
  let wallTimeMs = findNextWallTime(cron, toWallTime(timezone, afterMs))
  while (wallTimeMs !== undefined) {
    const instantMs = findInstantAtOrAfter(timezone, wallTimeMs)
    if (instantMs > afterMs) return instantMs
    wallTimeMs = findNextWallTime(cron, wallTimeMs)
  }
  return undefined
}

function findInstantAtOrAfter(zone: string, wallMs: number): number {
  for (let at = wallMs; ; at += minuteMs) {
    const instantMs = toInstant(zone, at)
    if (instantMs !== undefined) return instantMs
  }
}

/**
 * Returns the next run as a wall time, which `lib/time-zones.ts` explains.
 * @throws AppError INVALID_INPUT for an invalid cron expression.
 */
function findNextWallTime(cron: string, afterMs: number): number | undefined {
  return parseCron(cron).nextRun(new Date(afterMs))?.getTime()
}

function parseCron(cron: string): Cron {
  // The library also accepts a date, which would run only once.
  const isDate = /^\d{4}-/.test(cron)
  try {
    if (!isDate) return new Cron(cron.trim(), { timezone: 'UTC', mode: '5-part', paused: true })
  } catch {
    // The library's messages are ignored, because they refer to its own options.
  }
  throw createScheduleError(
    'cron',
    `expected minute, hour, day of month, month and day of week, such as "0 3 * * *", or @daily; got "${cron.slice(0, 64)}"`,
  )
}

const createScheduleError = (field: string, error: string) =>
  new AppError('INVALID_INPUT', `${field}: ${error}.`, { field })
