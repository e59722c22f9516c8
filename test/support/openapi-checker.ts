// Checks that every reply that a test receives matches the OpenAPI document.
import assert from 'node:assert/strict'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { inlineComponents } from './inline-components.ts'
import { fetchWithRetries } from './retrying-fetch.ts'

export interface CheckedReply {
  readonly method: string
  /** Path without the query. */
  readonly path: string
  readonly status: number
  readonly contentType: string | null
  readonly headers: Headers
  readonly text: string
}

interface Documented {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
}
interface Operation {
  readonly operationId: string
  readonly requestBody?: { readonly content: Content }
  readonly responses: Readonly<Record<string, DocumentedReply>>
}
interface DocumentedReply {
  readonly content?: Content
  readonly headers?: Readonly<Record<string, { readonly required: boolean }>>
}
type Content = Readonly<Record<string, { readonly example?: unknown; readonly examples?: unknown }>>

interface Place {
  readonly path: string
  readonly operation: Operation | undefined
}

/** Headers that need no documentation: those of any HTTP service and of the transport. */
const commonHeaders =
  /^(?:access-control-|content-|date$|connection$|keep-alive$|transfer-encoding$|vary$|cache-control$|set-cookie$|x-content-type-options$|x-accel-buffering$|x-sandbox$|pragma$|apigw-requestid$)/

const isJson = (type: string) => /[/+]json$/.test(type)
const isUri = (text: string) => URL.canParse(text)
const isDateTime = (text: string) => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/.test(text)

/** Checks replies and values against an OpenAPI document. */
export class OpenApiChecker {
  readonly document: Documented
  readonly #ajv = new Ajv2020({
    strict: false,
    logger: false,
    allErrors: true,
    formats: { uri: isUri, 'date-time': isDateTime },
  })
  readonly #paths: readonly { readonly pattern: RegExp; readonly path: string }[]

  constructor(document: object) {
    const inlinedDocument = inlineComponents(document)
    this.document = inlinedDocument as Documented // created by this service, and validated by other tests
    this.#ajv.addSchema(inlinedDocument, 'openapi')
    this.#paths = Object.keys(this.document.paths)
      // A literal path takes precedence over one with a parameter.
      .sort((a, b) => a.split('{').length - b.split('{').length)
      .map((path) => ({ path, pattern: new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}/?$`) }))
  }

  /** Fails if a reply does not match the document. */
  check(checkedReply: CheckedReply): void {
    const { method, status, text } = checkedReply
    if (method === 'OPTIONS') return
    const foundOperation = this.#findOperation(checkedReply)
    const label = `${method} ${foundOperation?.path ?? checkedReply.path} answers ${status}`
    if (method === 'HEAD') {
      assert.equal(text, '', `${label} with a body`)
      return
    }
    // Unknown paths get errors in the same format.
    const { operation, path = '' } = foundOperation ?? {}
    const response = operation?.responses[String(status)]
    if (operation && !response)
      assert.fail(`${label}, which the OpenAPI document does not name: ${text.slice(0, 300)}`)
    if (response) this.#checkHeaders(checkedReply.headers, response.headers ?? {}, label)
    const type = checkedReply.contentType?.split(';')[0] ?? ''
    const content = response?.content
    if (response && !content) {
      assert.equal(text, '', `${label} with a body that is not in the OpenAPI document`)
      return
    }
    if (content && !content[type])
      assert.fail(`${label} as ${type}, the OpenAPI document has ${Object.keys(content)}`)
    const pointer = content
      ? ['paths', path, method.toLowerCase(), 'responses', String(status), 'content', type, 'schema']
      : ['components', 'schemas', getErrorSchema(checkedReply.path, type)]
    this.validate(pointer, isJson(type) ? JSON.parse(text) : text, label)
  }

  /** Fails if a value does not match the schema at this place of the document. */
  validate(pointer: readonly string[], value: unknown, label: string): void {
    const reference = pointer.map((name) =>
      encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1')),
    )
    const validate: ValidateFunction | undefined = this.#ajv.getSchema(`openapi#/${reference.join('/')}`)
    assert.ok(validate, `there is no schema at ${pointer.join(' / ')}`)
    if (validate(value)) return
    const errors = validate.errors
      ?.slice(0, 5)
      .map(({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`)
    assert.fail(
      `${label}, which differs from the OpenAPI document:\n${errors?.join('\n')}\n${JSON.stringify(value).slice(0, 600)}`,
    )
  }

  #checkHeaders(
    sentHeaders: Headers,
    documentedHeaders: NonNullable<DocumentedReply['headers']>,
    label: string,
  ): void {
    for (const [name, { required }] of Object.entries(documentedHeaders))
      if (required) assert.ok(sentHeaders.has(name), `${label} without the header ${name}`)
    const undocumentedHeaders = [...sentHeaders.keys()].filter(
      (name) => !(name in documentedHeaders) && !commonHeaders.test(name),
    )
    assert.deepEqual(undocumentedHeaders, [], `${label} with headers that are not in the OpenAPI document`)
  }

  #findOperation({ path, method }: CheckedReply): Place | undefined {
    const foundPath = this.#paths.find(({ pattern }) => pattern.test(path))?.path
    const operation =
      foundPath === undefined ? undefined : this.document.paths[foundPath]?.[method.toLowerCase()]
    return foundPath === undefined || !operation ? undefined : { path: foundPath, operation }
  }
}

/** Returns whether a path belongs to the API that the document describes, not to a page or file. */
export const isApiPath = (path: string) => path === '/health' || /^\/v1(?:\/|$)/.test(path)

/** Returns the schema of the errors for unknown paths. */
const getErrorSchema = (path: string, type: string) =>
  type === 'application/problem+json' ? 'Problem' : path.startsWith('/v1/auth/') ? 'AuthError' : 'Error'

const plainFetch = globalThis.fetch
/** The document of each service, fetched with the first reply: loading all routes here would take longer. */
const services = new Map<string, Promise<OpenApiChecker | undefined> | undefined>()

/** Checks all replies of the service from now on, by replacing the global `fetch`. */
export function watch(url: string): void {
  services.set(new URL(url).origin, undefined)
  globalThis.fetch = checkedFetch
}

async function fetchDocument(origin: string): Promise<OpenApiChecker | undefined> {
  // On a busy machine starting a function may take longer than the request timeout.
  const response = await fetchWithRetries(plainFetch)(`${origin}/v1/openapi.json`).catch(() => undefined)
  // Some tests stop the service; its last replies are covered by other tests.
  return response && new OpenApiChecker((await response.json()) as object)
}

const checkedFetch: typeof fetch = async (input, init) => {
  const response = await plainFetch(input, init)
  const { origin, pathname: path } = new URL(response.url)
  if (!services.has(origin) || !isApiPath(path)) return response
  const checkerOfOrigin = services.get(origin) ?? fetchDocument(origin)
  services.set(origin, checkerOfOrigin)
  // Only the test itself handles interrupted replies.
  const text = await response
    .clone()
    .text()
    .catch(() => undefined)
  const method = (init?.method ?? (input instanceof Request ? input.method : 'GET')).toUpperCase()
  const { status, headers } = response
  const contentType = headers.get('content-type')
  if (text !== undefined) (await checkerOfOrigin)?.check({ method, path, status, contentType, headers, text })
  return response
}
