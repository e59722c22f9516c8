// Every reply that a test sees has to be what the OpenAPI document says of it.
import assert from 'node:assert/strict'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { fetchWithRetries } from './retrying-fetch.ts'

export interface CheckedReply {
  readonly method: string
  /** Without its query. */
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

/** Of each reply of any service, and of whatever carries it. */
const usual =
  /^(?:access-control-|content-|date$|connection$|keep-alive$|transfer-encoding$|vary$|cache-control$|set-cookie$|x-content-type-options$|x-accel-buffering$|x-sandbox$|pragma$|apigw-requestid$)/

const isJson = (type: string) => /[/+]json$/.test(type)
const isUri = (text: string) => URL.canParse(text)
const isDateTime = (text: string) => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/.test(text)

/** What an OpenAPI document allows. */
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
    this.document = document as Documented // made by us, and read by others in the tests of it
    this.#ajv.addSchema(document, 'openapi')
    this.#paths = Object.keys(this.document.paths)
      // A path without parameters comes before one that has one in its place.
      .sort((a, b) => a.split('{').length - b.split('{').length)
      .map((path) => ({ path, pattern: new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}/?$`) }))
  }

  /** Fails with what is wrong about a reply. */
  check(seen: CheckedReply): void {
    const { method, status, text } = seen
    if (method === 'OPTIONS') return
    const place = this.#placeOf(seen)
    const what = `${method} ${place?.path ?? seen.path} answers ${status}`
    if (method === 'HEAD') {
      assert.equal(text, '', `${what} with a body`)
      return
    }
    // Of what is not there an error is said, in the same form.
    const { operation, path = '' } = place ?? {}
    const response = operation?.responses[String(status)]
    if (operation && !response)
      assert.fail(`${what}, which the OpenAPI document does not name: ${text.slice(0, 300)}`)
    if (response) this.#checkHeaders(seen.headers, response.headers ?? {}, what)
    const type = seen.contentType?.split(';')[0] ?? ''
    const content = response?.content
    if (response && !content) {
      assert.equal(text, '', `${what} with a body, of which the OpenAPI document says nothing`)
      return
    }
    if (content && !content[type])
      assert.fail(`${what} as ${type}, the OpenAPI document has ${Object.keys(content)}`)
    const pointer = content
      ? ['paths', path, method.toLowerCase(), 'responses', String(status), 'content', type, 'schema']
      : ['components', 'schemas', type === 'application/problem+json' ? 'Problem' : 'Error']
    this.validate(pointer, isJson(type) ? JSON.parse(text) : text, what)
  }

  /** Fails where a value is not what the schema at this place of the document allows. */
  validate(pointer: readonly string[], value: unknown, what: string): void {
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
      `${what}, which differs from the OpenAPI document:\n${errors?.join('\n')}\n${JSON.stringify(value).slice(0, 600)}`,
    )
  }

  #checkHeaders(seen: Headers, described: NonNullable<DocumentedReply['headers']>, what: string): void {
    for (const [name, { required }] of Object.entries(described))
      if (required) assert.ok(seen.has(name), `${what} without the header ${name}`)
    const unknown = [...seen.keys()].filter((name) => !(name in described) && !usual.test(name))
    assert.deepEqual(unknown, [], `${what} with headers that the OpenAPI document does not name`)
  }

  #placeOf({ path, method }: CheckedReply): Place | undefined {
    const found = this.#paths.find(({ pattern }) => pattern.test(path))?.path
    const operation = found === undefined ? undefined : this.document.paths[found]?.[method.toLowerCase()]
    return found === undefined || !operation ? undefined : { path: found, operation }
  }
}

/** What the document describes; files and pages are something else. */
/** Signing in is described by the library that does it. */
export const isApiPath = (path: string) => path === '/health' || /^\/v1(?:\/(?!auth\/)|$)/.test(path)

const plainFetch = globalThis.fetch
/** Of each service its own document, read with the first reply: loading all routes here would take longer. */
const services = new Map<string, Promise<OpenApiChecker | undefined> | undefined>()

/** From now on what a test fetches from there is checked, by whatever means it does so: all of them use `fetch`. */
export function watch(url: string): void {
  services.set(new URL(url).origin, undefined)
  globalThis.fetch = checkedFetch
}

async function documentOf(origin: string): Promise<OpenApiChecker | undefined> {
  // A busy machine may take longer to start a function than a request may.
  const response = await fetchWithRetries(plainFetch)(`${origin}/v1/openapi.json`).catch(() => undefined)
  // Some tests end the service: what it said last has been checked by others.
  return response && new OpenApiChecker((await response.json()) as object)
}

const checkedFetch: typeof fetch = async (input, init) => {
  const response = await plainFetch(input, init)
  const { origin, pathname: path } = new URL(response.url)
  if (!services.has(origin) || !isApiPath(path)) return response
  const described = services.get(origin) ?? documentOf(origin)
  services.set(origin, described)
  // What breaks off is for the test to find out.
  const text = await response
    .clone()
    .text()
    .catch(() => undefined)
  const method = (init?.method ?? (input instanceof Request ? input.method : 'GET')).toUpperCase()
  const { status, headers } = response
  const contentType = headers.get('content-type')
  if (text !== undefined) (await described)?.check({ method, path, status, contentType, headers, text })
  return response
}
