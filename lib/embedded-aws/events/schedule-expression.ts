// Schedule expressions rate(…) and cron(…), and the times of their runs.

import { type Cron, findNextWallTime, readCron } from './cron.ts'

type ScheduleExpression =
  | { readonly kind: 'rate'; readonly everyMs: number }
  | { readonly kind: 'cron'; readonly cron: Cron }

const unitsMs = { minute: 60_000, hour: 3_600_000, day: 86_400_000 } as const

/**
 * Parses a schedule expression; undefined if it is invalid. A rate of 1 has a singular unit, other rates have a plural
 * unit.
 */
export function readScheduleExpression(expression: string): ScheduleExpression | undefined {
  const [, kind, innerText = ''] = /^(rate|cron)\((.*)\)$/s.exec(expression) ?? []
  if (kind === 'rate') return readRate(innerText)
  const cron = kind === 'cron' ? readCron(innerText) : undefined
  return cron && { kind: 'cron', cron }
}

function readRate(innerText: string): ScheduleExpression | undefined {
  const [, count = '', unit = '', plural] = /^([1-9]\d{0,8}) (minute|hour|day)(s?)$/.exec(innerText) ?? []
  if (!Object.hasOwn(unitsMs, unit) || (count === '1') === (plural === 's')) return undefined
  return { kind: 'rate', everyMs: Number(count) * unitsMs[unit as keyof typeof unitsMs] } // checked by hasOwn
}

/** Returns the first run after a time, in milliseconds. A rate counts from `anchor`; `cron` is in UTC. */
export function findFirstRun(
  schedule: ScheduleExpression,
  { anchor, after }: { readonly anchor: number; readonly after: number },
): number | undefined {
  if (schedule.kind === 'cron') return findNextWallTime(schedule.cron, after)
  const { everyMs } = schedule
  return anchor + Math.max(0, Math.floor((after - anchor) / everyMs) + 1) * everyMs
}
