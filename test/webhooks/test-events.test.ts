import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as z from 'zod'
import { createExampleOnBus } from '../../events/examples/index.ts'
import { eventNames, eventSchema } from '../../events/index.ts'
import { addResultLinks } from '../../lib/links/result-links.ts'

const link = ({ id }: { readonly id: string }, query: Readonly<Record<string, string>> = {}) =>
  `https://service.test/v1/download/${id}?${new URLSearchParams({ ...query, exp: '1', kid: '2', sig: 'signature' })}`

test('a test event matches the schema of its event, and each of its links has one signature', () => {
  for (const name of eventNames) {
    const event = addResultLinks({ ...createExampleOnBus(name), test: true as const }, link)
    const { success, error } = z.strictObject(eventSchema(name).shape).safeParse(event)
    assert.ok(success, `${name}: ${error?.message}`)
    const urls = JSON.stringify(event).match(/https:[^"]+/g) ?? []
    assert.equal(urls.length, name === 'job.completed' ? 2 : 0, name)
    for (const url of urls) assert.match(url, /\?exp=1&kid=2&sig=signature$/)
  }
})
