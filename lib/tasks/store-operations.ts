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
export function storeImport(kind: StoreKind): ImportOperation {
  const { name, alias, title, access, secrets, place, find } = kind
  const path = withoutNul(kind.path)
  return {
    kind: 'import',
    name: `import/${name}`,
    ...(alias && { alias: `import/${alias}` }),
    summary: `Fetch files from ${title}`,
    fields: z
      .strictObject({
        ...access,
        [place.path]: path.optional().describe('The file'),
        [place.prefix]: path.optional().describe(`${prefixOf(place)}, instead of \`${place.path}\``),
      })
      .refine(...oneOf(kind))
      .refine((fields) => (fields[place.path] === undefined) !== (fields[place.prefix] === undefined), {
        path: [place.path],
        message: `expected either ${place.path} or ${place.prefix}`,
      }),
    secrets,
    find,
  }
}

/** Files go into such a store. */
export function storeExport(kind: StoreKind): ExportOperation {
  const { name, alias, title, access, secrets, place, attributes, openStore } = kind
  const path = withoutNul(kind.path)
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
        [place.prefix]: path.optional().describe(`${prefixOf(place)}, instead of \`${place.path}\``),
        ...attributes,
      })
      .refine(...oneOf(kind)),
    place,
    secrets,
    openStore,
  }
}

/** Where it stands, programs take a name to be over. */
const withoutNul = (path: z.ZodString) => path.refine((name) => !name.includes('\0'), 'expected no NUL')

const prefixOf = ({ isFolder }: StoreKind['place']) =>
  isFolder ? 'Folder of the files' : 'What the names of the files begin with'

/** A check that one of these fields is there. */
function oneOf({ needsOneOf: names = [] }: StoreKind) {
  const isFine = (fields: Readonly<Record<string, unknown>>) =>
    names.length === 0 || names.some((name) => fields[name] !== undefined)
  const [first = ''] = names
  const path: PropertyKey[] = [first]
  return [isFine, { path, message: `expected ${names.join(' or ')}` }] as const
}

/** A line break would make two headers of one, and stores take no letters but those of ASCII. */
const inHeader = (text: z.ZodString) =>
  text.regex(/^[ -~]*$/, "expected ASCII without line breaks; other letters as filename*=UTF-8''%C3%A4.pdf")

/** Goes into a header as it is, as keys and tokens do. */
export const word = (text: z.ZodString) => text.regex(/^[!-~]*$/, 'expected ASCII without spaces')

/** Names and values that stores keep in headers. */
export const metadataOf = (name: z.ZodString) =>
  z
    .record(
      name,
      z.string().regex(/^[ -~]*$/, 'expected ASCII without line breaks; other letters percent-encoded'),
    )
    .optional()
    .describe('Names and values that are stored with it')

/** What most stores keep with a file. */
export const storedWith = {
  cache_control: inHeader(z.string().max(256)).optional().describe('Header of its downloads'),
  content_disposition: inHeader(z.string().max(512)).optional().describe('Header of its downloads'),
} as const

export const endpoint = z.url({ protocol: /^https?$/ }).optional()
