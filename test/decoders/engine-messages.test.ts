import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EngineMessage, fitWarning } from '../../lib/decoders/engine-messages.ts'

test('a long engine warning is shortened to the length that the service accepts', () => {
  const pages = Array.from({ length: 2000 }, (_, at) => 2 * at + 1).join(',')
  const warning = (message: string) => ({ type: 'warning', code: 'OCR_USED', message })
  assert.ok(!EngineMessage.safeParse(warning(pages)).success)
  const message = fitWarning(pages)
  assert.ok(EngineMessage.safeParse(warning(message)).success)
  assert.match(message, /^1,3,5,.*…$/)
  assert.equal(fitWarning('1,3,5'), '1,3,5')
})
