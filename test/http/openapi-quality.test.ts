import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Validator } from '@seriousme/openapi-schema-validator'
import { Ajv2020 } from 'ajv/dist/2020.js'
import recordedExamples from '../../functions/routes/examples.json' with { type: 'json' }
import { api } from '../../functions/routes/index.ts'
import { authEndpoints } from '../../lib/access/auth/endpoints/index.ts'
import { engines } from '../../lib/engines/index.ts'
import { createOpenApiDocument } from '../../lib/http/openapi/openapi.ts'
import { securitySchemes } from '../../lib/http/openapi/security.ts'
import { taskOperations } from '../../lib/tasks/index.ts'
import { getTaskSchemaName } from '../../lib/tasks/reference.ts'
import { inlineComponents } from '../support/inline-components.ts'

interface Media {
  readonly schema?: object
  readonly example?: unknown
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>
}
type Content = Readonly<Record<string, Media>>
interface Operation {
  readonly operationId: string
  readonly summary?: string
  readonly description?: string
  readonly tags?: readonly string[]
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[]
  readonly parameters?: readonly (Media & { readonly name: string })[]
  readonly requestBody?: { readonly content: Content }
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>
}

/** The document as the service sends it. */
const sentDocument = JSON.stringify(
  createOpenApiDocument(api, {
    version: '1',
    url: 'https://convert.example.com',
    examples: recordedExamples,
    engines,
    authEndpoints,
  }),
)
const document = inlineComponents(JSON.parse(sentDocument))
const operations: readonly Operation[] = Object.values(document.paths).flatMap((path) =>
  Object.values(path as object),
)
const getExamples = ({ example, examples = {} }: Media) => [
  ...(example === undefined ? [] : [example]),
  ...Object.values(examples).map(({ value }) => value),
]

/** A URI has only these characters (RFC 3986, 2). */
const isUri = (text: string) => /^[\w.~:/?#[\]@!$&'()*+,;=%-]+$/.test(text) && URL.canParse(text)

describe('quality of the OpenAPI document', () => {
  test('the OpenAPI document is valid according to the OpenAPI schema', async () => {
    const { valid, errors } = await new Validator().validate(JSON.parse(sentDocument))
    assert.ok(valid, JSON.stringify(errors))
    const brokenDocument = { ...JSON.parse(sentDocument), info: {} }
    assert.equal((await new Validator().validate(brokenDocument)).valid, false)
  })

  test('the OpenAPI document is smaller than 1 MB', () => {
    assert.ok(sentDocument.length > 100_000 && sentDocument.length < 1_000_000, String(sentDocument.length))
  })

  test('every operation in the OpenAPI document has a description, declared tags and declared scopes', () => {
    const tags = new Set(document.tags.map(({ name }: { name: string }) => name))
    const { scopes } = securitySchemes('/').oauth.flows.clientCredentials
    for (const { operationId, summary, description, tags: usedTags = [], security = [] } of operations) {
      assert.ok(summary && description, `${operationId} without a description`)
      assert.ok(usedTags.length > 0 && usedTags.every((tag) => tags.has(tag)), `${operationId} ${usedTags}`)
      const usedScopes = security.flatMap(({ oauth = [] }) => oauth)
      assert.deepEqual(
        usedScopes.filter((scope) => !(scope in scopes)),
        [],
        operationId,
      )
    }
    assert.equal(
      new Set(operations.map(({ operationId }) => operationId)).size,
      api.length + authEndpoints.length,
    )
  })

  test('the JSON examples in the OpenAPI document match their schemas', () => {
    const ajv = new Ajv2020({
      strict: false,
      logger: false,
      formats: { uri: isUri, 'date-time': (text: string) => !Number.isNaN(Date.parse(text)) },
    })
    ajv.addSchema(document, 'openapi')
    let count = 0
    const check = (media: Media, location: string) => {
      const examples = getExamples(media)
      if (!media.schema || examples.length === 0) return
      const text = JSON.stringify(media.schema).replaceAll('"#/components/', '"openapi#/components/')
      const isValid = ajv.compile(JSON.parse(text))
      for (const example of examples) {
        count += 1
        assert.ok(isValid(example), `${location}: ${ajv.errorsText(isValid.errors)}`)
      }
    }
    for (const { operationId, parameters = [], requestBody, responses } of operations) {
      for (const parameter of parameters) check(parameter, `${operationId} ${parameter.name}`)
      for (const [type, media] of Object.entries(requestBody?.content ?? {}))
        if (type === 'application/json') check(media, `${operationId} body`)
      for (const [status, { content = {} }] of Object.entries(responses))
        for (const media of Object.values(content)) check(media, `${operationId} ${status}`)
    }
    assert.ok(count > 150, String(count))
  })
})

test('the OpenAPI schema of each task contains the options of its operation', () => {
  const { schemas } = document.components
  for (const { name, kind, alias } of taskOperations) {
    const id = getTaskSchemaName(name)
    const { allOf = [], properties } = schemas[id]
    assert.equal('continue_on_error' in properties, kind !== 'export', name)
    assert.deepEqual(properties.operation.enum ?? [properties.operation.const], [
      name,
      ...(alias ? [alias] : []),
    ])
    const [reference] = allOf
    assert.equal(reference !== undefined, kind === 'process', name)
    if (!reference) continue
    assert.equal(properties.options.$ref, reference.$ref, name)
    const options = schemas[reference.$ref.replace('#/components/schemas/', '')].properties
    assert.ok(Object.keys(options).length > 0, name)
  }
  assert.deepEqual(Object.keys(schemas.ThumbnailOptions.properties), [
    ...['width', 'height', 'fit', 'quality', 'timestamp', 'count', 'password'],
  ])
  // One enum has the codecs of all containers.
  const { codec, quality, pdfEngine, rotate } = schemas.ConvertOptions.properties
  for (const id of ['h264', 'vp9']) assert.ok(codec.enum.includes(id), id)
  assert.ok(quality.anyOf)
  assert.equal(rotate.type, undefined)
  for (const angle of [90, 180]) assert.ok(rotate.enum.includes(angle), String(angle))
  assert.deepEqual(pdfEngine.enum, ['auto'])
})

test('GET /v1 links to every resource of the OpenAPI document', async () => {
  const { getVersion } = await import('../../functions/routes/get-version.ts')
  const { data } = await getVersion.handle({} as never, {} as never) // uses neither
  const getRootPath = (path: string) => path.split('/').slice(0, 3).join('/')
  const links = Object.values(data.links)
  const roots = new Set(links.map(getRootPath))
  const paths = Object.keys(document.paths)
  for (const path of paths)
    if (path !== '/v1') assert.ok(roots.has(getRootPath(path)), `no link to ${getRootPath(path)}`)
  assert.deepEqual(
    links.filter((link) => !paths.includes(link)),
    ['/docs'],
  )
})
