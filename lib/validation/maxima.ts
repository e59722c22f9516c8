import * as z from 'zod'

/**
 * Maximum lengths of texts in requests, for fields without a reason for a limit of their own. Without one, a text could
 * be as long as the body, and whatever stores it or looks through it would fail or block the service.
 */
export const maxLengths = {
  /** Ids, and names of formats, engines, operations, tasks, languages and options. */
  id: 200,
  /** Names of files, patterns, and values such as colors, lengths, passwords and lists of a few words. */
  name: 1024,
  url: 4096,
  /** Anything in a query, which the limit of the request line restricts as well. */
  query: 10_240,
  /** Lists of ids in one text, and options as JSON. */
  list: 65_536,
  /** JSON that lists the files of a batch with their options. */
  items: 1_048_576,
  /** The content of a file. */
  file: 33_554_432,
} as const

export type TextKind = keyof typeof maxLengths

export const text = (kind: TextKind) => z.string().max(maxLengths[kind])

/** Maximum number of names in an object with names that the client chooses. */
export const maxNames = 200

/** What limits a schema as a whole, whatever it consists of. */
const limits = z.registry<{ readonly names?: number; readonly jsonLength?: number }>()

export const getLimits = (schema: z.core.$ZodType) => limits.get(schema)

/** An object with names that the client chooses. */
export function createNamedValues<Value extends z.ZodType>(
  name: z.ZodType<string, string>,
  value: Value,
  names = maxNames,
  nameDescription = 'names',
) {
  return z
    .record(name, value)
    .refine((values) => Object.keys(values).length <= names, `expected at most ${names} ${nameDescription}`)
    .meta({ maxProperties: names })
    .register(limits, { names })
}

const fitsAsJson = (value: unknown) => (JSON.stringify(value)?.length ?? 0) <= maxLengths.list

/** Any JSON, of which something else checks the content. */
export const createJsonSchema = () =>
  z
    .unknown()
    .refine(fitsAsJson, `expected at most ${maxLengths.list} characters`)
    .register(limits, { jsonLength: maxLengths.list })

/** A task, which may contain a file: only the body limits its length. */
export const createFileJsonSchema = () => z.unknown().register(limits, { jsonLength: maxLengths.file })

/** Options of an engine, which are checked when the engine is known. */
export const createOptionsSchema = () =>
  createNamedValues(text('id'), z.unknown())
    .refine(fitsAsJson, `expected at most ${maxLengths.list} characters of JSON`)
    .register(limits, { names: maxNames, jsonLength: maxLengths.list })
