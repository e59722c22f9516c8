import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { generatedFiles, makeTypes } from '../../lib/client/make-types.ts'

test('the types of the client are those of the contracts', async () => {
  const { types, facts } = await makeTypes()
  const hint = 'Run `node lib/client/make-types.ts`, and look whether the client wants what has changed.'
  assert.ok((await readFile(generatedFiles.types, 'utf8')) === types, `The API has changed. ${hint}`)
  assert.ok((await readFile(generatedFiles.facts, 'utf8')) === facts, `The API has changed. ${hint}`)
})
