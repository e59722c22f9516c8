/** Converts a time expression (TTML 2, section 12.3) to milliseconds; undefined if there is none or it is invalid. */
export type TtmlClock = (expression: string | undefined) => number | undefined

const defaultFrameRate = 30

/** @param attributes attributes of the root element */
export function createTtmlClock(attributes: Readonly<Record<string, string>>): TtmlClock {
  const declaredFrameRate = parsePositive(attributes['frameRate'])
  const [multiplier = 1, divisor = 1] = (attributes['frameRateMultiplier'] ?? '')
    .split(/[\s:]+/)
    .map(parsePositive)
  const frameRate = ((declaredFrameRate ?? defaultFrameRate) * multiplier) / divisor
  const tickRate = parsePositive(attributes['tickRate']) ?? declaredFrameRate ?? 1
  const unitsPerSecond: Readonly<Record<string, number>> = {
    h: 1 / 3600,
    m: 1 / 60,
    s: 1,
    ms: 1000,
    f: frameRate,
    t: tickRate,
  }
  return (expression = '') => {
    const [, hours, minutes, seconds, frames = '0'] =
      /^(\d{2,}):(\d\d):(\d\d(?:\.\d+)?)(?::(\d+)(?:\.\d+)?)?$/.exec(expression.trim()) ?? []
    if (seconds !== undefined)
      return toMs(Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds) + Number(frames) / frameRate)
    const [, count, unit = ''] = /^(\d+(?:\.\d+)?)(h|ms|m|s|f|t)$/.exec(expression.trim()) ?? []
    return count === undefined ? undefined : toMs(Number(count) / (unitsPerSecond[unit] ?? 1))
  }
}

const toMs = (seconds: number) => Math.round(seconds * 1000)

const parsePositive = (text: string | undefined): number | undefined =>
  Number(text) > 0 ? Number(text) : undefined
