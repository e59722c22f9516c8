// Converts between time zones, based on Node's zone data.
// A "wall time" is what a clock in the zone shows, as the milliseconds that the same digits would be in UTC.

const formatters = new Map<string, Intl.DateTimeFormat>()

function getFormatter(zone: string): Intl.DateTimeFormat {
  const knownFormatter = formatters.get(zone)
  if (knownFormatter) return knownFormatter
  const formatter = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  })
  formatters.set(zone, formatter)
  return formatter
}

/** Whether a name is in the IANA database. Offsets such as `+02:00` are not, although Intl accepts them. */
export function isTimeZone(zone: string): boolean {
  if (!/^[A-Za-z]/.test(zone)) return false
  try {
    getFormatter(zone)
    return true
  } catch {
    return false
  }
}

export function toWallTime(zone: string, instantMs: number): number {
  if (zone === 'UTC') return instantMs
  const parts = getFormatter(zone).formatToParts(instantMs)
  const getPart = (type: Intl.DateTimeFormatPartTypes) =>
    Number(parts.find((part) => part.type === type)?.value)
  return Date.UTC(
    getPart('year'),
    getPart('month') - 1,
    getPart('day'),
    getPart('hour'),
    getPart('minute'),
    getPart('second'),
  )
}

const dayMs = 86_400_000

/**
 * Returns when a clock in the zone shows a wall time: the first instant if it does so twice, undefined if the clocks
 * skip that time.
 */
export function toInstant(zone: string, wallMs: number): number | undefined {
  if (zone === 'UTC') return wallMs
  const candidates = [wallMs - dayMs, wallMs + dayMs].map(
    (nearbyMs) => wallMs - (toWallTime(zone, nearbyMs) - nearbyMs),
  )
  return candidates.sort((a, b) => a - b).find((instant) => toWallTime(zone, instant) === wallMs)
}
