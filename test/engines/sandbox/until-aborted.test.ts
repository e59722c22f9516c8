import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { rejectWhenAborted } from '../../../lib/engines/sandbox/until-aborted.ts'

test('engine work that fails after an abort causes no unhandled rejection', async (t) => {
  const unhandledRejections: unknown[] = []
  const recordError = (error: unknown) => unhandledRejections.push(error)
  const listenersBefore = process.listeners('unhandledRejection')
  process.removeAllListeners('unhandledRejection').on('unhandledRejection', recordError)
  t.after(() => {
    process.off('unhandledRejection', recordError)
    for (const listener of listenersBefore) process.on('unhandledRejection', listener)
  })
  for (const isEarly of [true, false]) {
    const abort = new AbortController()
    const pending = Promise.withResolvers<never>()
    if (isEarly) abort.abort(new Error('cancelled'))
    const waitingWork = assert.rejects(rejectWhenAborted(pending.promise, abort.signal), /cancelled/)
    abort.abort(new Error('cancelled'))
    await waitingWork
    pending.reject(new Error('ended'))
    await nextTurn()
  }
  assert.deepEqual(unhandledRejections, [])
})
