import * as z from 'zod'
import type { ZodOpenApiResponseObject, ZodOpenApiResponsesObject } from 'zod-openapi'
import { type ErrorCode, errorCatalog, errorCodes } from '../../error-catalog.ts'
import { Warning } from '../../model/job.ts'
import { isOpenAccess } from '../../model/principal.ts'
import { component } from '../../validation/component.ts'
import type { AnyContract } from '../contract.ts'
import { repliesOnlyJson } from '../replies/accept-header.ts'
import { toErrorTitle } from '../replies/envelope.ts'
import { createHeaderRefs } from './headers.ts'
import { getAccessErrors } from './security.ts'

const Meta = component(
  'Meta',
  z.object({
    requestId: z.string(),
    timestamp: z.iso.datetime(),
    warnings: z
      .array(Warning)
      .optional()
      .describe(
        'Warnings about unknown query parameters, which were ignored; their code is `UNKNOWN_PARAMETER`',
      ),
  }),
)

export const ErrorBody = component(
  'Error',
  z.object({
    success: z.literal(false),
    error: z.object({
      code: z.string(),
      message: z.string(),
      details: z.record(z.string(), z.unknown()).optional(),
    }),
    meta: Meta,
  }),
)

const OAuthError = component(
  'OAuthError',
  z.object({
    error: z.string().describe('Error code, such as `invalid_client`'),
    error_description: z.string(),
  }),
)

const Problem = component(
  'Problem',
  z.looseObject({
    type: z.string().describe('URL of a page about the error'),
    title: z.string(),
    status: z.int(),
    detail: z.string(),
    instance: z.string(),
    code: z.string(),
    errors: z.array(z.object({ field: z.string(), error: z.string() })).optional(),
    requestId: z.string(),
  }),
)

/** Recorded replies by status. */
type Examples = Readonly<Record<string, unknown>> | undefined

export const toExample = (value: unknown) => (value === undefined ? {} : { example: value })

export const successDescriptions = {
  200: 'The request succeeded',
  201: 'Created',
  202: 'Accepted: the work continues in the background',
  204: 'Done; the reply has no body',
  302: '`Location` is the URL to continue with',
}

/** Creates the responses of operations; equal error responses become one component. */
export class Responses {
  readonly #sharedResponses = new Map<string, ZodOpenApiResponseObject>()
  readonly #bodySchemas = new Map<z.ZodType, z.ZodType>()

  of(contract: AnyContract, examples: Examples): ZodOpenApiResponsesObject {
    return { ...this.#createSuccesses(contract, examples), ...this.#createFailures(contract, examples) }
  }

  #createSuccesses(contract: AnyContract, examples: Examples) {
    const { reply } = contract
    const createContent = (status: number | string) => {
      if (reply.form === 'empty' || Number(status) === 204) return {}
      const type = reply.contentType?.split(';')[0] ?? 'application/json'
      return { content: { [type]: { schema: this.#getBodySchema(reply), ...toExample(examples?.[status]) } } }
    }
    const otherStatuses = Object.entries(reply.otherStatuses ?? {}).map(([status, description]) => [
      status,
      { description, headers: createHeaderRefs(contract, Number(status)), ...createContent(status) },
    ])
    return {
      [String(reply.status)]: {
        description: successDescriptions[reply.status],
        headers: createHeaderRefs(contract, reply.status),
        ...createContent(reply.status),
      },
      ...Object.fromEntries(otherStatuses),
      ...(reply.etag && {
        304: {
          description: 'Not modified since the ETag of `If-None-Match`',
          headers: createHeaderRefs(contract, 304),
        },
      }),
    }
  }

  /** A named schema gets a named reply, which the statuses and operations with that schema share. */
  #getBodySchema({ form, schema }: AnyContract['reply']): z.ZodType {
    if (form === 'raw' || form === 'stream') return schema
    const knownBody = this.#bodySchemas.get(schema)
    if (knownBody) return knownBody
    const envelope = { success: z.literal(true), data: schema, meta: Meta }
    const isMirrored = form === 'mirrored' && schema instanceof z.ZodObject
    const body: z.ZodType = isMirrored ? schema.extend(envelope) : z.object(envelope)
    const id = schema.meta()?.id
    const namedBody = id === undefined ? body : component(`${id}Reply`, body)
    this.#bodySchemas.set(schema, namedBody)
    return namedBody
  }

  #createFailures(contract: AnyContract, examples: Examples) {
    const codes = listErrors(contract)
    // Statuses that the contract itself describes keep their description.
    const statuses = [...new Set(codes.map((code) => errorCatalog[code].status))].filter(
      (status) => !(status in (contract.reply.otherStatuses ?? {})),
    )
    return Object.fromEntries(
      statuses.map((status) => [
        String(status),
        this.#createFailure(
          contract,
          status,
          codes.filter((code) => errorCatalog[code].status === status),
          examples?.[status],
        ),
      ]),
    )
  }

  #createFailure(contract: AnyContract, status: number, codes: readonly ErrorCode[], example: unknown) {
    const isOAuth = contract.errorFormat === 'oauth'
    const response: ZodOpenApiResponseObject = {
      description: codes.map((code) => `\`${code}\` ${toErrorTitle(code)}`).join('; '),
      headers: createHeaderRefs(contract, status),
      content: {
        'application/json': { schema: isOAuth ? OAuthError : ErrorBody, ...toExample(example) },
        ...(contract.errorFormat === undefined && { 'application/problem+json': { schema: Problem } }),
      },
    }
    if (example !== undefined) return response
    const kind = isOAuth ? 'OAuth' : isOpenAccess(contract.access) ? 'Public' : ''
    const suffix = status === 409 && contract.idempotent ? 'OrRetry' : ''
    const id = `${kind}${codes.map(toPascalCase).join('Or')}${suffix}`
    const sharedResponse = this.#sharedResponses.get(id) ?? { id, ...response }
    this.#sharedResponses.set(id, sharedResponse)
    return sharedResponse
  }
}

const toPascalCase = (code: ErrorCode) =>
  code.toLowerCase().replace(/(?:^|_)(\w)/g, (_, initial: string) => initial.toUpperCase())

const idempotencyErrors = ['IDEMPOTENCY_IN_PROGRESS', 'IDEMPOTENCY_KEY_REUSED', 'INVALID_INPUT'] as const
/** Errors of an operation with path parameters: escapes that are not UTF-8, and unknown ids. */
const pathErrors = ['INVALID_REQUEST', 'NOT_FOUND'] as const
const bodyErrors = ['INVALID_INPUT', 'INVALID_REQUEST', 'UNSUPPORTED_MEDIA_TYPE'] as const
const fileErrors = ['FILE_TOO_LARGE', 'INSUFFICIENT_DISK_SPACE', 'STORAGE_NOT_CONFIGURED'] as const

/** Returns all errors of an operation, in the order of the catalog. */
function listErrors(contract: AnyContract): readonly ErrorCode[] {
  const codes: readonly ErrorCode[] = [
    ...(contract.errors ?? []),
    ...getAccessErrors(contract.access),
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
  return errorCodes.filter((code) => codes.includes(code))
}
