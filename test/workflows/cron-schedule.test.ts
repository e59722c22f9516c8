import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { getNextRunTime, validateSchedule } from '../../lib/workflows/cron-schedule.ts'

function listRuns(cron: string, timezone: string, from: string, untilTime: string): string[] {
  const foundTimes: string[] = []
  let at = getNextRunTime({ cron, timezone }, Date.parse(from))
  while (at !== undefined && at < Date.parse(untilTime)) {
    foundTimes.push(new Date(at).toISOString())
    at = getNextRunTime({ cron, timezone }, at)
  }
  return foundTimes
}

/** UTC offsets in hours and the days on which they change, as published by the authorities. */
const offsets = {
  UTC: [['2026-01-01T00:00Z', 0]],
  'Europe/Berlin': [
    ['2026-01-01T00:00Z', 1],
    ['2026-03-29T01:00Z', 2],
    ['2026-10-25T01:00Z', 1],
  ],
  'America/New_York': [
    ['2026-01-01T00:00Z', -5],
    ['2026-03-08T07:00Z', -4],
    ['2026-11-01T06:00Z', -5],
  ],
  'Australia/Lord_Howe': [
    ['2026-01-01T00:00Z', 11],
    ['2026-04-04T15:00Z', 10.5],
    ['2026-10-03T15:30Z', 11],
  ],
  'Asia/Kolkata': [['2026-01-01T00:00Z', 5.5]],
} as const

const hourMs = 3_600_000
const dayMs = 24 * hourMs

/** Lists the runs of each day at 05:45, a time that no clock change of these zones affects. */
function listDailyRuns(zone: keyof typeof offsets, from: number, untilMs: number): string[] {
  const foundTimes: string[] = []
  for (let midnight = Date.UTC(2026, 0, 1); midnight < untilMs + dayMs; midnight += dayMs) {
    const wallTimeMs = midnight + 5.75 * hourMs
    const [, hours = 0] =
      offsets[zone].findLast(([since, ahead]) => wallTimeMs - ahead * hourMs >= Date.parse(since)) ?? []
    const at = wallTimeMs - hours * hourMs
    if (at > from && at < untilMs) foundTimes.push(new Date(at).toISOString())
  }
  return foundTimes
}

describe('the schedule of a workflow over 400 days', () => {
  const [from, until] = ['2026-01-02T00:00:00Z', '2027-02-06T00:00:00Z'] as const
  for (const zone of Object.keys(offsets) as (keyof typeof offsets)[])
    test(`over 400 days, a workflow runs each day at its time in ${zone}`, () => {
      const expectedTimes = listDailyRuns(zone, Date.parse(from), Date.parse(until))
      assert.ok(expectedTimes.length >= 399, `${expectedTimes.length} days`)
      assert.deepEqual(listRuns('45 5 * * *', zone, from, until), expectedTimes)
    })
})

describe('workflow schedules when clocks change', () => {
  const cases = [
    {
      name: 'a workflow run at a time that a clock change skips starts at the first minute afterwards',
      cron: '30 2 * * *',
      day: ['Europe/Berlin', '2026-03-28T12:00:00Z', '2026-03-30T12:00:00Z'],
      expected: ['2026-03-29T01:00:00.000Z', '2026-03-30T00:30:00.000Z'],
    },
    {
      name: 'a workflow runs once for several times that a clock change skips',
      cron: '*/15 2 * * *',
      day: ['Europe/Berlin', '2026-03-28T12:00:00Z', '2026-03-29T12:00:00Z'],
      expected: ['2026-03-29T01:00:00.000Z'],
    },
    {
      name: 'a workflow runs once if a skipped time is moved to another scheduled time',
      cron: '0 2,3 * * *',
      day: ['Europe/Berlin', '2026-03-28T12:00:00Z', '2026-03-29T12:00:00Z'],
      expected: ['2026-03-29T01:00:00.000Z'],
    },
    {
      name: 'a workflow run at a time that occurs twice starts the first time only',
      cron: '30 2 * * *',
      day: ['Europe/Berlin', '2026-10-24T12:00:00Z', '2026-10-26T12:00:00Z'],
      expected: ['2026-10-25T00:30:00.000Z', '2026-10-26T01:30:00.000Z'],
    },
    {
      name: 'a workflow runs once at a time that occurs twice because of a half-hour clock change',
      cron: '45 1 * * *',
      day: ['Australia/Lord_Howe', '2026-04-04T00:00:00Z', '2026-04-06T00:00:00Z'],
      expected: ['2026-04-04T14:45:00.000Z', '2026-04-05T15:15:00.000Z'],
    },
    {
      name: 'a workflow run at a midnight that a clock change skips starts at the first minute afterwards',
      cron: '0 0 * * *',
      day: ['America/Santiago', '2026-09-05T12:00:00Z', '2026-09-07T12:00:00Z'],
      expected: ['2026-09-06T04:00:00.000Z', '2026-09-07T03:00:00.000Z'],
    },
  ] as const
  for (const { name, cron, day, expected } of cases)
    test(name, () => {
      const [zone, from, until] = day
      assert.deepEqual(listRuns(cron, zone, from, until), [...expected])
    })
})

describe('an invalid workflow schedule is rejected with advice', () => {
  const cases = [
    [
      '* * * * *',
      'UTC',
      /at least 5 min between runs, got 1 min; the most frequent schedule is \*\/5 \* \* \* \*\.$/,
    ],
    ['58,1 * * * *', 'UTC', /got 3 min/],
    ['0,3 4 1 1 *', 'UTC', /got 3 min/],
    ['0 0 3 * * *', 'UTC', /^cron: expected five fields, got six; leave out the seconds: 0 3 \* \* \*\.$/],
    ['0 3 31 2 *', 'UTC', /never runs/],
    ['0 3 * *', 'UTC', /^cron: expected minute, hour/],
    ['61 3 * * *', 'UTC', /^cron: expected minute, hour/],
    ['2026-12-12T10:00:00', 'UTC', /^cron: expected minute, hour/],
    ['@reboot', 'UTC', /^cron: expected minute, hour/],
    ['0 3 * * *', 'Mars/Olympus', /^timezone: expected an IANA time zone such as Europe\/Berlin/],
    ['0 3 * * *', '+02:00', /^timezone:/],
  ] as const
  for (const [cron, timezone, message] of cases)
    test(`the schedule ${cron} in ${timezone} is rejected`, () =>
      assert.throws(() => validateSchedule({ cron, timezone }), { code: 'INVALID_INPUT', message }))

  test('schedules such as */5 * * * *, @daily and 0 3 * * MON-FRI are accepted', () => {
    for (const cron of ['*/5 * * * *', '@daily', '0 3 * * MON-FRI', '0 0 29 2 *'])
      validateSchedule({ cron, timezone: 'UTC' })
  })
})
