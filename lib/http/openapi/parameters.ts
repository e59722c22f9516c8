import * as z from 'zod'
import { defined } from '../../validation/defined.ts'
import type { AnyContract } from '../contract.ts'
import { idempotencyKeyDescription } from '../idempotency.ts'

const IdempotencyKeyHeader = z.object({
  'Idempotency-Key': z.string().min(1).max(255).optional().describe(idempotencyKeyDescription),
})

/** Schemas of the parameters by location, in the form in which the document generator takes them. */
type RequestParams = Readonly<Partial<Record<Location, z.ZodObject>>>

const locations = ['path', 'query', 'header'] as const
type Location = (typeof locations)[number]

interface ParameterUse {
  readonly location: Location
  readonly name: string
  readonly schema: z.ZodType
  readonly example: unknown
}

type GetExamples = (contract: AnyContract) => Readonly<Record<string, unknown>> | undefined

/**
 * Creates the parameters of operations. Parameters that several operations declare with one schema become components.
 */
export class Parameters {
  /** Parameter components by `getParameterKey` and schema: parameters with different names may share a schema. */
  readonly #componentsByName = new Map<string, Map<z.ZodType, z.ZodType>>()
  readonly #examples: GetExamples

  /** Collects parameters. @param examples returns recorded values by parameter name. */
  constructor(contracts: readonly AnyContract[], examples: GetExamples) {
    this.#examples = examples
    const uses = contracts.flatMap((contract) => this.#listUses(contract))
    const ids = new Set<string>()
    for (const [key, group] of Map.groupBy(uses, getParameterKey)) {
      const sharedSchemas = [...Map.groupBy(group, ({ schema }) => schema)].filter(
        ([, uses]) => uses.length > 1,
      )
      // The most frequent schema of a name becomes the component; its other schemas are described where they occur.
      const [[schema, sameParameters] = []] = sharedSchemas.sort(([, x], [, y]) => y.length - x.length)
      const id = toPascalCase(group[0]?.name ?? '')
      if (!schema || ids.has(id)) continue
      ids.add(id)
      const { example } = sameParameters?.find((use) => use.example !== undefined) ?? {}
      this.#componentsByName.set(key, new Map([[schema, describe(schema, example, id)]]))
    }
  }

  of(contract: AnyContract): { readonly requestParams?: RequestParams } {
    const uses = Map.groupBy(this.#listUses(contract), ({ location }) => location)
    if (uses.size === 0) return {}
    const shapes = [...uses].map(([location, group]) => [
      location,
      z.object(
        Object.fromEntries(
          group.map((use) => [
            use.name,
            this.#componentsByName.get(getParameterKey(use))?.get(use.schema) ??
              describe(use.schema, use.example),
          ]),
        ),
      ),
    ])
    return { requestParams: Object.fromEntries(shapes) }
  }

  #listUses(contract: AnyContract): ParameterUse[] {
    const { params, query, idempotent } = contract
    const schemas = { path: params, query, header: idempotent ? IdempotencyKeyHeader : undefined }
    return locations.flatMap((location) =>
      Object.entries(getShape(schemas[location])).map(([name, schema]) => ({
        location,
        name,
        schema,
        example: this.#examples(contract)?.[name],
      })),
    )
  }
}

const getParameterKey = ({ location, name }: ParameterUse) => `${location} ${name}`

const getShape = (schema: z.ZodObject | undefined): Readonly<Record<string, z.ZodType>> =>
  schema ? (schema.shape as Readonly<Record<string, z.ZodType>>) : {} // shapes hold types

/** Adds an example to a parameter. Recorded examples are text, even for numbers, so they are parsed. */
function describe(schema: z.ZodType, example: unknown, id?: string): z.ZodType {
  const { data } = schema.safeParse(example)
  const value = typeof data === 'number' ? data : example
  return schema.meta({
    ...schema.meta(),
    param: defined({ id, example: value }),
  })
}

const toPascalCase = (name: string) =>
  name.replace(/(?:^|[-_])(\w)/g, (_, initial: string) => initial.toUpperCase())
