/** Compares the registry with recorded results; it runs no conversion. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { candidates, conversions } from '../plan/with-all-engines.ts'
import { getPairKey, isProven, readResults } from './results.ts'

const allPairs = conversions()
const lines = await readResults()

/** Returns the command that runs the missing conversions. */
function command(pairs: readonly { readonly from: string }[]): string {
  const sources = [...new Set(pairs.map(({ from }) => from))]
  return `npm run conformance -- --from ${sources.join(',')}`
}

test('every registered conversion has a recorded success with its current route', () => {
  const missingPairs = allPairs.filter((pair) => !isProven(pair, lines))
  const list = missingPairs.slice(0, 20).map(({ from, to }) => {
    const line = lines.get(getPairKey({ from, to }))
    return `  ${from} to ${to}: ${line ? line.seen : 'never ran'}`
  })
  const text = `${missingPairs.length} of ${allPairs.length} pairs, among them\n${list.join('\n')}\n  ${command(missingPairs)}`
  assert.equal(missingPairs.length, 0, text)
})

test('the registry has at least 10,900 conversions', () => {
  assert.ok(allPairs.length >= 10_900, `${allPairs.length} pairs`)
})

test('conformance results are stored only for registered conversions', () => {
  const listedKeys = new Set(candidates().map(getPairKey))
  const staleLines = [...lines.values()].filter((line) => !listedKeys.has(getPairKey(line)))
  assert.deepEqual(staleLines.map(getPairKey), [], 'npm run conformance without a choice drops them')
})
