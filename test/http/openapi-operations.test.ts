import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { api } from '../../functions/routes/index.ts'
import { type ErrorCode, errorCatalog } from '../../lib/error-catalog.ts'
import type { AnyContract } from '../../lib/http/contract.ts'
import { createAsyncApiDocument } from '../../lib/http/openapi/asyncapi.ts'
import { createOpenApiDocument, operationId } from '../../lib/http/openapi/openapi.ts'
import { repliesOnlyJson } from '../../lib/http/replies/accept-header.ts'
import { isOpenAccess } from '../../lib/model/principal.ts'
import { inlineComponents } from '../support/inline-components.ts'

interface DescribedOperation {
  readonly operationId: string
  readonly description?: string
  readonly parameters?: readonly { in: string; name: string; example?: unknown }[]
  readonly requestBody?: {
    required: boolean
    content: Record<string, { schema: object; example?: unknown; examples?: object }>
  }
  readonly responses: Record<
    string,
    {
      description: string
      content?: Record<string, { schema: { $ref?: string }; example?: unknown }>
      headers?: Record<string, { required: boolean }>
    }
  >
}

const getTemplatePath = ({ path }: AnyContract) => path.replace(/:(\w+)/g, '{$1}')
const document = inlineComponents(createOpenApiDocument(api, { version: '1', url: '/' }))
const operations = api.map((contract) => {
  const item = document.paths?.[getTemplatePath(contract)] as Record<string, unknown> | undefined
  return {
    contract,
    described: item?.[contract.method.toLowerCase()] as DescribedOperation,
    name: operationId(contract),
  }
})

