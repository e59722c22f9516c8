import * as z from 'zod'
import { camelCase } from '../case-conversion.ts'
import { type EngineId, engineIds } from '../engines/engine.ts'
import { isLenientOption } from '../engines/options.ts'
import { AppError } from '../errors.ts'
import type { ConversionStep, Warning } from '../jobs/job.ts'
import { parseWith } from '../parse-input.ts'
import { createSteps, optionsSchemaOf, type Route } from '../plan/index.ts'
import { isPdfEngine } from './pdf-engine.ts'

/**
 * The steps of a route with those of the given options that they know, validated; the others are listed, not refused.
 * Both spellings are taken, `audio_codec` as well as `audioCodec`.
 * @throws AppError INVALID_INPUT that names each option with a wrong value, or one that is given with two.
 */
export function stepsWithOptions(
  route: Route,
  options: Readonly<Record<string, unknown>>,
): { steps: ConversionStep[]; warnings: Warning[] } {
  const schema = optionsSchemaOf(route)
  const known: Record<string, unknown> = {}
  const warnings: Warning[] = []
  for (const [name, value] of Object.entries(options)) {
    const publicName = publicNameOf(name, schema)
    if (publicName && isIgnorableValue(schema.shape[publicName], value))
      warnings.push(droppedOptionWarning(publicName, value, schema))
    else if (publicName) addOption(known, publicName, value)
    else if (!isPdfEngine(name)) warnings.push(unknownOptionWarning(name, Object.keys(schema.shape)))
  }
  return { steps: createSteps(route, parseWith(schema, known, 'options')), warnings }
}

/** @throws AppError INVALID_INPUT when it is there with another value: which of the two is meant, nobody can know. */
export function addOption(options: Record<string, unknown>, name: string, value: unknown): void {
  if (Object.hasOwn(options, name) && asText(options[name]) !== asText(value))
    throw new AppError(
      'INVALID_INPUT',
      `${name}: it was given twice, with different values. Expected it once, in either spelling, in options or beside them.`,
      { field: name },
    )
  options[name] = value
}

/** Fields of a form are texts, whatever they hold. */
const asText = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value))

/** Either spelling; undefined for what is no option. */
const publicNameOf = (name: string, { shape }: z.ZodObject) =>
  [name, camelCase(name)].find((candidate) => Object.hasOwn(shape, candidate))

/** Names of the given options that a route knows. */
export function knownOptions(route: Route, options: Readonly<Record<string, unknown>>): string[] {
  const schema = optionsSchemaOf(route)
  return Object.keys(options).flatMap((name) => publicNameOf(name, schema) ?? [])
}

/** A value that means nothing here, of an option that takes no harm by being left out. */
const isIgnorableValue = (option: unknown, value: unknown) =>
  option instanceof z.ZodType && isLenientOption(option) && !option.safeParse(value).success

function droppedOptionWarning(field: string, value: unknown, schema: z.ZodObject): Warning {
  const sent = JSON.stringify(value).slice(0, 80)
  const { description } = schema.shape[field] as z.ZodType // a shape holds types
  return {
    code: 'OPTION_NOT_USED',
    field,
    message: `${field}: ${sent} means nothing here and was dropped. ${description}`,
  }
}

function unknownOptionWarning(name: string, known: readonly string[]): Warning {
  const field = name.slice(0, 64)
  const hint = known.length > 0 ? `it takes ${known.join(', ')}` : 'it takes no options'
  return {
    code: 'UNKNOWN_PARAMETER',
    field,
    message: `"${field}" is no option of this conversion and was dropped; ${hint}.`,
  }
}

const pinnableEngines = engineIds.filter((id) => id !== 'pdf')

/** @throws AppError INVALID_INPUT for a name that is no engine. */
export function parseEngine(name: string | undefined): EngineId | undefined {
  if (name === undefined || name === '' || name === 'auto') return undefined
  const id = pinnableEngines.find((candidate) => candidate === name.toLowerCase())
  if (id) return id
  throw new AppError(
    'INVALID_INPUT',
    `engine: expected one of ${pinnableEngines.join(', ')}, got "${name.slice(0, 64)}".`,
    {
      field: 'engine',
      expected: pinnableEngines,
    },
  )
}
