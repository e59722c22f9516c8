/** The parts of an OpenAPI document that the API reference shows. */

export interface ApiSchema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly description?: string
  readonly properties?: Readonly<Record<string, ApiSchema>>
  readonly required?: readonly string[]
  readonly items?: ApiSchema
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly default?: unknown
  readonly minimum?: number
  readonly maximum?: number
  readonly format?: string
  readonly anyOf?: readonly ApiSchema[]
  readonly oneOf?: readonly ApiSchema[]
  readonly allOf?: readonly ApiSchema[]
  readonly deprecated?: boolean
}

interface MediaType {
  readonly schema?: ApiSchema
  readonly example?: unknown
  readonly examples?: Readonly<Record<string, { readonly value?: unknown }>>
}

interface Parameter {
  readonly $ref?: string
  readonly in: string
  readonly name: string
  readonly required?: boolean
  readonly description?: string
  readonly schema?: ApiSchema
  readonly example?: unknown
}

interface ApiOperation {
  readonly operationId: string
  readonly tags?: readonly string[]
  readonly summary?: string
  readonly description?: string
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[]
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly content: Readonly<Record<string, MediaType>> }
  readonly responses: Readonly<Record<string, Reply>>
  /** Scopes required with every authentication method. */
  readonly 'x-scopes'?: readonly string[]
}

interface Reply {
  readonly $ref?: string
  readonly description: string
  readonly content?: Readonly<Record<string, MediaType>>
}

export interface OpenApi {
  readonly info: { readonly title: string; readonly version: string; readonly description?: string }
  readonly tags?: readonly { readonly name: string; readonly description?: string }[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, ApiOperation>>>>
  readonly components: {
    readonly schemas?: Readonly<Record<string, ApiSchema>>
    readonly parameters?: Readonly<Record<string, Parameter>>
    readonly responses?: Readonly<Record<string, Reply>>
  }
}

/** An operation with its method and path. */
export interface OperationEntry extends ApiOperation {
  readonly method: string
  readonly path: string
}

export const listOperations = ({ paths, components }: OpenApi): OperationEntry[] =>
  Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({
      ...operation,
      parameters: (operation.parameters ?? []).map((parameter) =>
        resolveIn(components.parameters, parameter),
      ),
      responses: Object.fromEntries(
        Object.entries(operation.responses).map(([status, one]) => [
          status,
          resolveIn(components.responses, one),
        ]),
      ),
      method: method.toUpperCase(),
      path,
    })),
  )

/** Returns a function that resolves a `$ref` to a component of the given document. */
const resolveIn = <Value extends { readonly $ref?: string }>(
  components: Readonly<Record<string, Value>> | undefined,
  value: Value,
): Value => components?.[value.$ref?.split('/').at(-1) ?? ''] ?? value

/** Resolves a `$ref` to a schema. */
export const resolveRef = (schema: ApiSchema, { components }: OpenApi): ApiSchema =>
  resolveIn(components.schemas, schema)

/** Describes a type for readers: `string`, `integer 1–100`, `low | high`, `list of string`. */
export function describeType(schemaOrRef: ApiSchema, document: OpenApi): string {
  const schema = resolveRef(schemaOrRef, document)
  const variants = schema.anyOf ?? schema.oneOf
  if (variants) return [...new Set(variants.map((form) => describeType(form, document)))].join(' | ')
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.enum) return schema.enum.map((value) => String(value)).join(' | ')
  if (schema.items) return `list of ${describeType(schema.items, document)}`
  const { minimum, maximum } = schema
  const isBounded = minimum !== undefined && maximum !== undefined && Math.abs(maximum) < 2 ** 53 - 1
  const bounds = isBounded ? ` ${minimum}–${maximum}` : ''
  return `${[schema.type ?? 'any'].flat().join(' | ')}${schema.format ? ` (${schema.format})` : ''}${bounds}`
}

const getFirstExample = ({ example, examples }: MediaType): unknown =>
  example ?? Object.values(examples ?? {})[0]?.value

const shellQuote = (text: string) => `'${text.replaceAll("'", "'\\''")}'`

/** Builds a curl command for the example request of an operation. */
export function buildCurl(
  { method, path, parameters = [], requestBody, security = [] }: OperationEntry,
  origin: string,
) {
  const filledPath = path.replace(/\{(\w+)\}/g, (placeholder, name: string) => {
    const example = parameters.find((item) => item.in === 'path' && item.name === name)?.example
    return example === undefined ? placeholder : encodeURIComponent(String(example))
  })
  const query = new URLSearchParams(
    parameters.flatMap((item) =>
      item.in === 'query' && item.example !== undefined ? [[item.name, String(item.example)]] : [],
    ),
  )
  const url = `${origin}${filledPath}${query.size > 0 ? `?${query}` : ''}`
  // Operations that allow anonymous access work without a key.
  const needsKey = security.length > 0 && !security.some((scheme) => Object.keys(scheme).length === 0)
  const needsSession = !security.some((scheme) => 'apiKey' in scheme)
  const authArguments = needsSession ? ["-b 'session=…'"] : ["-H 'X-Api-Key: sk_…'"]
  return [
    `curl${method === 'GET' ? '' : ` -X ${method}`}`,
    ...(needsKey ? authArguments : []),
    ...createCurlBodyArguments(requestBody?.content ?? {}),
    shellQuote(url),
  ].join(' \\\n  ')
}

function createCurlBodyArguments(content: Readonly<Record<string, MediaType>>): string[] {
  const form = content['multipart/form-data']
  const fields = form && getFirstExample(form)
  if (typeof fields === 'object' && fields !== null)
    return Object.entries(fields).flatMap(([name, value]) =>
      [value].flat().map((item) => `-F ${shellQuote(`${name}=${String(item)}`)}`),
    )
  const [type, media] = Object.entries(content)[0] ?? []
  const example = media && getFirstExample(media)
  if (type === undefined || example === undefined) return []
  if (type === 'application/x-www-form-urlencoded')
    // The example of a form is an object.
    return Object.entries(example as object).map(
      ([name, value]) => `--data-urlencode ${shellQuote(`${name}=${String(value)}`)}`,
    )
  return [`-H ${shellQuote(`Content-Type: ${type}`)}`, `-d ${shellQuote(JSON.stringify(example))}`]
}

export const formatJsonExample = (
  content: Readonly<Record<string, MediaType>> | undefined,
): string | undefined => {
  const media = Object.entries(content ?? {}).find(([type]) => type.includes('json'))?.[1]
  const example = media && getFirstExample(media)
  return example === undefined ? undefined : JSON.stringify(example, null, 2)
}