describe('operations of the OpenAPI document', () => {
  test('every OpenAPI operation documents its success statuses with their content types', () => {
    for (const { contract, described, name } of operations) {
      const { reply } = contract
      const expectedCodes = [
        String(reply.status),
        ...Object.keys(reply.otherStatuses ?? {}),
        ...(reply.etag ? ['304'] : []),
      ]
      const bodies = Object.keys(reply.otherStatuses ?? {}).filter((status) => Number(status) < 500)
      const successStatuses = Object.keys(described.responses).filter((status) => Number(status) < 400)
      assert.deepEqual(
        successStatuses.toSorted(),
        expectedCodes.filter((expectedCode) => Number(expectedCode) < 400).toSorted(),
        name,
      )
      for (const status of [String(reply.status), ...bodies]) {
        const types = Object.keys(described.responses[status]?.content ?? {})
        const isEmpty = reply.form === 'empty' || status === '204'
        const type = (reply.contentType ?? 'application/json').replace(/;.*/, '')
        assert.deepEqual(types, isEmpty ? [] : [type], `${name} ${status}`)
      }
    }
  })

  test('every OpenAPI operation documents its own and the common error codes under their statuses', () => {
    for (const { contract, described, name } of operations) {
      const { access, body, params, idempotent, reply, errors = [] } = contract
      const documentsError = (code: ErrorCode) => {
        const status = String(errorCatalog[code].status)
        return described.responses[status]?.description.includes(`\`${code}\``) ?? false
      }
      const isLimited = !isOpenAccess(access)
      const otherCodes: Partial<Record<ErrorCode, boolean>> = {
        HEADERS_TOO_LARGE: true,
        INTERNAL_ERROR: true,
        SERVICE_UNAVAILABLE: true,
        RATE_LIMITED: isLimited,
        INVALID_API_KEY: isLimited,
        INSUFFICIENT_PERMISSIONS: isLimited,
        AUTHENTICATION_REQUIRED: isLimited && access.anonymous !== true,
        UNSUPPORTED_MEDIA_TYPE: body !== undefined,
        IDEMPOTENCY_KEY_REUSED: idempotent === true,
        IDEMPOTENCY_IN_PROGRESS: idempotent === true,
        NOT_FOUND: params !== undefined,
        INVALID_REQUEST: params !== undefined || body !== undefined,
        INVALID_INPUT: [contract.query, body, idempotent].some((schema) => schema !== undefined),
        STORAGE_NOT_CONFIGURED: errors.includes('INSUFFICIENT_DISK_SPACE') || body?.files !== undefined,
        NOT_ACCEPTABLE: repliesOnlyJson(contract),
      }
      for (const code of new Set([...errors, ...(Object.keys(otherCodes) as ErrorCode[])])) {
        // A status that the contract defines itself has no error codes.
        const isOwn = errorCatalog[code].status in (reply.otherStatuses ?? {})
        const isExpected = errors.includes(code) || otherCodes[code] === true
        assert.equal(documentsError(code), isExpected && !isOwn, `${name} ${code}`)
      }
    }
  })

  test('the OpenAPI document describes errors as JSON and problem details, but those of OAuth endpoints as OAuth errors', () => {
    for (const { contract, described, name } of operations) {
      for (const [status, { content = {} }] of Object.entries(described.responses)) {
        if (Number(status) < 400 || status in (contract.reply.otherStatuses ?? {})) continue
        const { 'application/json': plainContent, ...others } = content
        const isOAuth = contract.errorFormat === 'oauth'
        assert.match(
          plainContent?.schema.$ref ?? '',
          isOAuth ? /\/OAuthError$/ : /\/Error$/,
          `${name} ${status}`,
        )
        assert.deepEqual(Object.keys(others), isOAuth ? [] : ['application/problem+json'], name)
      }
    }
  })

  test('every OpenAPI response documents the headers of its status and the rate-limit headers', () => {
    for (const { contract, described, name } of operations) {
      const { reply, idempotent = false, issuesIdentity = false } = contract
      for (const [status, { headers = {} }] of Object.entries(described.responses)) {
        const isSuccess = Number(status) < 400
        const ownHeaders = isSuccess && status !== '204' && status !== '304' ? (reply.headers ?? []) : []
        const isFirstRequestRunning = status === '409' && idempotent
        const expectedHeaders: Readonly<Record<string, boolean>> = {
          'x-request-id': true,
          'x-api-version': true,
          'x-ratelimit-limit': true,
          'x-ratelimit-remaining': true,
          'x-ratelimit-reset': true,
          'ratelimit-policy': true,
          ratelimit: true,
          etag: isSuccess && reply.etag === true && status !== '204',
          'idempotent-replayed': isSuccess && idempotent,
          'x-owner-token': isSuccess && (idempotent || issuesIdentity),
          'www-authenticate': status === '401' || status === '403',
          'accept-encoding': status === '415',
          'retry-after': status === '429' || status === '503' || isFirstRequestRunning,
          ...Object.fromEntries(ownHeaders.map((header) => [header, true])),
        }
        const presentHeaders = Object.keys(expectedHeaders).filter((header) => expectedHeaders[header])
        assert.deepEqual(Object.keys(headers).toSorted(), presentHeaders.toSorted(), `${name} ${status}`)
      }
    }
  })

  test('every OpenAPI operation documents its parameters and request body, and recorded examples are included', () => {
    for (const { contract, described, name } of operations) {
      const { body, idempotent, path, description } = contract
      const parameters = described.parameters ?? []
      const listParameterNames = (location: string) =>
        parameters.filter((parameter) => parameter.in === location).map((parameter) => parameter.name)
      assert.deepEqual(
        listParameterNames('path'),
        [...path.matchAll(/:(\w+)/g)].map(([, one]) => one),
        name,
      )
      assert.deepEqual(listParameterNames('header'), idempotent ? ['Idempotency-Key'] : [], name)
      assert.deepEqual(listParameterNames('query'), Object.keys(contract.query?.shape ?? {}), name)
      assert.equal(described.description, description, name)
      const kinds = {
        json: 'application/json',
        form: 'application/x-www-form-urlencoded',
        multipart: 'multipart/form-data',
      }
      assert.deepEqual(
        Object.keys(described.requestBody?.content ?? {}).toSorted(),
        (body?.accepts ?? []).map((kind) => kinds[kind]).toSorted(),
      )
      assert.equal(described.requestBody?.required, body && true, name)
      const shownExamples = described.requestBody?.content['application/json']?.examples
      assert.equal(Object.keys(shownExamples ?? {}).length, Object.keys(body?.examples ?? {}).length, name)
    }
    const recordedNames = {
      parameters: { jobId: 'job_1' },
      request: { 'application/json': { a: 1 } },
      responses: { 200: { b: 2 }, 404: { c: 3 } },
    }
    const examples = { getV1JobsJobId: recordedNames, postV1WebhooksWebhookIdTest: recordedNames }
    const { paths } = inlineComponents(createOpenApiDocument(api, { version: '1', url: '/', examples }))
    const wholeDocument = JSON.parse(JSON.stringify(paths)) as Record<
      string,
      Record<string, DescribedOperation>
    >
    const job = wholeDocument['/v1/jobs/{jobId}']?.['get']
    assert.deepEqual(job?.parameters?.find(({ name }) => name === 'jobId')?.example, 'job_1')
    assert.deepEqual(job?.responses['200']?.content?.['application/json']?.example, { b: 2 })
    assert.deepEqual(job?.responses['404']?.content?.['application/json']?.example, { c: 3 })
    assert.equal(job?.responses['500']?.content?.['application/json']?.example, undefined)
    const testWebhookOperation = wholeDocument['/v1/webhooks/{webhookId}/test']?.['post']
    assert.deepEqual(testWebhookOperation?.requestBody?.content['application/json']?.example, { a: 1 })
    assert.equal(testWebhookOperation?.operationId, 'postV1WebhooksWebhookIdTest')
  })

  test('the description of the OpenAPI document contains the maximum request size if there is one', () => {
    const createDocument = (maxBodyBytes?: number) =>
      createOpenApiDocument([], { version: '1.2', url: 'https://x', maxBodyBytes })
    assert.doesNotMatch(createDocument().info.description ?? '', /bytes/)
    assert.match(createDocument(123).info.description ?? '', /size is 123 bytes/)
    assert.deepEqual(
      [createDocument().info.version, createDocument().servers],
      ['1.2', [{ url: 'https://x' }]],
    )
  })
})

