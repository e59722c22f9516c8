import * as z from 'zod'

/** One option as a form or a reader needs it; made from its schema, so that it cannot differ from the check. */
export const OptionView = z.object({
  name: z.string(),
  type: z.enum(['string', 'integer', 'number', 'boolean', 'enum']),
  default: z.unknown().optional(),
  enum: z.array(z.string()).optional(),
  min: z.number().optional(),
  max: z.number().optional(),
  pattern: z.string().optional(),
  description: z.string(),
})
export type OptionView = z.infer<typeof OptionView>

interface JsonSchema {
  readonly type?: string
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly JsonSchema[]
  readonly minimum?: number
  readonly maximum?: number
  readonly pattern?: string
  readonly default?: unknown
  readonly description?: string
}

const cache = new WeakMap<z.ZodType, OptionView>()

export function optionViews(schema: z.ZodObject): OptionView[] {
  return Object.entries(schema.shape).map(([name, option]) => {
    // Option schemas are shared by thousands of pairs; each is described once.
    const type = option as z.ZodType
    const view = cache.get(type) ?? describe(name, type)
    cache.set(type, view)
    return view
  })
}

/** What comes out of parsing is what the option means; that a form sends it as text is no concern of a reader. */
function describe(name: string, option: z.ZodType): OptionView {
  // zod's JSON Schema is of this shape for the kinds of options that we have.
  const json = z.toJSONSchema(option, { io: 'output', unrepresentable: 'any' }) as JsonSchema
  const input = z.toJSONSchema(option, { io: 'input', unrepresentable: 'any' }) as JsonSchema
  const core = main(json).type || main(json).enum ? main(json) : main(input)
  const min = core.minimum
  const max = core.maximum
  return {
    name,
    type: typeOf(core),
    description: json.description ?? input.description ?? '',
    ...((json.default ?? input.default) !== undefined && { default: json.default ?? input.default }),
    ...(core.enum && { enum: core.enum.map(String) }),
    ...(min !== undefined && min > Number.MIN_SAFE_INTEGER && { min }),
    ...(max !== undefined && max < Number.MAX_SAFE_INTEGER && { max }),
    ...(core.pattern && { pattern: core.pattern }),
  }
}

const main = (schema: JsonSchema): JsonSchema => schema.anyOf?.find(({ type }) => type !== 'null') ?? schema

function typeOf(schema: JsonSchema): OptionView['type'] {
  if (schema.enum) return 'enum'
  const known = (['integer', 'number', 'boolean'] as const).find((type) => type === schema.type)
  return known ?? 'string'
}
