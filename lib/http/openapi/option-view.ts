import * as z from 'zod'
import type { Capability } from '../../engines/engine.ts'
import { createOptionsSchema, mayNeedUnlock, type Route } from '../../plan/index.ts'
import { component } from '../../validation/component.ts'
import { defined } from '../../validation/defined.ts'
import { type OptionLabel, optionLabels, widgets } from './option-labels.ts'
import { getValueLabel } from './option-value-labels.ts'

/** An option for forms and readers, generated from its schema, so that it cannot differ from the validation. */
export const OptionView = component(
  'ConversionOption',
  z.object({
    name: z.string(),
    label: z.string().describe('Label for a form field'),
    type: z.enum(['string', 'integer', 'number', 'boolean', 'enum']),
    group: z.enum(['basics', 'more']).describe('`basics` are shown by default, `more` on demand'),
    widget: z.enum(widgets).describe('Input widget that suits the option'),
    unit: z.string().optional().describe('Unit of the number, such as `px`'),
    default: z.unknown().optional(),
    enum: z.array(z.string()).optional(),
    enumLabels: z
      .record(z.string(), z.string())
      .optional()
      .describe('Labels of the values of `enum` and `suggestions`'),
    suggestions: z.array(z.string()).optional().describe('Suggested values; others are accepted too'),
    number: z
      .object({ type: z.enum(['integer', 'number']), min: z.number().optional(), max: z.number().optional() })
      .optional()
      .describe('Set for an `enum` that also accepts a number'),
    min: z.number().optional(),
    max: z.number().optional(),
    pattern: z.string().optional(),
    spelled: z.boolean().optional().describe('The number may also be sent as text, see the description'),
    deprecated: z.boolean().optional().describe('Whether another option replaces this one'),
    description: z.string(),
  }),
)
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

export function createOptionViews(schema: z.ZodObject): OptionView[] {
  const views = Object.entries(schema.shape).map(([name, option]) => {
    const optionSchema = option as z.ZodType // zod does not infer the type of the shape's values
    // Thousands of format pairs share option schemas, so each schema is described once.
    const view = cache.get(optionSchema) ?? describeOption(name, optionSchema)
    cache.set(optionSchema, view)
    return view
  })
  return views.toSorted((a, b) => getPosition(a) - getPosition(b))
}

const positionsByName = new Map(Object.keys(optionLabels).map((name, at) => [name, at]))
const getPosition = ({ name }: OptionView) => positionsByName.get(name) ?? positionsByName.size

/** Deduplicated lists of options: most pairs have the same list as hundreds of others. */
export class OptionSets {
  readonly #numbersByCapability = new Map<Capability, number>()
  readonly #indexesByRoute = new Map<string, number>()
  readonly #indexes = new Map<string, number>()
  readonly #sets: OptionView[][] = []

  getIndex(route: Route): number {
    // Thousands of pairs share a few hundred routes: the options of each route are listed once.
    const routeKey = [
      mayNeedUnlock(route),
      ...route.steps.map(({ capability }) => this.#getNumber(capability)),
    ].join()
    const index =
      this.#indexesByRoute.get(routeKey) ??
      this.#getIndexOfViews(createOptionViews(createOptionsSchema(route)))
    this.#indexesByRoute.set(routeKey, index)
    return index
  }

  #getNumber(capability: Capability): number {
    const number = this.#numbersByCapability.get(capability) ?? this.#numbersByCapability.size
    this.#numbersByCapability.set(capability, number)
    return number
  }

  #getIndexOfViews(views: OptionView[]): number {
    const key = JSON.stringify(views)
    const index = this.#indexes.get(key) ?? this.#sets.push(views) - 1
    this.#indexes.set(key, index)
    return index
  }

  all(): OptionView[][] {
    return this.#sets
  }
}

