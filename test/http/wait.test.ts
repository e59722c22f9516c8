import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseWaitS } from '../../lib/access/job-access.ts'

const waitCases: [prefer: string | undefined, leftMs: number, waitS: number | undefined][] = [
  [undefined, 29_000, undefined],
  ['respond-async', 29_000, undefined],
  ['wait=5', 28_990, 5],
  ['respond-async, wait=100', 28_990, 25],
  ['Respond-Async,Wait=7', 28_990, 7],
  ['await=7', 28_990, undefined],
  ['wait=25', 12_000, 10],
  ['wait=25', 1000, 0],
]
for (const [prefer, leftMs, waitS] of waitCases) {
  const outcome = waitS === undefined ? 'a request does not wait' : `a request waits up to ${waitS} s`
  const header = prefer === undefined ? 'no Prefer header' : `"Prefer: ${prefer}"`
  test(`${outcome} with ${header} and ${leftMs} ms until its timeout`, () => {
    assert.equal(parseWaitS({ headers: { prefer }, remainingMs: () => leftMs }), waitS)
  })
}
