/** References to everything but schemas, which validators resolve themselves. */
const referencePattern = /^#\/components\/(responses|parameters|headers)\/([\w.-]+)$/

type Json = Readonly<Record<string, unknown>>

/** Replaces references to responses, parameters and headers of an OpenAPI document with what they refer to. */
export function inlineComponents<Document extends object>(document: Document): Document {
  const { components = {} } = document as { readonly components?: Readonly<Record<string, Json>> }
  const inline = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(inline)
    if (typeof value !== 'object' || value === null) return value
    const { $ref } = value as Json
    const [, kind = '', name = ''] = referencePattern.exec(typeof $ref === 'string' ? $ref : '') ?? []
    if (kind) {
      const foundComponent = components[kind]?.[name]
      if (foundComponent === undefined) throw new Error(`${String($ref)} does not exist`)
      return inline(foundComponent)
    }
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, inline(inner)]))
  }
  return inline(document) as Document // of the same shape
}
