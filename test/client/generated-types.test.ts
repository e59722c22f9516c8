import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { generatedFiles, makeTypes } from '../../lib/client/make-types.ts'

test('the generated client types match the API contracts', async () => {
  const { types, facts, options } = await makeTypes()
  const hint = 'Run `node lib/client/make-types.ts` and check whether the client needs changes.'
  assert.ok((await readFile(generatedFiles.types, 'utf8')) === types, `The API has changed. ${hint}`)
  assert.ok((await readFile(generatedFiles.facts, 'utf8')) === facts, `The API has changed. ${hint}`)
  const optionTypes = await readFile(generatedFiles.options, 'utf8')
  assert.ok(optionTypes === options, `Options have changed. ${hint}`)
})
