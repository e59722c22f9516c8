import * as z from 'zod'
import { createDocument, type ZodOpenApiOperationObject, type ZodOpenApiPathsObject } from 'zod-openapi'
import { ownerCookie, ownerHeader } from '../../access/anonymous.ts'
import { accountReference } from '../../access/reference.ts'
import { type ErrorCode, errorCatalog } from '../../error-catalog.ts'
import { liveReference } from '../../live/reference.ts'
import { defined } from '../../validation/defined.ts'
import { largeFileHint } from '../body/body-limit.ts'
import type { AnyContract, BodyKind } from '../contract.ts'
import { idempotencyKeyDescription } from '../idempotency.ts'
import { repliesOnlyJson } from '../replies/accept-header.ts'
import { errorTitle } from '../replies/envelope.ts'
import { openApiHeaders } from './headers.ts'
import { accessErrors, securityOf, securitySchemes } from './security.ts'
import { openApiWebhooks } from './webhooks.ts'

const mediaTypes: Readonly<Record<BodyKind, string>> = {
  json: 'application/json',
  form: 'application/x-www-form-urlencoded',
  multipart: 'multipart/form-data',
}

const MetaSchema = z.object({ requestId: z.string(), timestamp: z.iso.datetime() }).meta({ id: 'Meta' })

const ErrorSchema = z
  .object({
    success: z.literal(false),
    error: z.object({
      code: z.string(),
      message: z.string(),
      details: z.record(z.string(), z.unknown()).optional(),
    }),
    meta: MetaSchema,
  })
  .meta({ id: 'Error' })

const OAuthErrorSchema = z
  .object({ error: z.string().describe('For example `invalid_client`'), error_description: z.string() })
  .meta({ id: 'OAuthError' })

const ProblemSchema = z
  .looseObject({
    type: z.string().describe('URL of a page about the error'),
    title: z.string(),
    status: z.int(),
    detail: z.string(),
    instance: z.string(),
    code: z.string(),
    errors: z.array(z.object({ field: z.string(), error: z.string() })).optional(),
    requestId: z.string(),
  })
  .meta({ id: 'Problem' })

/** Recorded example of an operation: request bodies by media type, replies by status. */
export interface RecordedExample {
  readonly parameters?: Readonly<Record<string, unknown>>
  readonly request?: Readonly<Record<string, unknown>>
  readonly responses: Readonly<Record<string, unknown>>
}

interface DocumentInfo {
  readonly version: string
  readonly url: string
  /** Size limit of a request. */
  readonly maxBodyBytes?: number | undefined
  /** By operation id. */
  readonly examples?: Readonly<Record<string, RecordedExample>>
}

/** Creates the OpenAPI 3.1 document from the contracts; everything in the document comes from a contract. */
export function openApiDocument(contracts: readonly AnyContract[], info: DocumentInfo) {
  const paths: ZodOpenApiPathsObject = {}
  for (const contract of contracts) {
    const path = contract.path.replace(/:(\w+)/g, '{$1}')
    const example = info.examples?.[operationId(contract)]
    paths[path] = { ...paths[path], [contract.method.toLowerCase()]: operation(contract, example) }
  }
  const document = createDocument({
    openapi: '3.1.0',
    info: {
      title: 'Mutabor',
      version: info.version,
      description:
        'Converts files. Send a file and a target format to `POST /v1/convert`, poll the job, download the result. ' +
        `The reply to the first request that creates something contains an anonymous identity, as the cookie \`${ownerCookie}\` and the header \`${ownerHeader}\`. Send either with later requests, and ` +
        '`GET /v1/jobs` lists your jobs. With `Accept: application/problem+json` errors are RFC 9457 problem details. ' +
        'Request bodies may have the `Content-Encoding` gzip, deflate, br or zstd, except forms with files.' +
        limitOf(info),
    },
    servers: [{ url: info.url }],
    tags: [
      { name: 'Live', description: liveReference },
      { name: 'Account', description: accountReference },
    ],
    paths,
    webhooks: openApiWebhooks(),
    components: {
      securitySchemes,
    },
    security: [],
  })
  for (const operation of Object.values(document.paths ?? {}).flatMap((methods) => Object.values(methods)))
    exemplify(operation, info.examples)
  return document
}

const limitOf = ({ maxBodyBytes: max }: DocumentInfo): string =>
  max === undefined
    ? ''
    : ` The maximum request size is ${max} bytes; larger requests are rejected with \`FILE_TOO_LARGE\` (413). ${largeFileHint}.`

/** Adds example values to the parameters, which are generated from schemas. */
function exemplify(
  operation: { readonly operationId?: string; readonly parameters?: readonly object[] },
  examples: DocumentInfo['examples'],
): void {
  const known = examples?.[operation.operationId ?? '']?.parameters ?? {}
  for (const parameter of operation.parameters ?? []) {
    if ('name' in parameter && String(parameter.name) in known)
      Object.assign(parameter, { example: known[String(parameter.name)] })
  }
}

const KeyHeader = z.object({
  'Idempotency-Key': z.string().min(1).max(255).optional().describe(idempotencyKeyDescription),
})

function operation(contract: AnyContract, example: RecordedExample | undefined): ZodOpenApiOperationObject {
  const params = {
    ...(contract.params && { path: contract.params }),
    ...(contract.query && { query: contract.query }),
    ...(contract.idempotent && { header: KeyHeader }),
  }
  return {
    operationId: operationId(contract),
    tags: [contract.tag],
    summary: contract.summary,
    ...(contract.description && { description: contract.description }),
    security: securityOf(contract.access),
    ...(Object.keys(params).length > 0 && { requestParams: params }),
    ...defined({
      requestBody: contract.body && { required: true, content: bodyContent(contract.body, example) },
    }),
    responses: { ...successes(contract, example), ...failures(contract, example) },
  }
}