/** Describes the parsed value of an option; readers need not know that forms send it as text. */
function describeOption(name: string, option: z.ZodType): OptionView {
  // For the options of this service, zod's JSON Schemas always have this shape.
  const output = z.toJSONSchema(option, { io: 'output', unrepresentable: 'any' }) as JsonSchema
  const input = z.toJSONSchema(option, { io: 'input', unrepresentable: 'any' }) as JsonSchema
  const describedForms = listForms(output).filter(({ type, enum: values }) => type ?? values)
  const forms = describedForms.length > 0 ? describedForms : listForms(input)
  const words = forms.flatMap((form) => form.enum ?? []).map(String)
  const [numberForm] = forms.filter(({ type }) => isNumeric(type))
  const pattern = getPattern(forms)
  const fallbackValue = output.default ?? input.default
  const acceptsText = numberForm !== undefined && words.length === 0 && takesText(option)
  const optionLabel: OptionLabel = optionLabels[name] ?? { label: name }
  // For an option that accepts words or a number, the words determine the type and the bounds apply to the number.
  const type = words.length > 0 ? 'enum' : getType(forms[0])
  const bounds = { ...toBound('min', numberForm?.minimum), ...toBound('max', numberForm?.maximum) }
  const { suggestions } = optionLabel
  const offeredValues = [...words, ...(suggestions ?? [])]
  const acceptsNumber =
    words.length > 0 && numberForm && forms.some((form) => isNumeric(form.type) && !form.enum)
  return {
    name,
    label: optionLabel.label,
    type,
    group: optionLabel.basic ? 'basics' : 'more',
    widget: chooseWidget(optionLabel, type, acceptsNumber === true),
    ...(optionLabel.unit && type !== 'enum' && type !== 'boolean' && { unit: optionLabel.unit }),
    description: output.description ?? input.description ?? '',
    ...defined({ default: fallbackValue }),
    ...(words.length > 0 && { enum: words }),
    ...defined({ suggestions: suggestions && [...suggestions] }),
    ...(offeredValues.length > 0 && {
      enumLabels: Object.fromEntries(offeredValues.map((value) => [value, getValueLabel(name, value)])),
    }),
    ...(acceptsNumber && {
      number: { type: numberForm.type === 'integer' ? 'integer' : 'number', ...bounds },
    }),
    ...bounds,
    ...(pattern && { pattern }),
    ...(acceptsText && { spelled: true }),
    ...(output.deprecated && { deprecated: true }),
  }
}

/**
 * Whether an option accepts text, tested with a time and amounts with a unit, because the JSON Schema does not show
 * that text is converted to a number.
 */
const takesText = (option: z.ZodType) => ['0:01', '64k', '2M'].some((text) => option.safeParse(text).success)

const isNumeric = (type: string | undefined) => type === 'integer' || type === 'number'

/** Returns the pattern of the option; undefined if one of its forms accepts any text. */
function getPattern(forms: readonly JsonSchema[]): string | undefined {
  const textForms = forms.filter((form) => form.type === 'string' && !form.enum)
  const patterns = textForms.flatMap(({ pattern }) => pattern ?? [])
  if (patterns.length < textForms.length) return undefined
  return patterns.length > 1 ? patterns.map((pattern) => `(?:${pattern})`).join('|') : patterns[0]
}

/**
 * Chooses the widget of an option. A name can be an enum for one conversion and a flag for another, so its widget is
 * only used if it fits the type.
 */
function chooseWidget(
  { widget }: OptionLabel,
  type: OptionView['type'],
  acceptsNumber: boolean,
): OptionView['widget'] {
  if (type === 'boolean') return 'switch'
  if (
    type === 'enum' &&
    widget !== 'color' &&
    widget !== 'position' &&
    !(widget === 'slider' && acceptsNumber)
  )
    return 'choice'
  if (widget) return widget
  return type === 'string' ? 'text' : 'number'
}

const listForms = (schema: JsonSchema): readonly JsonSchema[] =>
  (schema.anyOf ?? [schema]).filter(({ type }) => type !== 'null')

/** Creates a bound. Omits the safe integer bounds that zod adds to every integer. */
const toBound = (name: 'min' | 'max', value: number | undefined) =>
  value === undefined || Math.abs(value) >= Number.MAX_SAFE_INTEGER ? {} : { [name]: value }

function getType(schema: JsonSchema | undefined): OptionView['type'] {
  const knownType = (['integer', 'number', 'boolean'] as const).find((type) => type === schema?.type)
  return knownType ?? 'string'
}
