import type * as z from 'zod'
import { getLimits } from '../../lib/validation/maxima.ts'

type Definition = z.core.$ZodTypes['_zod']['def']

/** Returns the paths of those strings, lists and records of a schema that have no maximum size. */
export function listUnboundedFields(schema: z.core.$ZodType, path = ''): string[] {
  return [...new Set(findUnbounded(schema, path, new Set()))]
}

function findUnbounded(schema: z.core.$ZodType, path: string, seenSchemas: Set<z.core.$ZodType>): string[] {
  const limits = getLimits(schema)
  // The value is limited as a whole, or the schema contains itself.
  if (seenSchemas.has(schema) || limits?.jsonLength !== undefined) return []
  seenSchemas.add(schema)
  // The union of all definitions, which `type` tells apart.
  const definition = schema._zod.def as Definition
  const findBelow = (inner: z.core.$ZodType, name = '') =>
    findUnbounded(inner, `${path}${name}`, new Set(seenSchemas))
  switch (definition.type) {
    case 'string':
      return isBoundedString(schema) ? [] : [`${path}: string`]
    case 'unknown':
    case 'any':
      return [`${path}: unknown`]
    case 'array':
      return [...(hasMaximumSize(schema) ? [] : [`${path}: list`]), ...findBelow(definition.element, '[]')]
    case 'record':
      return [
        ...(limits?.names === undefined ? [`${path}: record`] : []),
        ...findBelow(definition.keyType, '{name}'),
        ...findBelow(definition.valueType, '{}'),
      ]
    case 'object': {
      const { shape, catchall } = definition
      const fields = Object.entries(shape).flatMap(([name, field]) => findBelow(field, `.${name}`))
      return [...fields, ...(catchall && catchall._zod.def.type !== 'never' ? findBelow(catchall, '.*') : [])]
    }
    case 'union':
      return definition.options.flatMap((option) => findBelow(option))
    case 'intersection':
      return [...findBelow(definition.left), ...findBelow(definition.right)]
    case 'tuple':
      return definition.items.flatMap((item, at) => findBelow(item, `[${at}]`))
    case 'optional':
    case 'nullable':
    case 'default':
    case 'prefault':
    case 'nonoptional':
    case 'catch':
    case 'readonly':
      return findBelow(definition.innerType)
    case 'pipe':
      // Checks the input of a pipe, or its output if the input is a function.
      return findBelow(definition.in._zod.def.type === 'transform' ? definition.out : definition.in)
    case 'lazy':
      return findBelow(definition.getter())
    case 'number':
    case 'boolean':
    case 'null':
    case 'undefined':
    case 'void':
    case 'never':
    case 'literal':
    case 'enum':
      return []
    default:
      return [`${path}: ${definition.type} is not known to this test`]
  }
}

function listChecks(schema: z.core.$ZodType) {
  return (schema._zod.def.checks ?? []).map((check) => check._zod.def as z.core.$ZodChecks['_zod']['def'])
}

const hasMaximumSize = (schema: z.core.$ZodType) =>
  listChecks(schema).some(({ check }) => ['max_length', 'length_equals', 'max_size'].includes(check))

/** Formats whose values have a limited length by definition. */
const boundedFormats = [
  'uuid',
  'guid',
  'ulid',
  'date',
  'time',
  'datetime',
  'ipv4',
  'ipv6',
  'cidrv4',
  'cidrv6',
]

function isBoundedString(schema: z.core.$ZodType): boolean {
  const ownDefinition = schema._zod.def as { readonly format?: string; readonly pattern?: RegExp }
  const formats = [...listChecks(schema), ownDefinition].filter(
    (check): check is { format: string; pattern?: RegExp } => 'format' in check && check.format !== undefined,
  )
  return (
    hasMaximumSize(schema) ||
    formats.some(
      ({ format, pattern }) =>
        boundedFormats.includes(format) || (pattern !== undefined && isBoundedPattern(pattern)),
    )
  )
}

/** Whether an expression matches the whole text and repeats nothing without a limit. */
function isBoundedPattern({ source, flags }: RegExp): boolean {
  const plainPattern = source.replace(/\\./g, 'a').replace(/\[[^\]]*\]/g, 'a')
  const isAnchored =
    plainPattern.startsWith('^') &&
    plainPattern.endsWith('$') &&
    !/\|/.test(plainPattern.replace(/\([^()]*\)/g, ''))
  return isAnchored && !flags.includes('m') && !/[*+]|\{\d+,\}/.test(plainPattern)
}
