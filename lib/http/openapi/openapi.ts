import * as z from 'zod'
import { createDocument, createSchema, type ZodOpenApiPathsObject } from 'zod-openapi'
import { ownerCookie, ownerHeader } from '../../access/anonymous.ts'
import type { AuthEndpoint } from '../../access/auth/endpoints/endpoint.ts'
import type { Engine } from '../../engines/engine.ts'
import { defined } from '../../validation/defined.ts'
import { largeFileHint } from '../body/body-limit.ts'
import type { AnyContract, BodyKind } from '../contract.ts'
import { authTag, createAuthPaths } from './auth-paths.ts'
import { headerComponents } from './headers.ts'
import { Parameters } from './parameters.ts'
import type { RecordedExample } from './recorded-example.ts'
import { Responses, toExample } from './responses.ts'
import { simplifySchema } from './schemas.ts'
import { getSecurity, securitySchemes } from './security.ts'
import { tags } from './tags.ts'
import { addTaskOptions } from './task-options.ts'
import { createEventSchemas, createOpenApiWebhooks, createWebhookHeaderComponents } from './webhooks.ts'

const mediaTypes: Readonly<Record<BodyKind, string>> = {
  json: 'application/json',
  form: 'application/x-www-form-urlencoded',
  multipart: 'multipart/form-data',
}

interface DocumentInfo {
  readonly version: string
  readonly url: string
  /** Size limit of a request in bytes. */
  readonly maxBodyBytes?: number | undefined
  /** Recorded examples by operation id. */
  readonly examples?: Readonly<Record<string, RecordedExample>>
  /** Engines whose options are described as options of tasks. */
  readonly engines?: readonly Engine[]
  /** Endpoints of better-auth, which have no contracts. */
  readonly authEndpoints?: readonly AuthEndpoint[]
}

/** Creates the OpenAPI 3.1 document from the contracts and the endpoints of better-auth. */
export function createOpenApiDocument(contracts: readonly AnyContract[], info: DocumentInfo) {
  const findExample = (contract: AnyContract) => info.examples?.[operationId(contract)]
  const parameters = new Parameters(contracts, (contract) => findExample(contract)?.parameters)
  const responses = new Responses()
  const paths: ZodOpenApiPathsObject = {}
  for (const contract of contracts) {
    const path = contract.path.replace(/:(\w+)/g, '{$1}')
    const { body } = contract
    const example = findExample(contract)
    const operation = {
      operationId: operationId(contract),
      tags: [contract.tag],
      summary: contract.summary,
      ...defined({ description: contract.description }),
      ...getSecurity(contract.access),
      ...parameters.of(contract),
      ...defined({ requestBody: body && { required: true, content: createBodyContent(body, example) } }),
      responses: responses.of(contract, example?.responses),
    }
    paths[path] = { ...paths[path], [contract.method.toLowerCase()]: operation }
  }
  Object.assign(paths, createAuthPaths(info.authEndpoints ?? [], info.examples))
  const usedTags = new Set([...contracts.map(({ tag }) => tag), ...(info.authEndpoints ? [authTag] : [])])
  const document = createDocument(
    {
      openapi: '3.1.0',
      info: {
        title: 'Mutabor',
        version: info.version,
        description:
          'Converts files. Send a file and a target format to `POST /v1/convert`, poll the job, download the result. ' +
          `The reply to the first request that creates something contains an anonymous identity, as the cookie \`${ownerCookie}\` and the header \`${ownerHeader}\`. Send either with later requests, and ` +
          '`GET /v1/jobs` lists your jobs. With `Accept: application/problem+json` errors are RFC 9457 problem details. ' +
          'Fields of request bodies and options may also be written in snake_case, such as `target_format`, and the fields of tasks in camelCase. ' +
          'Request bodies may have the `Content-Encoding` gzip, deflate, br or zstd, except forms with files.' +
          formatLimit(info),
        license: { name: 'Apache 2.0', identifier: 'Apache-2.0' },
      },
      servers: [{ url: info.url }],
      tags: tags.filter(({ name }) => usedTags.has(name)),
      paths,
      webhooks: createOpenApiWebhooks(),
      components: {
        headers: headerComponents,
        parameters: createWebhookHeaderComponents(),
        securitySchemes: securitySchemes(info.url),
      },
      security: [],
    },
    { override },
  )
  const schemas = { ...document.components?.schemas, ...describeEvents() }
  return {
    ...document,
    components: {
      ...document.components,
      schemas: info.engines ? addTaskOptions(schemas, info.engines) : schemas,
    },
  }
}

const override = ({ jsonSchema }: { jsonSchema: Record<string, unknown> }) => simplifySchema(jsonSchema)

/** Creates the schemas of events. They describe output, although they are the body of a webhook request. */
const describeEvents = () =>
  createSchema(z.object(createEventSchemas()), { io: 'output', opts: { override } }).components

const formatLimit = ({ maxBodyBytes: max }: DocumentInfo): string =>
  max === undefined
    ? ''
    : ` The maximum request size is ${max} bytes; larger requests are rejected with \`FILE_TOO_LARGE\` (413). ${largeFileHint}.`

export const operationId = ({ method, path }: AnyContract) =>
  `${method.toLowerCase()}${path.replace(/(?<![:/.-])[:/.-]+(\w)/g, (_, character: string) => character.toUpperCase()).replace(/\W/g, '')}`

function createBodyContent(body: NonNullable<AnyContract['body']>, example: RecordedExample | undefined) {
  return Object.fromEntries(
    body.accepts.map((kind) => [
      mediaTypes[kind],
      {
        schema: kind === 'multipart' ? addFileFields(body) : (body.reference?.() ?? body.schema),
        ...(kind === 'json' && body.examples
          ? { examples: createExamples(body.examples) }
          : toExample(example?.request?.[mediaTypes[kind]])),
      },
    ]),
  )
}

const createExamples = (examples: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(
    Object.entries(examples).map(([summary, value]) => [toSlug(summary), { summary, value }]),
  )

const toSlug = (summary: string) => summary.toLowerCase().replace(/\W+/g, '-')

function addFileFields(body: NonNullable<AnyContract['body']>): z.ZodType {
  const fileFields = Object.entries(body.files ?? {}).map(([name, description]) => [
    name,
    // The field is optional, because an upload can replace any of the files.
    z.file().optional().describe(description),
  ])
  const schema: z.ZodType = body.schema
  return schema instanceof z.ZodObject ? schema.extend(Object.fromEntries(fileFields)) : schema
}
