// Schedule expressions at(…), rate(…) and cron(…), and the times of their runs.

import { instantOfWallTime, wallTime } from '../../time-zones.ts'
import { type Cron, nextWallTime, readCron } from './cron.ts'

export type ScheduleExpression =
  | { readonly kind: 'at'; readonly wall: number }
  | { readonly kind: 'rate'; readonly everyMs: number }
  | { readonly kind: 'cron'; readonly cron: Cron }

const unitsMs = { minute: 60_000, hour: 3_600_000, day: 86_400_000 } as const

/** Returns undefined for an invalid expression. A rate of 1 has a singular unit, others a plural one. */
export function readScheduleExpression(expression: string): ScheduleExpression | undefined {
  const [, kind, inner = ''] = /^(at|rate|cron)\((.*)\)$/s.exec(expression) ?? []
  if (kind === 'at') return readAt(inner)
  if (kind === 'rate') return readRate(inner)
  const cron = kind === 'cron' ? readCron(inner) : undefined
  return cron && { kind: 'cron', cron }
}

function readAt(inner: string): ScheduleExpression | undefined {
  const wall = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/.test(inner) ? Date.parse(`${inner}Z`) : Number.NaN
  // Date.parse accepts 31 April as 1 May.
  return new Date(wall || 0).toISOString().startsWith(inner) && wall ? { kind: 'at', wall } : undefined
}

function readRate(inner: string): ScheduleExpression | undefined {
  const [, count = '', unit = '', plural] = /^([1-9]\d{0,8}) (minute|hour|day)(s?)$/.exec(inner) ?? []
  if (!Object.hasOwn(unitsMs, unit) || (count === '1') === (plural === 's')) return undefined
  return { kind: 'rate', everyMs: Number(count) * unitsMs[unit as keyof typeof unitsMs] }
}

export interface RunSearch {
  /** IANA name of the time zone of wall-clock times. */
  readonly zone: string
  /** Start of a rate, in milliseconds. */
  readonly anchor: number
  readonly after: number
}

/**
 * Returns the first run after a time, in milliseconds. A wall-clock time that does not exist because clocks go forward
 * is skipped; one that occurs twice because they go back runs once.
 */
export function firstRun(
  schedule: ScheduleExpression,
  { zone, anchor, after }: RunSearch,
): number | undefined {
  if (schedule.kind === 'rate') {
    const { everyMs } = schedule
    return anchor + Math.max(0, Math.floor((after - anchor) / everyMs) + 1) * everyMs
  }
  if (schedule.kind === 'at') {
    const instant = instantOfWallTime(zone, schedule.wall)
    return instant !== undefined && instant > after ? instant : undefined
  }
  let wall = nextWallTime(schedule.cron, wallTime(zone, after))
  while (wall !== undefined) {
    const instant = instantOfWallTime(zone, wall)
    if (instant !== undefined && instant > after) return instant
    wall = nextWallTime(schedule.cron, wall)
  }
  return undefined
}
