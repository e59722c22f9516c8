import assert from 'node:assert/strict'
import { test } from 'node:test'
import { describeKeptContent } from '../../functions/web/sections/convert/describe-fidelity.ts'

const createCompleteCount = (count: number) => ({ source: count, result: count, share: 1 })
const describeCounts = (counts: Partial<Parameters<typeof describeKeptContent>[0]>) =>
  describeKeptContent({ dropped: [], ...counts })

test('a complete duration is described as the full length', () => {
  assert.equal(describeCounts({ seconds: createCompleteCount(1) }), 'Full length kept (1\u00a0s).')
  assert.equal(describeCounts({ seconds: createCompleteCount(185.2) }), 'Full length kept (3:05\u00a0min).')
})

test('completely kept words and partly kept links are described in a sentence each', () => {
  const links = { source: 1000, result: 999, share: 0.999 }
  assert.equal(
    describeCounts({ words: createCompleteCount(1204), links }),
    'All 1,204\u00a0words kept. 999 of 1,000\u00a0links kept (99%).',
  )
  assert.equal(describeCounts({ pages: createCompleteCount(1) }), '1\u00a0page kept.')
})
