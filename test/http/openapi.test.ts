import assert from 'node:assert/strict'
import { test } from 'node:test'
import { events } from '../../events/index.ts'
import { api } from '../../functions/routes/index.ts'
import { createOpenApiDocument } from '../../lib/http/openapi/openapi.ts'
import { inlineComponents } from '../support/inline-components.ts'

const { paths } = inlineComponents(createOpenApiDocument(api, { version: '1', url: '/' }))
/** Returns an operation of the OpenAPI document, with its references resolved. */
const findOperation = (path: string, method: string) => {
  const item: Record<string, unknown> = { ...paths?.[path] }
  return item[method] as
    | {
        responses: Record<string, { content?: object; headers?: Record<string, { required: boolean }> }>
        parameters?: { name: string }[]
        requestBody?: object
      }
    | undefined
}

test('the OpenAPI document contains an operation for every route, grouped by path', () => {
  for (const { method, path } of api) {
    const openApiPath = path.replace(/:(\w+)/g, '{$1}')
    assert.ok(findOperation(openApiPath, method.toLowerCase()), `${method} ${path}`)
  }
  const count = Object.values(paths ?? {}).reduce((sum, item) => sum + Object.keys(item).length, 0)
  assert.equal(count, api.length)
})

test('the OpenAPI operations to create and read a job document their success and error statuses', () => {
  const create = findOperation('/v1/jobs', 'post')
  assert.ok(create?.requestBody)
  assert.ok(create.parameters?.some(({ name }) => name === 'Idempotency-Key'))
  for (const status of ['202', '400', '409', '500', '503']) assert.ok(create.responses[status], status)
  assert.deepEqual(Object.keys(create.responses['400']?.content ?? {}), [
    'application/json',
    'application/problem+json',
  ])
  const read = findOperation('/v1/jobs/{jobId}', 'get')
  assert.equal(read?.requestBody, undefined)
  assert.ok(read?.responses['304'])
  assert.deepEqual(read?.responses['304']?.content, undefined)
})

test('the OpenAPI forms of /v1/convert and /v1/convert/merge have a file field and all fields of the JSON body', () => {
  for (const [path, file] of [
    ['/v1/convert', 'file'],
    ['/v1/convert/merge', 'file'],
  ] as const) {
    const { content } = JSON.parse(JSON.stringify(findOperation(path, 'post')?.requestBody))
    const fields = content['multipart/form-data'].schema.properties
    assert.ok(fields[file], path)
    for (const name of Object.keys(content['application/json']?.schema.properties ?? {}))
      assert.ok(fields[name], `${path} ${name}`)
  }
})

test('every tag of the OpenAPI document has a description and is used by an operation', () => {
  const { tags } = createOpenApiDocument(api, { version: '1', url: '/' })
  const names = new Set(api.map(({ tag }) => tag))
  for (const { name, description } of tags ?? []) {
    assert.ok(names.has(name as (typeof api)[number]['tag']), name)
    assert.ok(description, name)
  }
  assert.ok(tags?.some(({ description }) => /socket/i.test(description ?? '')))
})

test('the OpenAPI document names the header for the token of an anonymous client', () => {
  const { components, security } = createOpenApiDocument(api, { version: '1', url: '/' })
  const scheme = components?.securitySchemes?.['owner']
  assert.deepEqual(
    [scheme && 'name' in scheme && scheme.name, scheme && 'in' in scheme && scheme.in],
    ['x-owner-token', 'header'],
  )
  assert.deepEqual(security, [])
})

test('OpenAPI operations document their authentication methods and required scopes', () => {
  const getSecurity = (path: string, method: 'get' | 'post') => paths?.[path]?.[method]?.security
  assert.deepEqual(getSecurity('/v1/openapi.json', 'get'), [])
  assert.deepEqual(getSecurity('/v1/jobs', 'get'), [
    {},
    { owner: [] },
    { oauth: ['CONVERT_READ'] },
    { apiKey: [] },
    { bearer: [] },
    { session: [] },
  ])
  assert.deepEqual(getSecurity('/v1/api-keys', 'post'), [{ session: [] }])
  const getScopes = (path: string, method: 'get' | 'post') => paths?.[path]?.[method]?.['x-scopes']
  assert.deepEqual(getScopes('/v1/jobs', 'get'), ['CONVERT_READ'])
  assert.deepEqual(getScopes('/v1/api-keys', 'post'), ['ACCOUNT_MANAGE'])
  assert.equal(getScopes('/v1/openapi.json', 'get'), undefined)
  for (const status of ['401', '403', '429'])
    assert.ok(findOperation('/v1/jobs', 'get')?.responses[status], status)
})

