import * as z from 'zod'
import type { Find, OpenStore } from '../transfer/transfer.ts'
import type { ExportOperation, ImportOperation } from './operation.ts'

/** A kind of store of somebody else, as tasks name it; of these its import and its export are made. */
interface StoreKind {
  /** As in `import/s3`. */
  readonly name: string
  readonly alias?: string
  /** For summaries, as `an S3 bucket`. */
  readonly title: string
  /** Where it is and who may use it. */
  readonly access: z.ZodRawShape
  readonly secrets: readonly string[]
  /** Fields of which at least one has to be there. */
  readonly needsOneOf?: readonly string[]
  /** The fields that say which files, and what their values may be. */
  readonly place: NonNullable<ExportOperation['place']>
  readonly path: z.ZodString
  /** What an export may say of the files it stores. */
  readonly attributes?: z.ZodRawShape
  readonly find: () => Promise<Find>
  readonly openStore: () => Promise<OpenStore>
}

/** Files of such a store. */
export function createStoreImport(kind: StoreKind): ImportOperation {
  const { name, alias, title, access, secrets, place, find } = kind
  const path = rejectNul(kind.path)
  return {
    kind: 'import',
    name: `import/${name}`,
    ...(alias && { alias: `import/${alias}` }),
    summary: `Fetch files from ${title}`,
    fields: z
      .strictObject({
        ...access,
        [place.path]: path.optional().describe('The file'),
        [place.prefix]: path.optional().describe(`${describePrefix(place)}, instead of \`${place.path}\``),
      })
      .refine(...requireOneOf(kind))
      .refine((fields) => (fields[place.path] === undefined) !== (fields[place.prefix] === undefined), {
        path: [place.path],
        message: `expected either ${place.path} or ${place.prefix}`,
      }),
    secrets,
    find,
  }
}

/** Files go into such a store. */
export function createStoreExport(kind: StoreKind): ExportOperation {
  const { name, alias, title, access, secrets, place, attributes, openStore } = kind
  const path = rejectNul(kind.path)
  return {
    kind: 'export',
    name: `export/${name}`,
    ...(alias && { alias: `export/${alias}` }),
    summary: `Store the files in ${title}`,
    fields: z
      .strictObject({
        ...access,
        [place.path]: path
          .optional()
          .describe('Where the file goes; `{name} {ext} {jobId} {index} {date}` stand for what they say'),
        [place.prefix]: path.optional().describe(`${describePrefix(place)}, instead of \`${place.path}\``),
        ...attributes,
      })
      .refine(...requireOneOf(kind)),
    place,
    secrets,
    openStore,
  }
}

/** Where it stands, programs take a name to be over. */
const rejectNul = (path: z.ZodString) => path.refine((name) => !name.includes('\0'), 'expected no NUL')

const describePrefix = ({ isFolder }: StoreKind['place']) =>
  isFolder ? 'Folder of the files' : 'What the names of the files begin with'

/** A check that one of these fields is there. */
function requireOneOf({ needsOneOf: names = [] }: StoreKind) {
  const isValid = (fields: Readonly<Record<string, unknown>>) =>
    names.length === 0 || names.some((name) => fields[name] !== undefined)
  const [first = ''] = names
  const path: PropertyKey[] = [first]
  return [isValid, { path, message: `expected ${names.join(' or ')}` }] as const
}

/** A line break would make two headers of one, and stores take no letters but those of ASCII. */
const headerText = (text: z.ZodString) =>
  text.regex(/^[ -~]*$/, "expected ASCII without line breaks; other letters as filename*=UTF-8''%C3%A4.pdf")

/** Goes into a header as it is, as keys and tokens do. */
export const headerToken = (text: z.ZodString) => text.regex(/^[!-~]*$/, 'expected ASCII without spaces')

/** Names and values that stores keep in headers. */
export const metadataField = (name: z.ZodString) =>
  z
    .record(
      name,
      z.string().regex(/^[ -~]*$/, 'expected ASCII without line breaks; other letters percent-encoded'),
    )
    .optional()
    .describe('Names and values that are stored with it')

/** What most stores keep with a file. */
export const headerFields = {
  cache_control: headerText(z.string().max(256)).optional().describe('Header of its downloads'),
  content_disposition: headerText(z.string().max(512)).optional().describe('Header of its downloads'),
} as const

export const endpointField = z.url({ protocol: /^https?$/ }).optional()
