import * as z from 'zod'
import type { FindFiles, OpenStore } from '../transfer/transfer.ts'
import { createNamedValues, maxLengths } from '../validation/maxima.ts'
import { archiveField, type ExportOperation, type ImportOperation } from './operation.ts'

/** A kind of external store, from which its import and export operations are created. */
export interface StoreKind {
  /** The last part of the operations' names, as in `import/s3`. */
  readonly name: string
  readonly alias?: string
  /** Name of the store in summaries, such as `an S3 bucket`. */
  readonly title: string
  /** Fields with the location of the store and the credentials for it. */
  readonly access: z.ZodRawShape
  readonly secrets: readonly string[]
  /** Fields of which at least one is required. */
  readonly needsOneOf?: readonly string[]
  /** Names of the fields that contain a path or a prefix of paths. */
  readonly pathFields: NonNullable<ExportOperation['pathFields']>
  /** Schema of the values of these fields. */
  readonly path: z.ZodString
  /** Fields with attributes of exported files. */
  readonly attributes?: z.ZodRawShape
  readonly find: () => Promise<FindFiles>
  readonly openStore: () => Promise<OpenStore>
}

/** Creates the operation that imports files from a kind of store. */
export function createStoreImport(kind: StoreKind): ImportOperation {
  const { name, alias, title, access, secrets, pathFields, find } = kind
  const path = rejectNul(kind.path)
  return {
    kind: 'import',
    name: `import/${name}`,
    ...(alias && { alias: `import/${alias}` }),
    summary: `Fetch files from ${title}`,
    fields: z
      .strictObject({
        ...access,
        [pathFields.path]: path.optional().describe('Path of the file'),
        [pathFields.prefix]: path
          .optional()
          .describe(`${describePrefix(pathFields)}, instead of \`${pathFields.path}\``),
      })
      .refine(...requireOneOf(kind))
      .refine(
        (fields) => (fields[pathFields.path] === undefined) !== (fields[pathFields.prefix] === undefined),
        {
          path: [pathFields.path],
          message: `expected either ${pathFields.path} or ${pathFields.prefix}`,
        },
      ),
    secrets,
    find,
  }
}

/** Creates the operation that exports files to a kind of store. */
export function createStoreExport(kind: StoreKind): ExportOperation {
  const { name, alias, title, access, secrets, pathFields, attributes, openStore } = kind
  const path = rejectNul(kind.path)
  return {
    kind: 'export',
    name: `export/${name}`,
    ...(alias && { alias: `export/${alias}` }),
    summary: `Export the files to ${title}`,
    fields: z
      .strictObject({
        ...access,
        [pathFields.path]: path
          .optional()
          .describe('Target path; may contain `{name} {ext} {jobId} {index} {date}`'),
        [pathFields.prefix]: path
          .optional()
          .describe(`${describePrefix(pathFields)}, instead of \`${pathFields.path}\``),
        ...attributes,
        archive_multiple_files: archiveField,
      })
      .refine(...requireOneOf(kind)),
    pathFields,
    secrets,
    openStore,
  }
}

/** Rejects NUL characters, which terminate names in many programs. */
const rejectNul = (path: z.ZodString) =>
  path.refine((name) => !name.includes('\0'), 'expected no NUL characters')

const describePrefix = ({ isFolder }: StoreKind['pathFields']) =>
  isFolder ? 'Folder of the files' : 'Prefix of the file names'

/** Checks that at least one of the fields is set. */
function requireOneOf({ needsOneOf: names = [] }: StoreKind) {
  const isValid = (fields: Readonly<Record<string, unknown>>) =>
    names.length === 0 || names.some((name) => fields[name] !== undefined)
  const [firstName = ''] = names
  const path: PropertyKey[] = [firstName]
  return [isValid, { path, message: `expected ${names.join(' or ')}` }] as const
}

/** Text for a header. A line break would split the header in two, and stores only accept ASCII. */
const toHeaderText = (text: z.ZodString) =>
  text.regex(
    /^[ -~]*$/,
    "expected ASCII without line breaks; encode other characters as in filename*=UTF-8''%C3%A4.pdf",
  )

/** Text that is sent unchanged in a header, such as keys and tokens. */
export const toHeaderToken = (text: z.ZodString) => text.regex(/^[!-~]*$/, 'expected ASCII without spaces')

/** Metadata that stores receive as headers. */
export const createMetadataField = (name: z.ZodString) =>
  createNamedValues(
    name,
    z
      .string()
      .regex(/^[ -~]{0,4096}$/, 'expected ASCII without line breaks; percent-encode other characters'),
    100,
  )
    .optional()
    .describe('Metadata to store with the file')

/** Headers that most stores keep with a file. */
export const headerFields = {
  cache_control: toHeaderText(z.string().max(256)).optional().describe('Cache-Control header of downloads'),
  content_disposition: toHeaderText(z.string().max(512))
    .optional()
    .describe('Content-Disposition header of downloads'),
} as const

export const endpointField = z
  .url({ protocol: /^https?$/ })
  .max(maxLengths.url)
  .optional()
