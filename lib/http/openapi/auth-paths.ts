import * as z from 'zod'
import type { ZodOpenApiPathsObject, ZodOpenApiResponseObject } from 'zod-openapi'
import type { AuthEndpoint } from '../../access/auth/endpoints/endpoint.ts'
import { authPath } from '../../access/session-auth.ts'
import { component } from '../../validation/component.ts'
import { defined } from '../../validation/defined.ts'
import { limitHeaderRefs } from './headers.ts'
import type { RecordedExample } from './recorded-example.ts'
import { ErrorBody, successDescriptions, toExample } from './responses.ts'

export const authTag = 'Sign-in'

const AuthError = component(
  'AuthError',
  z.object({
    code: z.string(),
    message: z.string(),
    details: z.record(z.string(), z.unknown()).optional(),
  }),
)

const createHeaderRef = (id: string) => ({ $ref: `#/components/headers/${id}` })
const commonHeaders = { 'x-request-id': createHeaderRef('RequestId'), ...limitHeaderRefs }
const rateLimitedHeaders = {
  ...commonHeaders,
  'retry-after': createHeaderRef('RetryWhenLimited'),
  'x-retry-after': {
    description: 'Same as `Retry-After`, for clients of better-auth',
    schema: { type: 'string' as const },
  },
}

/** Returns the error codes that every endpoint of this kind can return, by status. */
const getCommonErrors = ({ method, body, query, params, session }: AuthEndpoint) => ({
  ...((body ?? query ?? params) && { 400: ['INVALID_REQUEST', 'INVALID_INPUT'] }),
  401: ['INVALID_API_KEY', ...(session ? ['UNAUTHORIZED'] : [])],
  403: [
    ...(method === 'POST'
      ? ['INVALID_ORIGIN', 'MISSING_OR_NULL_ORIGIN', 'CROSS_SITE_NAVIGATION_LOGIN_BLOCKED']
      : []),
    ...(session === 'fresh' ? ['SESSION_NOT_FRESH'] : []),
  ],
  ...(method === 'POST' && { 413: ['FILE_TOO_LARGE'], 415: ['UNSUPPORTED_MEDIA_TYPE'] }),
  429: ['RATE_LIMITED'],
})

/** Creates the paths of better-auth's endpoints, whose replies have no envelope. */
export function createAuthPaths(
  endpoints: readonly AuthEndpoint[],
  examples: Readonly<Record<string, RecordedExample>> = {},
): ZodOpenApiPathsObject {
  const paths: ZodOpenApiPathsObject = {}
  for (const endpoint of endpoints) {
    const path = `${authPath}${endpoint.path.replace(/:(\w+)/g, '{$1}')}`
    paths[path] = {
      ...paths[path],
      [endpoint.method.toLowerCase()]: createOperation(endpoint, examples[getAuthOperationId(endpoint)]),
    }
  }
  return paths
}

export const getAuthOperationId = ({ method, path }: AuthEndpoint): string => {
  const words = `${authPath}${path}`.split(/\W+/).filter(Boolean)
  return `${method.toLowerCase()}${words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')}`
}

function createOperation(endpoint: AuthEndpoint, example: RecordedExample | undefined) {
  const { summary, description, params, query, body, session } = endpoint
  const content = body && { schema: body, ...toExample(example?.request?.['application/json']) }
  return {
    operationId: getAuthOperationId(endpoint),
    tags: [authTag],
    summary,
    description,
    security: session ? [{ session: [] }] : [],
    requestParams: defined({
      path: addExamples(params, example?.parameters),
      query: addExamples(query, example?.parameters),
    }),
    ...(content && {
      requestBody: {
        required: endpoint.isBodyOptional !== true,
        content: {
          'application/json': content,
          ...(endpoint.acceptsForms && { 'application/x-www-form-urlencoded': content }),
        },
      },
    }),
    responses: createResponses(endpoint, example?.responses),
  }
}

const addExamples = (schema: z.ZodObject | undefined, values: RecordedExample['parameters'] = {}) =>
  schema &&
  z.object(
    Object.fromEntries(
      Object.entries(schema.shape).map(([name, schema]: [string, z.ZodType]) => [
        name,
        name in values ? schema.meta({ ...schema.meta(), param: { example: values[name] } }) : schema,
      ]),
    ),
  )

function createResponses(
  endpoint: AuthEndpoint,
  examples: RecordedExample['responses'] = {},
): Record<string, ZodOpenApiResponseObject> {
  const { reply, redirect, errors = {} } = endpoint
  const knownErrors: Readonly<Record<string, readonly string[]>> = getCommonErrors(endpoint)
  const statuses = new Set([...Object.keys(knownErrors), ...Object.keys(errors)])
  const failures = [...statuses].map((status) => {
    const codes = [...new Set([...(errors[Number(status)] ?? []), ...(knownErrors[status] ?? [])])]
    return [status, createFailure(codes, status === '429' ? rateLimitedHeaders : commonHeaders)] as const
  })
  return {
    ...(reply && {
      200: {
        description: successDescriptions[200],
        headers: getSuccessHeaders(endpoint),
        content: createContent(reply, examples[200]),
      },
    }),
    ...(redirect !== undefined && {
      302: {
        description: redirect,
        headers: { ...commonHeaders, location: createHeaderRef('RedirectLocation') },
      },
    }),
    ...Object.fromEntries(failures.filter(([, { description }]) => description !== '')),
    500: {
      ...createFailure(['INTERNAL_ERROR']),
      content: createJsonContent(z.union([AuthError, ErrorBody])),
    },
    503: {
      ...createFailure(['SERVICE_UNAVAILABLE'], {
        ...commonHeaders,
        'retry-after': createHeaderRef('RetryWhenUnavailable'),
      }),
      content: createJsonContent(ErrorBody),
    },
  }
}

/** Returns the headers of a successful reply. better-auth names the page to open in the body and in a header. */
const getSuccessHeaders = ({ body }: AuthEndpoint) => ({
  ...commonHeaders,
  ...(body && 'callbackURL' in body.shape && { location: createHeaderRef('Location') }),
})

const createJsonContent = (schema: z.ZodType) => ({ 'application/json': { schema } })

const createContent = (reply: z.ZodType | 'page', example: unknown) =>
  reply === 'page'
    ? { 'text/html': { schema: z.string(), ...toExample(example) } }
    : { 'application/json': { schema: reply, ...toExample(example) } }

const createFailure = (
  codes: readonly string[],
  headers: ZodOpenApiResponseObject['headers'] = commonHeaders,
) => ({
  description: codes.map((code) => `\`${code}\``).join(', '),
  headers,
  content: createJsonContent(AuthError),
})
