import * as z from 'zod'
import { createDocument, type ZodOpenApiOperationObject, type ZodOpenApiPathsObject } from 'zod-openapi'
import { type ErrorCode, errorStatus } from '../errors.ts'
import type { AnyContract, BodyKind } from './contract.ts'
import { errorTitle } from './envelope.ts'
import { keyDescription } from './idempotency.ts'
import { ownerCookie, ownerHeader } from './owner.ts'

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

/** The OpenAPI 3.1 document of the contracts: what is not in a contract is not in the document. */
export function openApiDocument(contracts: readonly AnyContract[], info: { version: string; url: string }) {
  const paths: ZodOpenApiPathsObject = {}
  for (const contract of contracts) {
    const path = contract.path.replace(/:(\w+)/g, '{$1}')
    paths[path] = { ...paths[path], [contract.method.toLowerCase()]: operation(contract) }
  }
  return createDocument({
    openapi: '3.1.0',
    info: {
      title: 'Mutabor',
      version: info.version,
      description:
        'Converts files. Send a file and a target format to `POST /v1/convert`, watch the job, fetch the result. ' +
        `The first reply hands out an identity as the cookie \`${ownerCookie}\` and the header \`${ownerHeader}\`; send either back and ` +
        '`GET /v1/jobs` lists your jobs. With `Accept: application/problem+json` errors come as RFC 9457 problem details.',
    },
    servers: [{ url: info.url }],
    paths,
    components: {
      securitySchemes: {
        owner: {
          type: 'apiKey',
          in: 'header',
          name: ownerHeader,
          description: 'Identity that the first reply handed out',
        },
      },
    },
    security: [{}, { owner: [] }],
  })
}

const KeyHeader = z.object({
  'Idempotency-Key': z.string().min(1).max(255).optional().describe(keyDescription),
})

function operation(contract: AnyContract): ZodOpenApiOperationObject {
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
    ...(Object.keys(params).length > 0 && { requestParams: params }),
    ...(contract.body && { requestBody: { required: true, content: bodyContent(contract.body) } }),
    responses: { [String(contract.reply.status)]: success(contract), ...failures(contract) },
  }
}

const operationId = ({ method, path }: AnyContract) =>
  `${method.toLowerCase()}${path.replace(/[:/.-]+(\w)/g, (_, letter: string) => letter.toUpperCase()).replace(/\W/g, '')}`

function bodyContent(body: NonNullable<AnyContract['body']>) {
  return Object.fromEntries(
    body.accepts.map((kind) => [
      mediaTypes[kind],
      {
        schema: kind === 'multipart' ? withFiles(body) : (body.reference ?? body.schema),
        ...(kind === 'json' && body.examples && { examples: examplesOf(body.examples) }),
      },
    ]),
  )
}

const examplesOf = (examples: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(
    Object.entries(examples).map(([summary, value]) => [nameOf(summary), { summary, value }]),
  )

const nameOf = (summary: string) => summary.toLowerCase().replace(/\W+/g, '-')

function withFiles(body: NonNullable<AnyContract['body']>): z.ZodType {
  const parts = Object.entries(body.files ?? {}).map(([name, description]) => [
    name,
    z.file().describe(description),
  ])
  const schema: z.ZodType = body.schema
  return schema instanceof z.ZodObject ? schema.extend(Object.fromEntries(parts)) : schema
}

function success({ reply, summary }: AnyContract) {
  if (reply.form === 'empty') return { description: summary }
  const type = reply.contentType?.split(';')[0] ?? 'application/json'
  const schema =
    reply.form === 'raw'
      ? reply.schema
      : z.object({ success: z.literal(true), data: reply.schema, meta: MetaSchema })
  return { description: summary, content: { [type]: { schema } } }
}

const idempotencyErrors = ['IDEMPOTENCY_IN_PROGRESS', 'IDEMPOTENCY_KEY_REUSED'] as const

/** Codes of one status share its description. */
function failures(contract: AnyContract) {
  const codes: readonly ErrorCode[] = [
    ...(contract.errors ?? []),
    ...(contract.idempotent ? idempotencyErrors : []),
    'INTERNAL_ERROR',
  ]
  const statuses = [...new Set(codes.map((code) => errorStatus[code]))]
  return Object.fromEntries(
    statuses.map((status) => {
      const ofStatus = codes.filter((code) => errorStatus[code] === status)
      const description = ofStatus.map((code) => `\`${code}\` ${errorTitle(code)}`).join('; ')
      return [String(status), { description, content: { 'application/json': { schema: ErrorSchema } } }]
    }),
  )
}
