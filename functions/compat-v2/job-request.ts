import * as z from 'zod'
import { maxTasks } from '../../lib/tasks/parse-tasks.ts'
import { defined } from '../../lib/validation/defined.ts'
import {
  createFileJsonSchema,
  createJsonSchema,
  createNamedValues,
  text,
} from '../../lib/validation/maxima.ts'
import {
  internalTaskPrefix,
  isInternalTask,
  operationsByCompatName,
} from '../../lib/webhooks/compat-names.ts'

/** Alternative spellings of operations in the tasks of a job. */
const operationAliases: Readonly<Record<string, string>> = {
  'import/azure-blob': 'import/azure/blob',
  'export/azure-blob': 'export/azure/blob',
}
/** Fields that have no effect: formats are detected from the content, and there is one version of each engine. */
const ignoredFields = ['input_format', 'engine_version', 'ignore_error', 'timeout', 'name']

type Fields = Readonly<Record<string, unknown>>

/** The service's optimization profile for each `profile` that a client may send; any other value means `web`. */
const profiles: Readonly<Record<string, string>> = {
  web: 'web',
  print: 'printer',
  archive: 'prepress',
  mrc: 'ebook',
  max: 'max',
}

/** Translates, per operation, the fields that have another name or form in the service's own API. */
const fieldTranslations: Readonly<Record<string, (fields: Fields) => Fields>> = {
  optimize: ({ profile, ...fields }) => ({
    ...fields,
    ...(typeof profile === 'string' && { profile: profiles[profile] ?? 'web' }),
  }),
  'import/google-cloud-storage': ({ file, file_prefix, ...fields }) => ({
    ...withCredentials(fields),
    ...defined({ key: file, key_prefix: file_prefix }),
  }),
  'export/google-cloud-storage': ({ file, file_prefix, ...fields }) => ({
    ...withCredentials(fields),
    ...defined({ key: file, key_prefix: file_prefix }),
  }),
  'export/url': ({ inline }) => ({ ...defined({ inline }) }),
}

const withCredentials = ({ client_email, private_key, ...fields }: Fields): Fields => ({
  ...fields,
  credentials: { client_email, private_key },
})

const fields = {
  input: z
    .union([text('id'), z.array(text('id')).max(maxTasks)])
    .nullish()
    .transform((input) => input ?? undefined),
  ignore_error: z.boolean().optional(),
}
const Task = z.object({ operation: text('id').min(1), ...fields }).catchall(createFileJsonSchema())

/** Body of a single task, whose operation is in the path. */
export const SingleTaskBody = z
  .object({ ...fields, name: text('id').nullish() })
  .catchall(createFileJsonSchema())

const TaskName = text('id').refine(
  (name) => !isInternalTask(name),
  `expected names that do not begin with ${internalTaskPrefix}`,
)

export const JobBody = z
  .object({
    tasks: createNamedValues(TaskName, Task, maxTasks, 'tasks'),
    tag: z.string().max(200).nullish(),
    webhook_url: text('url').nullish(),
  })
  .catchall(createJsonSchema())
export type JobBody = z.infer<typeof JobBody>

export const internalExportPrefix = `${internalTaskPrefix}export-`
export const internalImportPrefix = `${internalTaskPrefix}import-`
const internalArchivePrefix = `${internalTaskPrefix}archive-`

type Tasks = JobBody['tasks']

/** Translates a job to the body of POST /v1/jobs. */
export function toNativeJob({ tasks: compatTasks, tag, webhook_url }: JobBody) {
  const tasks = addArchiveTasks(compatTasks)
  const nativeTasks = Object.entries(tasks).map(([name, task]): [string, Record<string, unknown>] => [
    name,
    { ...inferFilename(name, tasks), ...toNativeTask(task) },
  ])
  const inputTaskNames = new Set(Object.values(tasks).flatMap(({ input = [] }) => input))
  const outputTasks = Object.entries(tasks).filter(
    ([name, { operation }]) => !operation.startsWith('export/') && !inputTaskNames.has(name),
  )
  // In the service's own API, files that no other task uses need an export task.
  const exportTasks = outputTasks.map(([name], at): [string, Record<string, unknown>] => [
    `${internalExportPrefix}${at}`,
    { operation: 'export/url', input: name },
  ])
  return {
    tasks: Object.fromEntries([...nativeTasks, ...exportTasks]),
    failFast: false,
    ...(tag && { tag }),
    ...(webhook_url && { webhookUrl: webhook_url, webhookFormat: 'facade-v2' as const }),
  }
}

/** Adds an archive task before each export with `archive_multiple_files`. */
function addArchiveTasks(tasks: Tasks): Tasks {
  const tasksWithArchives: Record<string, Tasks[string]> = {}
  for (const [name, { archive_multiple_files: archivesFiles, ...task }] of Object.entries(tasks)) {
    const needsArchive = task.operation === 'export/url' && archivesFiles === true
    const archiveTaskName = `${internalArchivePrefix}${Object.keys(tasksWithArchives).length}`
    if (needsArchive) tasksWithArchives[archiveTaskName] = { operation: 'archive', input: task.input }
    tasksWithArchives[name] = needsArchive ? { ...task, input: archiveTaskName } : task
  }
  return tasksWithArchives
}

/**
 * Returns a filename for an upload. The upload forms of this API contain no filename, and the format of a text file
 * cannot be detected from its content. So the extension is the `input_format` of the task that uses the upload.
 */
function inferFilename(name: string, tasks: Tasks): Fields {
  if (tasks[name]?.operation !== 'import/upload') return {}
  const consumer = Object.values(tasks).find(({ input = [] }) => [input].flat().includes(name))
  const format = consumer?.['input_format']
  return typeof format === 'string' && /^\w{1,16}$/.test(format) ? { filename: `file.${format}` } : {}
}

function toNativeTask({
  operation: compatOperation,
  input,
  ignore_error,
  ...fields
}: z.infer<typeof Task>): Fields {
  const operation = operationAliases[compatOperation] ?? compatOperation
  const nativeFields = Object.fromEntries(
    Object.entries(fields).filter(([name, value]) => !ignoredFields.includes(name) && value !== null),
  )
  return {
    operation: operationsByCompatName[operation] ?? operation,
    ...defined({ input }),
    ...(ignore_error && { continue_on_error: true }),
    ...(fieldTranslations[operation]?.(nativeFields) ?? nativeFields),
  }
}

/** Name of a single task that the client did not name. */
const defaultTaskName = 'task'

/** Wraps a single task in a job. */
export function wrapSingleTask(
  operation: string,
  { name, ...taskFields }: z.output<typeof SingleTaskBody>,
): { readonly name: string; readonly body: JobBody } {
  const isValidName = typeof name === 'string' && /^[\w-]{1,64}$/.test(name) && !isInternalTask(name)
  const givenName = isValidName ? name : defaultTaskName
  return { name: givenName, body: { tasks: { [givenName]: { ...taskFields, operation } } } }
}
