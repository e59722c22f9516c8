import { extname } from 'node:path'
import type { Api } from '../api-types.ts'
import { isFailure } from '../failure.ts'
import type { Mutabor } from '../mutabor.ts'
import { UsageError } from './exit.ts'
import { columns } from './terminal.ts'

type Operation = NonNullable<
  NonNullable<Api['operations']['GET /v1/formats/conversions']['query']>['operation']
>
type Conversion = Api['operations']['GET /v1/formats/conversions']['data']['conversions'][number]
export type Option = NonNullable<Conversion['options']>[number]

export const extensionOf = (path: string) => extname(path).slice(1).toLowerCase()

/** What a pair, or a tool, takes; undefined where the service knows no such pair. */
export async function optionsOf(
  client: Mutabor,
  wish: { readonly from?: string; readonly to?: string; readonly operation?: string },
): Promise<readonly Option[] | undefined> {
  const { from, to, operation } = wish
  try {
    const { conversions } = await client.call('GET /v1/formats/conversions', {
      query: {
        ...(from && { from }),
        ...(to && { to }),
        ...(operation && { operation: operation as Operation }), // the service says when there is none
      },
    })
    return conversions[0]?.options
  } catch (thrown) {
    if (isFailure(thrown, 'FORMAT_NOT_FOUND')) return undefined
    throw thrown
  }
}

/** The service drops what it does not know; somebody who has typed it wants to hear of that. */
export function requireKnown(given: readonly string[], known: readonly Option[], of: string): void {
  const names = known.map(({ name }) => name)
  for (const name of given) {
    if (names.includes(name)) continue
    const near = names.find((other) => distance(other.toLowerCase(), name.toLowerCase()) <= 2)
    const list =
      names.length > 0 ? `It takes ${names.map((one) => `--${one}`).join(', ')}.` : 'It takes none.'
    throw new UsageError(`${of} has no option --${name}.${near ? ` Did you mean --${near}?` : ''} ${list}`)
  }
}

/** Letters to add, leave out or change. */
function distance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, at) => at)
  for (const [at, letter] of [...one].entries()) {
    const next = [at + 1]
    for (const [to, letterTo] of [...other].entries())
      next.push(
        Math.min((row[to + 1] ?? 0) + 1, (next[to] ?? 0) + 1, (row[to] ?? 0) + (letter === letterTo ? 0 : 1)),
      )
    row = next
  }
  return row.at(-1) ?? 0
}

export const optionLines = (options: readonly Option[]): string[] =>
  columns(options.map((option) => [`  --${option.name}`, valuesOf(option), option.description]))

function valuesOf({ type, enum: values, min, max, default: usual }: Option): string {
  const range = min !== undefined || max !== undefined ? `${min ?? ''}–${max ?? ''}` : ''
  const kinds = [values?.join('|'), range, values || range ? '' : type].filter(Boolean).join(' or ')
  return usual === undefined ? kinds : `${kinds} [${String(usual)}]`
}
