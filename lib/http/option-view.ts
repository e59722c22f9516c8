import * as z from 'zod'
import type { Capability } from '../engines/engine.ts'
import { optionsSchemaOf, type Route, mayNeedUnlock } from '../plan/index.ts'
import { type OptionLabel, optionLabels, widgets } from './option-labels.ts'
import { valueLabel } from './option-value-labels.ts'

/** One option as a form or a reader needs it; made from its schema, so that it cannot differ from the check. */
export const OptionView = z.object({
  name: z.string(),
  label: z.string().describe('What a form calls it'),
  type: z.enum(['string', 'integer', 'number', 'boolean', 'enum']),
  group: z.enum(['basics', 'more']).describe('`basics` are shown at once, `more` on demand'),
  widget: z.enum(widgets).describe('The field that suits it'),
  unit: z.string().optional().describe('Of the number, as `px`'),
  default: z.unknown().optional(),
  enum: z.array(z.string()).optional(),
  enumLabels: z
    .record(z.string(), z.string())
    .optional()
    .describe('What a form calls each value of `enum` and of `suggestions`'),
  suggestions: z.array(z.string()).optional().describe('Values worth offering; others are taken too'),
  number: z
    .object({ type: z.enum(['integer', 'number']), min: z.number().optional(), max: z.number().optional() })
    .optional()
    .describe('An `enum` that takes a number instead of its words as well'),
  min: z.number().optional(),
  max: z.number().optional(),
  pattern: z.string().optional(),
  spelled: z.boolean().optional().describe('The number may also come as text, as the description says'),
  deprecated: z.boolean().optional().describe('Another option takes its place'),
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
  readonly deprecated?: boolean
}

const cache = new WeakMap<z.ZodType, OptionView>()

export function optionViews(schema: z.ZodObject): OptionView[] {
  const views = Object.entries(schema.shape).map(([name, option]) => {
    // Option schemas are shared by thousands of pairs; each is described once.
    const type = option as z.ZodType
    const view = cache.get(type) ?? describe(name, type)
    cache.set(type, view)
    return view
  })
  return views.toSorted((a, b) => placeOf(a) - placeOf(b))
}

const places = new Map(Object.keys(optionLabels).map((name, at) => [name, at]))
const placeOf = ({ name }: OptionView) => places.get(name) ?? places.size

/** Lists of options, each once: most pairs have the same as hundreds of others. */
export class OptionSets {
  readonly #capabilities = new Map<Capability, number>()
  readonly #placesByWay = new Map<string, number>()
  readonly #places = new Map<string, number>()
  readonly #sets: OptionView[][] = []

  indexOf(route: Route): number {
    // Thousands of pairs go a few hundred ways: each way is written out once.
    const way = [mayNeedUnlock(route), ...route.steps.map(({ capability }) => this.#numberOf(capability))].join()
    const place = this.#placesByWay.get(way) ?? this.#placeOfViews(optionViews(optionsSchemaOf(route)))
    this.#placesByWay.set(way, place)
    return place
  }

  #numberOf(capability: Capability): number {
    const number = this.#capabilities.get(capability) ?? this.#capabilities.size
    this.#capabilities.set(capability, number)
    return number
  }

  #placeOfViews(views: OptionView[]): number {
    const key = JSON.stringify(views)
    const place = this.#places.get(key) ?? this.#sets.push(views) - 1
    this.#places.set(key, place)
    return place
  }

  all(): OptionView[][] {
    return this.#sets
  }
}

/** What comes out of parsing is what the option means; that a form sends it as text is no concern of a reader. */
function describe(name: string, option: z.ZodType): OptionView {
  // zod's JSON Schema is of this shape for the kinds of options that we have.
  const output = z.toJSONSchema(option, { io: 'output', unrepresentable: 'any' }) as JsonSchema
  const input = z.toJSONSchema(option, { io: 'input', unrepresentable: 'any' }) as JsonSchema
  const described = formsOf(output).filter(({ type, enum: words }) => type ?? words)
  const forms = described.length > 0 ? described : formsOf(input)
  const words = forms.flatMap((form) => form.enum ?? []).map(String)
  const [number] = forms.filter(({ type }) => isNumeric(type))
  const pattern = patternOf(forms)
  const fallback = output.default ?? input.default
  const isSpelled = number !== undefined && words.length === 0 && takesText(option)
  const shown: OptionLabel = optionLabels[name] ?? { label: name }
  // Words come first where an option takes words or a number: bounds beside them tell of the number.
  const type = words.length > 0 ? 'enum' : typeOf(forms[0])
  const bounds = { ...bound('min', number?.minimum), ...bound('max', number?.maximum) }
  const { suggestions } = shown
  const offered = [...words, ...(suggestions ?? [])]
  const orNumber = words.length > 0 && number && forms.some((form) => isNumeric(form.type) && !form.enum)
  return {
    name,
    label: shown.label,
    type,
    group: shown.basic ? 'basics' : 'more',
    widget: widgetOf(shown, type, orNumber === true),
    ...(shown.unit && type !== 'enum' && type !== 'boolean' && { unit: shown.unit }),
    description: output.description ?? input.description ?? '',
    ...(fallback !== undefined && { default: fallback }),
    ...(words.length > 0 && { enum: words }),
    ...(suggestions && { suggestions: [...suggestions] }),
    ...(offered.length > 0 && {
      enumLabels: Object.fromEntries(offered.map((value) => [value, valueLabel(name, value)])),
    }),
    ...(orNumber && { number: { type: number.type === 'integer' ? 'integer' : 'number', ...bounds } }),
    ...bounds,
    ...(pattern && { pattern }),
    ...(isSpelled && { spelled: true }),
    ...(output.deprecated && { deprecated: true }),
  }
}

/** zod cannot tell what becomes a number before it looks, so it is tried: a time, and amounts with a unit. */
const takesText = (option: z.ZodType) => ['0:01', '64k', '2M'].some((text) => option.safeParse(text).success)

const isNumeric = (type: string | undefined) => type === 'integer' || type === 'number'

/** Undefined where one of the forms is any text. */
function patternOf(forms: readonly JsonSchema[]): string | undefined {
  const texts = forms.filter((form) => form.type === 'string' && !form.enum)
  const patterns = texts.flatMap(({ pattern }) => pattern ?? [])
  if (patterns.length < texts.length) return undefined
  return patterns.length > 1 ? patterns.map((pattern) => `(?:${pattern})`).join('|') : patterns[0]
}

/** One name may be a word here and a flag there: the widget of its words holds where it fits the type. */
function widgetOf(
  { widget }: OptionLabel,
  type: OptionView['type'],
  orNumber: boolean,
): OptionView['widget'] {
  if (type === 'boolean') return 'switch'
  if (type === 'enum' && widget !== 'color' && widget !== 'position' && !(widget === 'slider' && orNumber))
    return 'choice'
  if (widget) return widget
  return type === 'string' ? 'text' : 'number'
}

const formsOf = (schema: JsonSchema): readonly JsonSchema[] =>
  (schema.anyOf ?? [schema]).filter(({ type }) => type !== 'null')

/** zod gives every integer the bounds of a safe one, which say nothing. */
const bound = (name: 'min' | 'max', value: number | undefined) =>
  value === undefined || Math.abs(value) >= Number.MAX_SAFE_INTEGER ? {} : { [name]: value }

function typeOf(schema: JsonSchema | undefined): OptionView['type'] {
  const known = (['integer', 'number', 'boolean'] as const).find((type) => type === schema?.type)
  return known ?? 'string'
}
