import assert from 'node:assert/strict'
import { test } from 'node:test'
import { calculateRatioToAim, Report } from './report.ts'

const figure = { what: 'one client', unit: 'ms' }

test('the ratio of a benchmark result to its minimum or maximum target is above 1 if the result misses the target', () => {
  assert.equal(calculateRatioToAim({ ...figure, value: 50, aim: { most: 40 } }), 1.25)
  assert.equal(calculateRatioToAim({ ...figure, value: 40, aim: { least: 50 } }), 1.25)
  assert.equal(calculateRatioToAim({ ...figure, value: 50, aim: { least: 40 } }), 0.8)
  assert.equal(calculateRatioToAim({ ...figure, value: 50 }), undefined)
})

test('a benchmark target of zero is met by 0 and missed by 1', () => {
  assert.equal(calculateRatioToAim({ ...figure, value: 0, aim: { most: 0 } }), 1)
  assert.equal(calculateRatioToAim({ ...figure, value: 1, aim: { most: 0 } }), Infinity)
})

test('a missed benchmark target is marked in its line and listed at the end of the report', () => {
  const lines: string[] = []
  const report = new Report((line) => lines.push(line))
  report.title('PNG')
  report.figure({ ...figure, value: 50, aim: { most: 40 } })
  report.figure({ ...figure, what: 'memory', value: 50, unit: 'MiB' })
  report.figure({ ...figure, what: 'eight clients', value: 40, aim: { most: 40 } })
  report.summary()
  assert.match(lines[1] ?? '', /one client +50\.0 ms +≤ 40\.0 ms +1\.25 MISSED/)
  assert.match(lines[2] ?? '', /memory +50\.0 MiB$/)
  assert.match(lines[3] ?? '', /1\.00 held/)
  assert.deepEqual(lines.slice(4), ['\n1 of 2 aims are held.', '  MISSED  PNG: one client, 1.25'])
})
