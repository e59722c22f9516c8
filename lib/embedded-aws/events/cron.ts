// Parses AWS cron expressions with aws-cron-parser, and finds their next run.
// https://docs.aws.amazon.com/scheduler/latest/UserGuide/schedule-types.html#cron-based
// Expressions are validated here, because the library accepts invalid numbers and has no steps inside lists.
// The next run is searched here, because the library gives up after ten steps, too few for 29 February.
// The library also counts weeks in the time zone of the process, and so misses a last weekday when clocks change.
import parser from 'aws-cron-parser'

export interface Cron {
  readonly years: readonly number[]
  readonly months: readonly number[]
  readonly daysOfMonth: Day
  readonly daysOfWeek: Day
  /** Times of day in milliseconds after midnight. */
  readonly times: readonly number[]
}

type Day = readonly (string | number)[]

const months = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC']
const days = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT']

/** Returns undefined for an expression that AWS does not accept. */
export function readCron(expression: string): Cron | undefined {
  const [minute, hour, dayOfMonth, month, dayOfWeek, year, ...moreFields] = expression.split(' ')
  if (!minute || !hour || !dayOfMonth || !month || !dayOfWeek || !year || moreFields.length > 0)
    return undefined
  // AWS: "You can't specify the Day-of-month and Day-of-week fields in the same cron expression."
  if ((dayOfMonth === '?') === (dayOfWeek === '?')) return undefined
  const weekday = replaceNames(dayOfWeek, days)
  const fields = [
    expandField(minute, 0, 59),
    expandField(hour, 0, 23),
    /^(\?|L|L-\d{1,2}|\d{1,2}W)$/.test(dayOfMonth) ? dayOfMonth : expandField(dayOfMonth, 1, 31),
    expandField(replaceNames(month, months), 1, 12),
    weekday === 'L' ? '7' : /^(\?|[1-7]L|[1-7]#[1-5])$/.test(weekday) ? weekday : expandField(weekday, 1, 7),
    expandField(year, 1970, 2199),
  ]
  if (fields.includes(undefined)) return undefined
  const parsedCron = tryParse(() => parser.parse(fields.join(' ')))
  return (
    parsedCron && {
      years: listNumbers(parsedCron.years),
      months: listNumbers(parsedCron.months),
      daysOfMonth: parsedCron.daysOfMonth,
      daysOfWeek: parsedCron.daysOfWeek,
      times: listNumbers(parsedCron.hours).flatMap((h) =>
        listNumbers(parsedCron.minutes).map((m) => (h * 60 + m) * 60_000),
      ),
    }
  )
}

const replaceNames = (field: string, names: readonly string[]) =>
  field.toUpperCase().replace(/[A-Z]{3}/g, (name) => {
    const index = names.indexOf(name)
    return index === -1 ? name : `${index + 1}`
  })

const listNumbers = (field: Day) => field.filter((value) => typeof value === 'number').sort((a, b) => a - b)

function tryParse<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}

/** Expands a field such as `1,10-20/5` to a list of numbers: `1,10,15,20`. */
function expandField(field: string, minValue: number, maxValue: number): string | undefined {
  const chosenValues = new Set<number>()
  for (const item of field.split(',')) {
    const match = /^(?:(\*)|(\d{1,4})(?:-(\d{1,4}))?)(?:\/(\d{1,4}))?$/.exec(item)
    if (!match) return undefined
    const [, star, from, to, step] = match
    const firstValue = star ? minValue : Number(from)
    const lastValue = to !== undefined ? Number(to) : star || step !== undefined ? maxValue : firstValue
    const by = step === undefined ? 1 : Number(step)
    if (firstValue < minValue || lastValue > maxValue || firstValue > lastValue || by < 1) return undefined
    for (let value = firstValue; value <= lastValue; value += by) chosenValues.add(value)
  }
  return [...chosenValues].sort((a, b) => a - b).join(',')
}

const dayMs = 86_400_000

/**
 * Returns the next time at which the expression matches, in milliseconds of wall-clock time; undefined after its last
 * year.
 */
export function findNextWallTime(cron: Cron, afterMs: number): number | undefined {
  const today = Math.floor(afterMs / dayMs) * dayMs
  for (const day of iterateDays(cron, today)) {
    const time = cron.times.find((one) => day + one > afterMs)
    if (time !== undefined) return day + time
  }
  return undefined
}

function* iterateDays(cron: Cron, today: number): Generator<number> {
  const thisYear = new Date(today).getUTCFullYear()
  for (const year of cron.years) {
    if (year < thisYear) continue
    for (const month of cron.months)
      for (const date of listDates(cron, year, month)) {
        const day = Date.UTC(year, month - 1, date)
        if (day >= today) yield day
      }
  }
}

/** Returns the dates of a month on which the expression matches, in order. */
function listDates({ daysOfMonth, daysOfWeek }: Cron, year: number, month: number): number[] {
  const lastDay = new Date(Date.UTC(year, month, 0)).getUTCDate()
  const getWeekday = (date: number) => new Date(Date.UTC(year, month - 1, date)).getUTCDay() + 1
  const [kind, firstField, secondField] = daysOfMonth.length > 0 ? daysOfMonth : daysOfWeek
  if (daysOfMonth.length > 0) {
    if (kind === 'L') return [lastDay - Number(firstField)].filter((date) => date > 0)
    if (kind === 'W') return findNearestWeekday(Number(firstField), lastDay, getWeekday)
    return listNumbers(daysOfMonth).filter((date) => date <= lastDay)
  }
  const allDays = Array.from({ length: lastDay }, (_, index) => index + 1)
  if (kind === 'L') return allDays.filter((date) => getWeekday(date) === firstField).slice(-1)
  if (kind === '#')
    return allDays
      .filter((date) => getWeekday(date) === firstField)
      .slice(Number(secondField) - 1, Number(secondField))
  return allDays.filter((date) => daysOfWeek.includes(getWeekday(date)))
}

/** Resolves `15W`: that day, or the nearest day from Monday to Friday in the same month. */
function findNearestWeekday(date: number, lastDay: number, getWeekday: (date: number) => number): number[] {
  if (date < 1 || date > lastDay) return []
  const weekday = getWeekday(date)
  if (weekday === 7) return [date === 1 ? date + 2 : date - 1]
  if (weekday === 1) return [date === lastDay ? date - 2 : date + 1]
  return [date]
}
