import * as z from 'zod'

/**
 * Maximum lengths of texts in requests, for fields that need no specific limit. Without a limit, a text could be as
 * long as the body, and code that stores or searches it would fail or block the service.
 */
export const maxLengths = {
  /** Ids, and names of formats, engines, operations, tasks, languages and options */
  id: 200,
  /** Filenames, patterns, and values such as colors, lengths, passwords and lists of a few words */
  name: 1024,
  url: 4096,
  /** Query parameters; the limit of the request line also applies to them */
  query: 10_240,
  /** Lists of ids in one text, and options as JSON */
  list: 65_536,
  /** JSON that lists the files of a batch with their options */
  items: 1_048_576,
  /** The content of a file */
  file: 33_554_432,
} as const

export type TextKind = keyof typeof maxLengths

export const text = (kind: TextKind) => z.string().max(maxLengths[kind])

/** Maximum number of names in an object with names that the client chooses. */
export const maxNames = 200

/**
 * Limits on whole values (number of names, length as JSON) that a refinement checks, so that they cannot be read from
 * the schema itself.
 */
const limits = z.registry<{ readonly names?: number; readonly jsonLength?: number }>()

export const getLimits = (schema: z.core.$ZodType) => limits.get(schema)

/** Creates the schema of an object with names that the client chooses. */
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

/** Creates a schema for any JSON, whose content is checked elsewhere. */
export const createJsonSchema = () =>
  z
    .unknown()
    .refine(fitsAsJson, `expected at most ${maxLengths.list} characters`)
    .register(limits, { jsonLength: maxLengths.list })

/** Creates the schema of a task. A task may contain a file, so only the limit of the body applies. */
export const createFileJsonSchema = () => z.unknown().register(limits, { jsonLength: maxLengths.file })

/** Creates the schema of engine options, which are checked when the engine is known. */
export const createOptionsSchema = () =>
  createNamedValues(text('id'), z.unknown())
    .refine(fitsAsJson, `expected at most ${maxLengths.list} characters of JSON`)
    .register(limits, { names: maxNames, jsonLength: maxLengths.list })
