import assert from 'node:assert/strict'
import { test } from 'node:test'
import asyncapi from '@asyncapi/specs'
import { Ajv } from 'ajv'
import { createAsyncApiDocument } from '../../lib/http/openapi/asyncapi.ts'

const createDocument = (url?: string) => createAsyncApiDocument({ version: '1', url })

test('the AsyncAPI document is valid according to the AsyncAPI schema', () => {
  const ajv = new Ajv({
    strict: false,
    logger: false,
    formats: { uri: true, 'uri-reference': true, email: true },
  })
  const schema = structuredClone(asyncapi.schemas['3.0.0']) as { definitions: Record<string, unknown> }
  // The validator already contains this schema.
  delete schema.definitions['http://json-schema.org/draft-07/schema']
  const isValid = ajv.compile(schema)
  for (const url of [undefined, 'http://localhost:8080', 'https://convert.example.com/base']) {
    const document = JSON.parse(JSON.stringify(createDocument(url)))
    assert.ok(isValid(document), ajv.errorsText(isValid.errors))
  }
  const brokenDocument = {
    ...JSON.parse(JSON.stringify(createDocument())),
    operations: { x: { action: 'shout' } },
  }
  assert.equal(isValid(brokenDocument), false)
})

test('every reference in the AsyncAPI document can be resolved', () => {
  const document = JSON.parse(JSON.stringify(createDocument()))
  const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)].map(
    ([, path = '']) => path,
  )
  assert.ok(references.length > 50)
  for (const path of references) {
    const foundReference = path.split('/').reduce((node, name) => node?.[name], document)
    assert.ok(foundReference, path)
  }
})
