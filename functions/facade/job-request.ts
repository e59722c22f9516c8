import * as z from 'zod'
import { AppError } from '../../lib/errors.ts'

/** Names of operations here and what we call them; those that are left out are called the same. */
const ourNames: Readonly<Record<string, string>> = {
  optimize: 'compress',
  'import/azure/blob': 'import/blobstore',
  'export/azure/blob': 'export/blobstore',
  'import/google-cloud-storage': 'import/gcs',
  'export/google-cloud-storage': 'export/gcs',
}
const theirNames = Object.fromEntries(Object.entries(ourNames).map(([theirs, ours]) => [ours, theirs]))

export const theirOperation = (operation: string): string => theirNames[operation] ?? operation

/** Fields that say nothing to us: the bytes tell the format, and engines come in one version. */
const leftOut = ['input_format', 'engine_version', 'ignore_error', 'timeout']

type Fields = Readonly<Record<string, unknown>>

/** Of the words of `profile` those that mean something; all else only wants a smaller file. */
const profiles: Readonly<Record<string, string>> = {
  web: 'web',
  print: 'printer',
  archive: 'prepress',
  mrc: 'ebook',
  max: 'max',
}

/** Fields of single operations that have another name or form with us. */
const translations: Readonly<Record<string, (fields: Fields) => Fields>> = {
  optimize: ({ profile, quality, ...fields }) => ({
    ...fields,
    ...(typeof profile === 'string' && { profile: profiles[profile] ?? 'web' }),
    ...(quality !== undefined && { quality }),
  }),
  'import/google-cloud-storage': ({ file, file_prefix, ...fields }) => ({
    ...withCredentials(fields),
    ...(file !== undefined && { key: file }),
    ...(file_prefix !== undefined && { key_prefix: file_prefix }),
  }),
  'export/google-cloud-storage': ({ file, file_prefix, ...fields }) => ({
    ...withCredentials(fields),
    ...(file !== undefined && { key: file }),
    ...(file_prefix !== undefined && { key_prefix: file_prefix }),
  }),
  merge: ({ output_format: to, ...fields }) => ({
    ...fields,
    ...(to !== undefined && { output_format: to }),
  }),
  'export/url': ({ inline }) => ({ ...(inline !== undefined && { inline }) }),
}

const withCredentials = ({ client_email, private_key, ...fields }: Fields): Fields => ({
  ...fields,
  credentials: { client_email, private_key },
})

const Task = z.looseObject({
  operation: z.string().min(1),
  input: z.union([z.string(), z.array(z.string())]).optional(),
  ignore_error: z.boolean().optional(),
})

export const JobBody = z.looseObject({
  tasks: z.record(z.string(), Task),
  tag: z.string().max(200).nullish(),
  webhook_url: z.string().nullish(),
})
export type JobBody = z.infer<typeof JobBody>

/** Of exports that nobody asked for: our jobs give out every file that no other task takes. */
const ownExport = '__facade-export-'

export const isOwn = (taskName: string): boolean => taskName.startsWith(ownExport)

/** A task that is no part of a job stands alone in one under this name. */
export const aloneName = 'task'

/** The body of POST /v1/jobs that says the same. */
export function ourJob({ tasks, tag, webhook_url }: JobBody) {
  const ours = Object.fromEntries(
    Object.entries(tasks).map(([name, task]) => [name, { ...named(name, tasks), ...ourTask(task) }]),
  )
  const taken = new Set(Object.values(tasks).flatMap(({ input = [] }) => input))
  const open = Object.entries(tasks).filter(
    ([name, { operation }]) => !operation.startsWith('export/') && !taken.has(name),
  )
  const rest = open.map(([name], at) => [`${ownExport}${at}`, { operation: 'export/url', input: name }])
  return {
    tasks: { ...ours, ...Object.fromEntries(rest) },
    failFast: false,
    ...(tag && { tag }),
    ...(webhook_url && { webhookUrl: webhook_url, webhookFormat: 'facade-v2' as const }),
  }
}

/**
 * What comes by a form has no name for us, and a text by its bytes alone could be anything: the format that is named by
 * whoever takes it is the best that is known.
 */
function named(name: string, tasks: JobBody['tasks']): Fields {
  if (tasks[name]?.operation !== 'import/upload') return {}
  const taker = Object.values(tasks).find(({ input = [] }) => [input].flat().includes(name))
  const format = taker?.['input_format']
  return typeof format === 'string' && /^\w{1,16}$/.test(format) ? { filename: `file.${format}` } : {}
}

function ourTask({ operation, input, ignore_error, ...fields }: z.infer<typeof Task>): Fields {
  const kept = Object.fromEntries(
    Object.entries(fields).filter(([name, value]) => !leftOut.includes(name) && value !== null),
  )
  return {
    operation: ourNames[operation] ?? operation,
    ...(input !== undefined && { input }),
    ...(ignore_error && { continue_on_error: true }),
    ...(translations[operation]?.(kept) ?? kept),
  }
}

/** A single task, which brings its file itself. @throws AppError INVALID_INPUT for one that takes files of others. */
export function aloneBody(operation: string, fields: Fields): JobBody {
  if (fields['input'] !== undefined)
    throw new AppError(
      'INVALID_INPUT',
      'input: a task by itself cannot take the files of another job. Send both as the tasks of one job.',
      { field: 'input' },
    )
  return { tasks: { [aloneName]: { ...fields, operation } } }
}
