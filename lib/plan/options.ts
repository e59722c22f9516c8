import * as z from 'zod'
import { type EngineId, engineIds, isPinnable } from '../component-ids.ts'
import { isLenientOption, isNewPassword } from '../engines/options.ts'
import { AppError } from '../errors.ts'
import type { ConversionStep, Warning } from '../model/job.ts'
import { toCamelCase } from '../names/case-conversion.ts'
import { findSimilar, formatSuggestion } from '../validation/did-you-mean.ts'
import { parseInput } from '../validation/parse-input.ts'
import { warnAboutIgnoredOptions } from './ignored-options.ts'
import { createOptionsSchema, createSteps, type Route } from './index.ts'
import { isPdfEngine } from './pdf-engine.ts'

/**
 * Returns the steps of a route with their validated options. Unknown options cause warnings, not errors. Option names
 * may be written as `audio_codec` or `audioCodec`.
 * @throws AppError INVALID_INPUT naming each option with an invalid value, or an option with two values.
 */
export function applyOptions(
  route: Route,
  options: Readonly<Record<string, unknown>>,
): { steps: ConversionStep[]; warnings: Warning[] } {
  const schema = createOptionsSchema(route)
  const knownOptionValues: Record<string, unknown> = {}
  const warnings: Warning[] = []
  for (const [name, value] of Object.entries(options)) {
    const publicName = getPublicName(name, schema)
    if (publicName && value === '' && !readsEmptyText(schema.shape[publicName])) continue
    if (publicName && isIgnorableValue(schema.shape[publicName], value))
      warnings.push(warnAboutDroppedOption(publicName, value, schema))
    else if (publicName) addOption(knownOptionValues, publicName, value)
    else if (!isPdfEngine(name)) warnings.push(warnAboutUnknownOption(name, Object.keys(schema.shape)))
  }
  const parsedOptions = parseInput(schema, knownOptionValues, 'options')
  const names = Object.keys(schema.shape)
  const sentOptions = pickOptions(parsedOptions, (name) => Object.hasOwn(knownOptionValues, name))
  const { engine } = route.steps.at(-1) ?? route.steps[0]
  warnings.push(...warnAboutIgnoredOptions(sentOptions, { names, defaults: getDefaults(schema), engine }))
  return { steps: createSteps(route, parsedOptions), warnings }
}

const pickOptions = (options: Readonly<Record<string, unknown>>, isPicked: (name: string) => boolean) =>
  Object.fromEntries(Object.entries(options).filter(([name]) => isPicked(name)))

const getDefaults = ({ shape }: z.ZodObject): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(shape).map(([name, option]) => [
      name,
      option instanceof z.ZodType ? option.safeParse(undefined).data : undefined,
    ]),
  )

/** Adds an option. @throws AppError INVALID_INPUT if it already has a different value. */
export function addOption(options: Record<string, unknown>, name: string, value: unknown): void {
  if (Object.hasOwn(options, name) && toText(options[name]) !== toText(value))
    throw new AppError(
      'INVALID_INPUT',
      `${name}: sent twice with different values. Send it once, in either spelling, inside or outside of options.`,
      { field: name },
    )
  options[name] = value
}

/** Returns the value as text, because form fields are always strings. */
const toText = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value))

/** Returns the option that a name means, in either spelling; undefined if it is unknown. */
const getPublicName = (name: string, { shape }: z.ZodObject) =>
  [name, toCamelCase(name)].find((candidate) => Object.hasOwn(shape, candidate))

/** Returns the names of the options that a route supports. */
export function listKnownOptions(route: Route, options: Readonly<Record<string, unknown>>): string[] {
  const schema = createOptionsSchema(route)
  return Object.keys(options).flatMap((name) => getPublicName(name, schema) ?? [])
}

/** Whether an empty value is parsed. For all other options, an empty field, as forms send it, counts as not sent. */
export const readsEmptyText = (option: unknown) =>
  option instanceof z.ZodType &&
  !isLenientOption(option) &&
  (isNewPassword(option) || option.safeParse('').success)

/** Whether an invalid value can be dropped with a warning, because the option is lenient. */
const isIgnorableValue = (option: unknown, value: unknown) =>
  option instanceof z.ZodType && isLenientOption(option) && !option.safeParse(value).success

function warnAboutDroppedOption(field: string, value: unknown, schema: z.ZodObject): Warning {
  const sentValue = JSON.stringify(value).slice(0, 80)
  const { description } = schema.shape[field] as z.ZodType // a shape holds types
  return {
    code: 'OPTION_NOT_USED',
    field,
    message: `${field}: ${sentValue} has no effect here and was ignored. ${description}`,
  }
}

function warnAboutUnknownOption(name: string, knownNames: readonly string[]): Warning {
  const field = name.slice(0, 64)
  const suggestion = findSimilar(name, knownNames)
  const hint = knownNames.length > 0 ? `it supports ${knownNames.join(', ')}` : 'it has no options'
  return {
    code: 'UNKNOWN_PARAMETER',
    field,
    message: `"${field}" is not an option of this conversion and was ignored; ${hint}.${formatSuggestion(suggestion)}`,
  }
}

const pinnableEngines = engineIds.filter(isPinnable)

/** Parses the name of an engine. @throws AppError INVALID_INPUT for an unknown engine. */
export function parseEngine(name: string | undefined): EngineId | undefined {
  if (name === undefined || name === '' || name === 'auto') return undefined
  const id = pinnableEngines.find((candidate) => candidate === name.toLowerCase())
  if (id) return id
  throw new AppError(
    'INVALID_INPUT',
    `engine: expected one of ${pinnableEngines.join(', ')}, got "${name.slice(0, 64)}".${formatSuggestion(findSimilar(name, pinnableEngines))}`,
    {
      field: 'engine',
      expected: pinnableEngines,
    },
  )
}