test('replies in the OpenAPI document list their headers and which of them are required', () => {
  const getHeaders = (path: string, method: string, status: string) => {
    const headers = findOperation(path, method)?.responses[status]?.headers ?? {}
    const allHeaders = Object.entries(headers)
    return {
      all: allHeaders.map(([name]) => name),
      required: allHeaders.flatMap(([name, one]) => (one.required ? [name] : [])),
    }
  }
  const createdHeaders = getHeaders('/v1/convert', 'post', '202')
  for (const name of ['x-request-id', 'location', 'retry-after', 'preference-applied', 'x-owner-token'])
    assert.ok(createdHeaders.all.includes(name), name)
  assert.deepEqual(createdHeaders.required, [])
  assert.deepEqual(getHeaders('/v1/convert', 'post', '303').required, ['location'])
  assert.deepEqual(getHeaders('/v1/webhooks', 'post', '201').required, ['location'])
  assert.deepEqual(getHeaders('/v1/ws/tickets', 'post', '201').required, [])
  for (const status of ['200', '304'])
    assert.deepEqual(getHeaders('/v1/status/{jobId}', 'get', status).required, ['etag'])
  assert.deepEqual(getHeaders('/v1/jobs', 'get', '401').required, ['www-authenticate'])
  assert.deepEqual(getHeaders('/v1/jobs', 'post', '415').required, ['accept-encoding'])
  for (const status of ['429', '503'])
    assert.deepEqual(getHeaders('/v1/jobs', 'get', status).required, ['retry-after'])
  assert.ok(getHeaders('/v1/jobs', 'post', '409').all.includes('retry-after'))
  for (const path of ['/v1/plans', '/v1/formats', '/health'])
    assert.ok(getHeaders(path, 'get', '200').all.includes('ratelimit'), path)
  const jobListHeaders = getHeaders('/v1/jobs', 'get', '403')
  assert.ok(jobListHeaders.all.includes('www-authenticate') && jobListHeaders.required.length === 0)
})

test('the OpenAPI document contains the error statuses for invalid path parameters and idempotency keys', () => {
  for (const status of ['400', '404'])
    assert.ok(findOperation('/v1/status/{jobId}', 'get')?.responses[status])
  assert.ok(findOperation('/v1/cloud/{drive}/list', 'get')?.responses['404'])
  assert.ok(findOperation('/v1/ws/tickets', 'post')?.responses['400'])
})

test('every event is in the OpenAPI document as a webhook request', () => {
  const { webhooks, components } = inlineComponents(createOpenApiDocument(api, { version: '1', url: '/' }))
  assert.deepEqual(Object.keys(webhooks ?? {}), Object.keys(events))
  // Generated clients name their methods after these ids.
  const ids = Object.values(webhooks ?? {}).map(
    (item) => (item as { post?: { operationId?: string } }).post?.operationId,
  )
  assert.deepEqual(ids.slice(0, 2), ['on-job-created', 'on-job-queued'])
  assert.equal(new Set(ids).size, Object.keys(events).length)
  const { post } = JSON.parse(JSON.stringify(webhooks?.['job.failed']))
  const { schema: reference, example } = post.requestBody.content['application/json']
  const { schemas } = JSON.parse(JSON.stringify(components))
  const schema = schemas[reference.$ref.replace('#/components/schemas/', '')]
  assert.equal(schema.properties.event.const, 'job.failed')
  assert.ok(schema.required.includes('sequence') && schema.properties.job)
  assert.equal(example.event, 'job.failed')
  const names = post.parameters.map(({ name }: { name: string }) => name)
  for (const name of ['X-Webhook-Signature', 'webhook-id', 'webhook-signature'])
    assert.ok(names.includes(name))
})