test('the AsyncAPI document contains its server and its operations with their channels and messages', () => {
  const { operations: asyncOperations, servers } = createAsyncApiDocument({
    version: '1',
    url: 'https://a.example/base',
  })
  assert.deepEqual(servers, { service: { host: 'a.example', pathname: '/base', protocol: 'wss' } })
  assert.deepEqual(createAsyncApiDocument({ version: '1', url: 'http://localhost:1' }).servers, {
    service: { host: 'localhost:1', protocol: 'ws' },
  })
  const seenOperations = Object.entries(asyncOperations).map(
    ([name, { action, channel, messages }]) =>
      `${name}: ${action} ${channel.$ref.replace('#/channels/', '')} ${messages.length}`,
  )
  const names = listMessages(asyncOperations.tellOfJob)
  assert.deepEqual(names, ['progress', 'error'])
  assert.ok(listMessages(asyncOperations.tellByWebhook).includes('job.completed'))
  assert.ok(listMessages(asyncOperations.tellByStream).includes('job-snapshot'))
  assert.deepEqual(
    seenOperations.map((seenOperation) => seenOperation.replace(/ \d+$/, '')),
    [
      'tellByWebhook: send webhooks',
      'tellByStream: send events',
      'tellUser: send user',
      'hearUser: receive user',
      'tellOfJob: send job',
    ],
  )
  function listMessages({ messages: all }: (typeof asyncOperations)['tellUser']): string[] {
    return all.map(({ $ref }) => $ref.slice($ref.lastIndexOf('/') + 1))
  }
})
