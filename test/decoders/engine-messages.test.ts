import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EngineMessage, truncateWarning } from '../../lib/decoders/engine-messages.ts'
import { describeNames, describePages } from '../../lib/model/warning-details.ts'

test('a long engine warning is shortened to the length that the service accepts', () => {
  const pages = Array.from({ length: 2000 }, (_, at) => 2 * at + 1).join(',')
  const warning = (message: string) => ({ type: 'warning', code: 'OCR_USED', message })
  assert.ok(!EngineMessage.safeParse(warning(pages)).success)
  const message = truncateWarning(pages)
  assert.ok(EngineMessage.safeParse(warning(message)).success)
  assert.match(message, /^1,3,5,.*…$/)
  assert.equal(truncateWarning('1,3,5'), '1,3,5')
})

test('the details of an engine warning are accepted only if their numbers and names are within the limits', () => {
  const isAccepted = (details: unknown) =>
    EngineMessage.safeParse({ type: 'warning', code: 'FONTS_SUBSTITUTED', message: '', details }).success
  const names = Array.from({ length: 2000 }, (_, at) => `${at}`.padEnd(300, '\u{1F5A8}'))
  const fittingDetails = describeNames(names)
  assert.equal(fittingDetails.count, 2000)
  assert.ok(isAccepted(fittingDetails))
  assert.ok(isAccepted(describePages([1, 3], '1,3')))
  assert.deepEqual(describePages([1, 3], '1,'.repeat(101)), { count: 2 })
  for (const details of [
    { names: Array(11).fill('a') },
    { names: ['a'.repeat(101)] },
    { pages: '1,'.repeat(101) },
    { count: -1 },
    { count: '1' },
    { share: 2 },
    { kept: {} },
  ])
    assert.ok(!isAccepted(details), JSON.stringify(details))
})
