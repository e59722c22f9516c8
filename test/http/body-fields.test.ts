import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as z from 'zod'
import { parseBodyFields } from '../../lib/http/body/body-fields.ts'

const schema = z.strictObject({
  expiresIn: z.int().max(9).optional(),
  client_id: z.string().optional(),
  items: z.array(z.int()).optional(),
})

test('fields of a request body may be written in snake_case', () => {
  assert.deepEqual(parseBodyFields(schema, { expires_in: 5 }), { expiresIn: 5 })
  assert.deepEqual(parseBodyFields(schema, { expiresIn: 5, client_id: 'a' }), {
    expiresIn: 5,
    client_id: 'a',
  })
})

test('an error about a field of a request body spells the field as the client did', () => {
  const getInvalidField = (value: unknown) => {
    try {
      return parseBodyFields(schema, value)
    } catch (error) {
      return (error as { details: { field: string } }).details.field
    }
  }
  assert.equal(getInvalidField({ expires_in: 10 }), 'expires_in')
  assert.equal(getInvalidField({ expiresIn: 10 }), 'expiresIn')
  assert.equal(getInvalidField({ items: [1, 'a'] }), 'items.1')
  assert.equal(getInvalidField({ expiresIn: 5, expires_in: 5 }), 'expires_in', 'both spellings of one field')
  assert.equal(getInvalidField([]), 'body')
})

test('option names in a request body keep their snake_case', () => {
  const open = z.object({ targetFormat: z.string() }).catchall(z.unknown())
  const options = { target_format: 'jpg', color_space: 'gray', __proto__: null }
  assert.deepEqual(parseBodyFields(open, { ...options }), { targetFormat: 'jpg', color_space: 'gray' })
})
