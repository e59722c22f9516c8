import * as z from 'zod'
import { type IdPrefix, idPattern } from '../ids.ts'
import type { Warning } from '../model/job.ts'
import { parseBoolean } from '../validation/coerce.ts'
import { findSimilar, formatSuggestion } from '../validation/did-you-mean.ts'
import type { AnyContract } from './contract.ts'

/** A boolean in a query or form, in upper or lower case; an empty value counts as not sent. */
export const optionalBooleanParameter = z
  .preprocess(
    (value) => (typeof value === 'string' ? value.trim().toLowerCase() || undefined : value),
    z.enum(['true', 'false', '1', '0', 'yes', 'no', 'on', 'off']).optional(),
  )
  .transform((text) => (text === undefined ? undefined : parseBoolean(text)))
  .optional()

/**
 * Returns warnings that name the query parameters that a JSON endpoint does not have. Unknown parameters are ignored,
 * because a client may send parameters of a later version.
 */
export function warnAboutUnknownParameters(
  { query, reply }: Pick<AnyContract, 'query' | 'reply'>,
  sentQuery: Readonly<Record<string, unknown>>,
): Warning[] {
  const { form = 'envelope' } = reply
  if (form !== 'envelope' && form !== 'mirrored') return []
  if (query !== undefined && !(query instanceof z.ZodObject)) return []
  // Some endpoints, such as those with signed URLs, accept any parameter.
  if (query?.def.catchall !== undefined) return []
  const knownNames = Object.keys(query?.shape ?? {})
  const unknownNames = Object.keys(sentQuery).filter((name) => !knownNames.includes(name))
  return unknownNames.slice(0, maxUnknownNames).map((name) => {
    const field = name.slice(0, maxNameLength)
    const suggestion = formatSuggestion(findSimilar(name, knownNames))
    const hint = knownNames.length > 0 ? `it has ${knownNames.join(', ')}` : 'it has none'
    return {
      code: 'UNKNOWN_PARAMETER',
      field,
      message: `"${field}" is not a query parameter of this endpoint and was ignored; ${hint}.${suggestion}`,
    }
  })
}

const maxUnknownNames = 20
const maxNameLength = 64

/**
 * Creates the schema of a query parameter that contains the id of the last item of the previous page.
 * @param itemName name of an item of the list, for example `webhook`.
 */
export const createCursorSchema = (prefix: IdPrefix, itemName: string) =>
  z
    .string()
    .regex(idPattern(prefix), `expected the id of the last ${itemName} of the previous page, \`${prefix}_…\``)
    .optional()
    .meta({
      deprecated: true,
      description: `Deprecated form of \`cursor\`: id of the last ${itemName} of the previous page`,
    })
