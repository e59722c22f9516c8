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
  /** The fields that say which files, and what their values may be. */
  readonly place: { readonly path: string; readonly prefix: string }
  readonly path: z.ZodString
  /** What an export may say of the files it stores. */
  readonly attributes?: z.ZodRawShape
  readonly find: () => Promise<Find>
  readonly openStore: () => Promise<OpenStore>
}

/** Files of such a store. */
export function storeImport(kind: StoreKind): ImportOperation {
  const { name, alias, title, access, secrets, place, path, find } = kind
  return {
    kind: 'import',
    name: `import/${name}`,
    ...(alias && { alias: `import/${alias}` }),
    summary: `Fetch files from ${title}`,
    fields: z
      .strictObject({
        ...access,
        [place.path]: path.optional().describe('The file'),
        [place.prefix]: path
          .optional()
          .describe(`What the names of the files begin with, instead of \`${place.path}\``),
      })
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
  const { name, alias, title, access, secrets, place, path, attributes, openStore } = kind
  return {
    kind: 'export',
    name: `export/${name}`,
    ...(alias && { alias: `export/${alias}` }),
    summary: `Store the files in ${title}`,
    fields: z.strictObject({
      ...access,
      [place.path]: path
        .optional()
        .describe('Where the file goes; `{name} {ext} {jobId} {index} {date}` stand for what they say'),
      [place.prefix]: path
        .optional()
        .describe(`Stands before the names of the files, instead of \`${place.path}\``),
      ...attributes,
    }),
    place,
    secrets,
    openStore,
  }
}

/** What most stores keep with a file. */
export const storedWith = {
  cache_control: z.string().max(256).optional().describe('Header of its downloads'),
  content_disposition: z.string().max(512).optional().describe('Header of its downloads'),
  metadata: z.record(z.string(), z.string()).optional().describe('Names and values that are stored with it'),
} as const

export const endpoint = z.url({ protocol: /^https?$/ }).optional()
