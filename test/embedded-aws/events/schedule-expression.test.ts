import assert from 'node:assert/strict'
import test from 'node:test'
import { findFirstRun, readScheduleExpression } from '../../../lib/embedded-aws/events/schedule-expression.ts'

/** Returns the first runs after a time, as ISO strings without seconds. */
function runs(expression: string, afterTime: string, { count = 1, anchor = afterTime } = {}): string[] {
  const schedule = readScheduleExpression(expression)
  assert.ok(schedule, expression)
  const times: string[] = []
  let from = Date.parse(afterTime)
  while (times.length < count) {
    const run = findFirstRun(schedule, { anchor: Date.parse(anchor), after: from })
    if (run === undefined) break
    times.push(new Date(run).toISOString().slice(0, 16))
    from = run
  }
  return times
}

const crons: Readonly<Record<string, readonly [expression: string, after: string, ...runs: string[]]>> = {
  'every day': ['0 10 * * ? *', '2026-01-01T10:00Z', '2026-01-02T10:00', '2026-01-03T10:00'],
  'a list of minutes': ['5,35 14 * * ? *', '2026-01-01T14:05Z', '2026-01-01T14:35', '2026-01-02T14:05'],
  'steps from a start': [
    '7/20 0 * * ? *',
    '2026-01-01T00:00Z',
    '2026-01-01T00:07',
    '2026-01-01T00:27',
    '2026-01-01T00:47',
    '2026-01-02T00:07',
  ],
  'steps in a range': [
    '0-15/10 8-8 ? * 2-6 *',
    '2026-01-02T09:00Z',
    '2026-01-05T08:00',
    '2026-01-05T08:10',
    '2026-01-06T08:00',
  ],
  'a list with a step in it': [
    '1,10-20/5 * * * ? *',
    '2026-01-01T00:00Z',
    '2026-01-01T00:01',
    '2026-01-01T00:10',
    '2026-01-01T00:15',
    '2026-01-01T00:20',
    '2026-01-01T01:01',
  ],
  'weekdays by name': ['0 18 ? * MON-FRI *', '2026-01-02T18:00Z', '2026-01-05T18:00'],
  'Sunday is 1': ['0 0 ? * 1 *', '2026-01-01T00:00Z', '2026-01-04T00:00'],
  'months by name, ignoring case': [
    '0 0 1 feb,Apr ? *',
    '2026-01-01T00:00Z',
    '2026-02-01T00:00',
    '2026-04-01T00:00',
  ],
  'the last day of a month': ['0 0 L * ? *', '2026-01-31T00:00Z', '2026-02-28T00:00', '2026-03-31T00:00'],
  'two days before the last day of a month': ['0 0 L-2 * ? *', '2026-01-31T00:00Z', '2026-02-26T00:00'],
  'the last Friday': ['15 10 ? * 6L *', '2026-01-01T00:00Z', '2026-01-30T10:15', '2026-02-27T10:15'],
  'the last Saturday of a month, in a week with a clock change': [
    '0 9 ? * 7L *',
    '2025-10-01T00:00Z',
    '2025-10-25T09:00',
  ],
  'L as a weekday is Saturday': ['0 0 ? * L *', '2026-01-01T00:00Z', '2026-01-03T00:00', '2026-01-10T00:00'],
  'the third Saturday': ['0 2 ? * SAT#3 *', '2026-01-01T00:00Z', '2026-01-17T02:00', '2026-02-21T02:00'],
  'the fifth Monday, in months that have one': [
    '0 0 ? * 2#5 *',
    '2026-01-01T00:00Z',
    '2026-03-30T00:00',
    '2026-06-29T00:00',
  ],
  'the weekday nearest to Sunday the 15th': ['0 0 15W * ? *', '2026-02-01T00:00Z', '2026-02-16T00:00'],
  'the weekday nearest to Saturday the 1st, in the same month': [
    '0 0 1W 8 ? *',
    '2026-01-01T00:00Z',
    '2026-08-03T00:00',
  ],
  'the weekday nearest to Sunday the 31st, in the same month': [
    '0 0 31W 5 ? *',
    '2026-01-01T00:00Z',
    '2026-05-29T00:00',
  ],
  '29 February, across 2100, which has none': ['0 0 29 2 ? *', '2096-02-29T00:00Z', '2104-02-29T00:00'],
  'a fifth Monday in February, decades away': ['0 0 ? 2 2#5 *', '2026-01-01T00:00Z', '2044-02-29T00:00'],
  'a single year': ['0 0 1 1 ? 2027', '2026-01-01T00:00Z', '2027-01-01T00:00'],
  'years that have passed': ['15 10 ? * 6L 2002-2005', '2026-01-01T00:00Z'],
  'a day that does not exist': ['0 0 31 2 ? *', '2026-01-01T00:00Z'],
}

for (const [name, [cron, after, ...expected]] of Object.entries(crons))
  test(`a cron expression triggers at the same times as on AWS: ${name}`, () => {
    assert.deepEqual(runs(`cron(${cron})`, after, { count: Math.max(1, expected.length) }), expected)
  })

test('the intervals of an EventBridge rate expression start at the creation of its rule', () => {
  const anchor = '2026-01-01T00:00:20Z'
  assert.deepEqual(runs('rate(5 minutes)', '2026-01-01T01:01Z', { anchor, count: 2 }), [
    '2026-01-01T01:05',
    '2026-01-01T01:10',
  ])
  assert.deepEqual(runs('rate(1 day)', '2025-12-31T00:00Z', { anchor }), ['2026-01-01T00:00'])
})

const invalidExpressions = [
  'cron(0 1 * * * *)',
  'cron(0 1 ? * ? *)',
  'cron(7 20 * * NOT *)',
  'cron(INVALID)',
  'cron()',
  'cron(0 dummy ? * MON-FRI *)',
  'cron(71 8 1 * ? *)',
  'cron(0 8 1 13 ? *)',
  'cron(0 8 1,L * ? *)',
  'cron(0 8 ? * 3#1,6#3 *)',
  'cron(0 8 ? * 8 *)',
  'cron(*/0 8 * * ? *)',
  'cron(5-1 8 * * ? *)',
  'cron(0 8 * * ?)',
  'cron(0 8 * * ? * *)',
  'cron(0 8 * * ? 2200)',
  'rate(10 seconds)',
  'rate(10 years)',
  'rate(1 minutes)',
  'rate(10 minute)',
  'rate()',
  'rate(10)',
  'rate(10 minutess)',
  'rate(foo minutes)',
  'rate(0 minutes)',
  'rate(-10 minutes)',
  'rate(10 MINUTES)',
  'rate( 10 minutes )',
  ' rate(10 minutes)',
  'rate(1 __proto__)',
  'at(2021-12-31T23:59:59)',
]

for (const expression of invalidExpressions)
  test(`"${expression}" is rejected as a schedule expression`, () => {
    assert.equal(readScheduleExpression(expression), undefined)
  })