export const operationId = ({ method, path }: AnyContract) =>
  `${method.toLowerCase()}${path.replace(/(?<![:/.-])[:/.-]+(\w)/g, (_, character: string) => character.toUpperCase()).replace(/\W/g, '')}`

function bodyContent(body: NonNullable<AnyContract['body']>, example: RecordedExample | undefined) {
  return Object.fromEntries(
    body.accepts.map((kind) => [
      mediaTypes[kind],
      {
        schema: kind === 'multipart' ? withFiles(body) : (body.reference ?? body.schema),
        ...(kind === 'json' && body.examples
          ? { examples: examplesOf(body.examples) }
          : exampleOf(example?.request?.[mediaTypes[kind]])),
      },
    ]),
  )
}

const examplesOf = (examples: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(
    Object.entries(examples).map(([summary, value]) => [nameOf(summary), { summary, value }]),
  )

const exampleOf = (value: unknown) => (value === undefined ? {} : { example: value })

const nameOf = (summary: string) => summary.toLowerCase().replace(/\W+/g, '-')

function withFiles(body: NonNullable<AnyContract['body']>): z.ZodType {
  const parts = Object.entries(body.files ?? {}).map(([name, description]) => [
    name,
    // Optional, because an upload can replace any of them.
    z.file().optional().describe(description),
  ])
  const schema: z.ZodType = body.schema
  return schema instanceof z.ZodObject ? schema.extend(Object.fromEntries(parts)) : schema
}

function successes(contract: AnyContract, example: RecordedExample | undefined) {
  const { reply, summary } = contract
  const contentOf = (status: number | string) => {
    if (reply.form === 'empty' || Number(status) === 204) return {}
    const type = reply.contentType?.split(';')[0] ?? 'application/json'
    return { content: { [type]: { schema: bodyOf(reply), ...exampleOf(example?.responses[status]) } } }
  }
  const also = Object.entries(reply.otherStatuses ?? {}).map(([status, description]) => [
    status,
    { description, headers: openApiHeaders(contract, Number(status)), ...contentOf(status) },
  ])
  return {
    [String(reply.status)]: {
      description: summary,
      headers: openApiHeaders(contract, reply.status),
      ...contentOf(reply.status),
    },
    ...Object.fromEntries(also),
    ...(reply.etag && {
      304: {
        description: 'Not modified since the ETag of `If-None-Match`',
        headers: openApiHeaders(contract, 304),
      },
    }),
  }
}

function bodyOf({ form, schema }: AnyContract['reply']): z.ZodType {
  const envelope = { success: z.literal(true), data: schema, meta: MetaSchema }
  if (form === 'raw' || form === 'stream') return schema
  return form === 'mirrored' && schema instanceof z.ZodObject ? schema.extend(envelope) : z.object(envelope)
}

const idempotencyErrors = ['IDEMPOTENCY_IN_PROGRESS', 'IDEMPOTENCY_KEY_REUSED', 'INVALID_INPUT'] as const
/** Errors of a path whose escapes are not UTF-8, or with an unknown id. */
const pathErrors = ['INVALID_REQUEST', 'NOT_FOUND'] as const
const bodyErrors = ['INVALID_INPUT', 'INVALID_REQUEST', 'UNSUPPORTED_MEDIA_TYPE'] as const
const fileErrors = ['FILE_TOO_LARGE', 'INSUFFICIENT_DISK_SPACE', 'STORAGE_NOT_CONFIGURED'] as const

const failureContent = (example: unknown, form: AnyContract['errorFormat']) => ({
  'application/json': {
    schema: form === 'oauth' ? OAuthErrorSchema : ErrorSchema,
    ...exampleOf(example),
  },
  ...(form === undefined && { 'application/problem+json': { schema: ProblemSchema } }),
})

/** Codes of one status share its description. */
function failures(contract: AnyContract, example: RecordedExample | undefined) {
  const codes: readonly ErrorCode[] = [
    ...(contract.errors ?? []),
    ...accessErrors(contract.access),
    ...(contract.idempotent ? idempotencyErrors : []),
    ...(contract.params ? pathErrors : []),
    ...(contract.body ? bodyErrors : []),
    ...(contract.body?.files ? fileErrors : []),
    ...(contract.query ? (['INVALID_INPUT'] as const) : []),
    ...(repliesOnlyJson(contract) ? (['NOT_ACCEPTABLE'] as const) : []),
    // An endpoint that needs disk space for files needs storage too.
    ...(contract.errors?.includes('INSUFFICIENT_DISK_SPACE') ? (['STORAGE_NOT_CONFIGURED'] as const) : []),
    ...(['HEADERS_TOO_LARGE', 'INTERNAL_ERROR', 'SERVICE_UNAVAILABLE'] as const),
  ]
  // A status that the contract describes itself keeps that description.
  const statuses = [...new Set(codes.map((code) => errorCatalog[code].status))].filter(
    (status) => !(status in (contract.reply.otherStatuses ?? {})),
  )
  return Object.fromEntries(
    statuses.map((status) => {
      const ofStatus = [...new Set(codes)].filter((code) => errorCatalog[code].status === status)
      const description = ofStatus.map((code) => `\`${code}\` ${errorTitle(code)}`).join('; ')
      return [
        String(status),
        {
          description,
          headers: openApiHeaders(contract, status),
          content: failureContent(example?.responses[status], contract.errorFormat),
        },
      ]
    }),
  )
}
