import { extname } from 'node:path'
import type { Api } from '../api-types.ts'
import { isFailure } from '../errors.ts'
import type { Mutabor } from '../mutabor.ts'
import { UsageError } from './exit-codes.ts'
import { formatColumns } from './terminal.ts'

type Operation = NonNullable<
  NonNullable<Api['operations']['GET /v1/formats/conversions']['query']>['operation']
>
type Conversion = Api['operations']['GET /v1/formats/conversions']['data']['conversions'][number]
type Option = NonNullable<Conversion['options']>[number]

export const getExtension = (path: string) => extname(path).slice(1).toLowerCase()

/** Returns the options of a conversion or a tool; undefined if the service does not support the conversion. */
export async function fetchOptions(
  client: Mutabor,
  conversion: { readonly from?: string; readonly to?: string; readonly operation?: string },
): Promise<readonly Option[] | undefined> {
  const { from, to, operation } = conversion
  try {
    const { conversions } = await client.call('GET /v1/formats/conversions', {
      query: {
        ...(from && { from }),
        ...(to && { to }),
        ...(operation && { operation: operation as Operation }), // the service rejects unknown operations
      },
    })
    return conversions[0]?.options
  } catch (thrownError) {
    if (isFailure(thrownError, 'FORMAT_NOT_FOUND')) return undefined
    throw thrownError
  }
}

/** Rejects unknown options. The service would ignore them and only return a warning. */
export function requireKnownOptions(
  givenOptions: readonly string[],
  knownOptions: readonly Option[],
  subject: string,
): void {
  const names = knownOptions.map(({ name }) => name)
  for (const name of givenOptions) {
    if (names.includes(name)) continue
    const suggestion = names.find(
      (other) => computeEditDistance(other.toLowerCase(), name.toLowerCase()) <= 2,
    )
    const list =
      names.length > 0
        ? `Its options are ${names.map((text) => `--${text}`).join(', ')}.`
        : 'It has no options.'
    throw new UsageError(
      `${subject} has no option --${name}.${suggestion ? ` Did you mean --${suggestion}?` : ''} ${list}`,
    )
  }
}

/**
 * Returns how many characters must be inserted, deleted or replaced to turn one text into the other (Levenshtein
 * distance).
 */
function computeEditDistance(text: string, otherText: string): number {
  let row = Array.from({ length: otherText.length + 1 }, (_, index) => index)
  for (const [index, character] of [...text].entries()) {
    const nextRow = [index + 1]
    for (const [to, otherCharacter] of [...otherText].entries())
      nextRow.push(
        Math.min(
          (row[to + 1] ?? 0) + 1,
          (nextRow[to] ?? 0) + 1,
          (row[to] ?? 0) + (character === otherCharacter ? 0 : 1),
        ),
      )
    row = nextRow
  }
  return row.at(-1) ?? 0
}

export const formatOptions = (options: readonly Option[]): string[] =>
  formatColumns(options.map((option) => [`  --${option.name}`, formatValues(option), option.description]))

function formatValues({ type, enum: values, min, max, default: defaultValue }: Option): string {
  const range = min !== undefined || max !== undefined ? `${min ?? ''}–${max ?? ''}` : ''
  const kinds = [values?.join('|'), range, values || range ? '' : type].filter(Boolean).join(' or ')
  return defaultValue === undefined ? kinds : `${kinds} [${String(defaultValue)}]`
}
