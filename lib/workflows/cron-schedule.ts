import { Cron } from 'croner'
import { AppError } from '../errors.ts'
import { instantOf, isZone, wallTime } from '../time-zones.ts'

/** When workflows run: five fields of POSIX cron, or a name as `@daily`, on the clocks of a time zone. */

export interface CronSchedule {
  readonly cron: string
  /** IANA name. */
  readonly timezone: string
}

/** Minutes between two runs at least: what is made more often belongs into a queue. */
const minMinutes = 5

const minuteMs = 60_000

/** Runs that are looked at for two that are too near each other: more than any two days have. */
const maxCheckedRuns = 600

/** @throws AppError INVALID_INPUT naming `cron` or `timezone`, with the next one that is allowed. */
export function validateSchedule({ cron, timezone }: CronSchedule): void {
  if (!isZone(timezone))
    throw scheduleError(
      'timezone',
      `expected an IANA time zone as Europe/Berlin, got "${timezone.slice(0, 64)}"`,
    )
  const fields = cron.trim().split(/\s+/)
  if (fields.length === 6)
    throw scheduleError(
      'cron',
      `expected five fields, got six; seconds are left out: ${fields.slice(1).join(' ')}`,
    )
  let wall: number | undefined = Date.UTC(2027, 0, 1)
  let last: number | undefined
  for (let checked = 0; checked < maxCheckedRuns; checked++) {
    wall = nextWallTime(cron, wall)
    if (wall === undefined) break
    if (last !== undefined && wall - last < minMinutes * minuteMs)
      throw scheduleError(
        'cron',
        `expected at least ${minMinutes} min from run to run, got ${(wall - last) / minuteMs} min; the most frequent is */${minMinutes} * * * *`,
      )
    last = wall
  }
  if (last === undefined) throw scheduleError('cron', `"${cron}" never comes: there is no such day`)
}

/**
 * The first run after an instant (milliseconds). A time that the clocks are put forward over is run at the first minute
 * after, one that comes twice is run the first time.
 */
export function nextRunTime({ cron, timezone }: CronSchedule, after: number): number | undefined {
  let wall = nextWallTime(cron, wallTime(timezone, after))
  while (wall !== undefined) {
    const instant = instantAtOrAfter(timezone, wall)
    if (instant > after) return instant
    wall = nextWallTime(cron, wall)
  }
  return undefined
}

function instantAtOrAfter(zone: string, wall: number): number {
  for (let at = wall; ; at += minuteMs) {
    const instant = instantOf(zone, at)
    if (instant !== undefined) return instant
  }
}

/** Wall times are as in `lib/time-zones.ts`. @throws AppError INVALID_INPUT for what is no cron expression. */
function nextWallTime(cron: string, after: number): number | undefined {
  return parseCron(cron).nextRun(new Date(after))?.getTime()
}

function parseCron(cron: string): Cron {
  // The library also takes a date, which would run once.
  const isDate = /^\d{4}-/.test(cron)
  try {
    if (!isDate) return new Cron(cron.trim(), { timezone: 'UTC', mode: '5-part', paused: true })
  } catch {
    // Its sentences are about its own options.
  }
  throw scheduleError(
    'cron',
    `expected minute, hour, day of month, month and day of week, as "0 3 * * *", or @daily; got "${cron.slice(0, 64)}"`,
  )
}

const scheduleError = (field: string, error: string) =>
  new AppError('INVALID_INPUT', `${field}: ${error}.`, { field })
