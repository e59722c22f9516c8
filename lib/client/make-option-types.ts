// Creates the types of the options of each target format and each tool, for make-types.ts.
import type * as z from 'zod'
import { engines } from '../engines/index.ts'
import { createOptionViews, type OptionView } from '../http/openapi/option-view.ts'
import { type Operation, toolOperations } from '../model/operations.ts'
import { createOptionsSchema, findConversions } from '../plan/index.ts'

/** Options of a target or a tool, by name. */
type OptionTypes = ReadonlyMap<string, { readonly type: string; readonly description: string }>

/** The only option that does not belong to an engine; all conversions of documents to PDF accept it. */
const pdfEngine = { type: "'auto'", description: 'Renderer of Word documents; only `auto` is supported' }

/**
 * Returns the contents of a file with the interfaces `TargetOptions` and `ToolOptions`. A target accepts the options of
 * all its sources. Most options have the same type everywhere, and many targets have the same options, so common types
 * and common sets of options are written only once.
 */
export function makeOptionTypes(banner: string): string {
  const targets = [...inferOptionsByTarget('convert')].map(
    ([id, types]) => [id, id === 'pdf' ? new Map([...types, ['pdfEngine', pdfEngine]]) : types] as const,
  )
  const tools = toolOperations.map(
    (tool) => [tool, inferTypes(listSchemas(tool).map(([, schema]) => schema))] as const,
  )
  const allTypes = [...targets, ...tools]
  const commonTypes = findCommonTypes(allTypes.map(([, types]) => types))
  const nameSets = new Map<string, string>()
  for (const [id, types] of allTypes) {
    const names = joinNames(types)
    if (!nameSets.has(names)) nameSets.set(names, `${pascalCase(id)}Names`)
  }
  const renderMember = ([id, types]: (typeof allTypes)[number]) => {
    const ownOptions = [...types].filter(([name, { type }]) => commonTypes.get(name)?.type !== type)
    const own = ownOptions.map(([name, { type }]) => `${name}?: ${type} | undefined`)
    const names = nameSets.get(joinNames(types))
    if (types.size === 0) return `  '${id}': Record<string, never>`
    if (own.length === 0) return `  '${id}': Pick<Values, ${names}>`
    const ownNames = ownOptions.map(([name]) => `'${name}'`).join(' | ')
    return `  '${id}': Omit<Pick<Values, ${names}>, ${ownNames}> & { ${own.join('; ')} }`
  }
  return `${[
    banner,
    '/** The usual type of each option. */',
    'interface Values {',
    ...[...commonTypes].flatMap(([name, { type, description }]) => [
      ...(description === '' ? [] : [`  /** ${description} */`]),
      `  ${name}?: ${type} | undefined`,
    ]),
    '}',
    '// Sets of option names. Each is named after the first target that has it; others may share it.',
    ...[...nameSets].filter(([names]) => names !== '').map(([names, id]) => `type ${id} = ${names}`),
    '/** Options of each target format. */',
    'export interface TargetOptions {',
    ...targets.map(renderMember),
    '}',
    '/** Options of each tool. */',
    'export interface ToolOptions {',
    ...tools.map(renderMember),
    '}',
  ].join('\n')}\n`
}

const inferOptionsByTarget = (operation: Operation): ReadonlyMap<string, OptionTypes> =>
  new Map(
    [...Map.groupBy(listSchemas(operation), ([to]) => to)].map(([to, schemas]) => [
      to,
      inferTypes(schemas.map(([, schema]) => schema)),
    ]),
  )

/**
 * Returns the schemas of the options, by target. Clients can also choose an engine that is not used by default, so the
 * options of all engines are included.
 */
const listSchemas = (operation: Operation): readonly (readonly [to: string, z.ZodObject])[] => [
  ...findConversions(engines, operation).map(({ to, route }) => [to, createOptionsSchema(route)] as const),
  ...engines.flatMap(({ capabilities }) =>
    capabilities
      .filter((row) => row.operation === operation)
      .flatMap(({ to, options }) => [...to].map((id) => [id, options] as const)),
  ),
]

const joinNames = (types: OptionTypes) => [...types.keys()].map((name) => `'${name}'`).join(' | ')

const pascalCase = (id: string) =>
  id.replaceAll(/(?:^|-)([a-z0-9])/g, (_, first: string) => first.toUpperCase()).replace(/^(?=\d)/, 'Of')

function inferTypes(schemas: readonly z.ZodObject[]): OptionTypes {
  const options = [...new Set(schemas)].flatMap((schema) =>
    // The values of a zod shape are zod types.
    createOptionViews(schema).map((view) => ({
      view,
      forms: listAcceptedTypes(view, schema.shape[view.name] as z.ZodType),
    })),
  )
  const byName = [...Map.groupBy(options, ({ view }) => view.name)].sort(([a], [b]) => (a < b ? -1 : 1))
  return new Map(
    byName.map(([name, sameOptions]) => {
      const forms = new Set(sameOptions.flatMap((sameOption) => sameOption.forms))
      return [name, { type: [...forms].join(' | '), description: sameOptions[0]?.view.description ?? '' }]
    }),
  )
}

/**
 * Values to try for each type. No text consists only of digits, because options of type number accept such text too,
 * for values from a form.
 */
const trials: Readonly<Record<string, readonly unknown[]>> = {
  number: [1, 10, 90],
  string: ['0:01', '64k', '2M', '#ff0000', '30%'],
  boolean: [true],
  'readonly string[]': [['a']],
  'readonly number[]': [[16]],
}

const cache = new WeakMap<z.ZodType, readonly string[]>()

/**
 * Returns the types that an option accepts in JSON. Some text options also accept a number or a list, so values of each
 * type are tried.
 */
function listAcceptedTypes(
  { type, enum: words = [], number }: OptionView,
  option: z.ZodType,
): readonly string[] {
  const cachedTypes = cache.get(option)
  if (cachedTypes) return cachedTypes
  const acceptedTypes = Object.entries(trials).flatMap(([name, values]) =>
    values.some((value) => option.safeParse(value).success) ? [name] : [],
  )
  // A number in an enum, such as an angle, may be sent as a number or as text.
  const literals = words.flatMap((word) => (/^-?\d+$/.test(word) ? [word, `'${word}'`] : [`'${word}'`]))
  const others = acceptedTypes.filter((name) => name !== 'number' || literals.length === 0 || number)
  const usual = type === 'enum' ? [] : [type === 'integer' ? 'number' : type]
  // If any text is accepted, `string & {}` lets editors still suggest the words.
  const forms = [...literals, ...new Set([...usual, ...others])].map((form) =>
    form === 'string' && literals.length > 0 ? '(string & {})' : form,
  )
  cache.set(option, forms)
  return forms
}

/** Returns, for each option, the type that it has in most targets and tools. */
function findCommonTypes(all: readonly OptionTypes[]): OptionTypes {
  const byName = [
    ...Map.groupBy(
      all.flatMap((types) => [...types]),
      ([name]) => name,
    ),
  ]
  return new Map(
    byName
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .flatMap(([name, options]) => {
        const byType = [...Map.groupBy(options, ([, { type }]) => type).values()]
        const [usual] = byType.toSorted((a, b) => b.length - a.length)
        return usual?.[0] ? [[name, usual[0][1]] as const] : []
      }),
  )
}
