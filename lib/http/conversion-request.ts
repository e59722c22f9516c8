import * as z from 'zod'
import { takesOneFile } from '../conversion/check-inputs.ts'
import { Estimate, estimateOf } from '../conversion/estimate.ts'
import { addOption } from '../conversion/options.ts'
import { exportTask, fetchTask, remoteFields } from '../conversion/remote-files.ts'
import type { Source } from '../conversion/source.ts'
import { startJob } from '../conversion/start-job.ts'
import type { EngineId, Operation } from '../engines/engine.ts'
import { AppError, type ErrorCode } from '../errors.ts'
import type { FormatId } from '../formats/index.ts'
import { isTerminalStatus, type JobState } from '../jobs/job.ts'
import { resultOfJob } from '../jobs/job-state-machine.ts'
import { StatusView, statusView } from '../jobs/view.ts'
import { parseJson } from '../parse-input.ts'
import type { Services } from '../services.ts'
import { exportUrl } from '../tasks/export-url.ts'
import { importUpload } from '../tasks/import-upload.ts'
import { processOperation } from '../tasks/index.ts'
import type { RequestedTask } from '../tasks/parse-tasks.ts'
import { webhookUrl } from '../webhooks/target-url.ts'
import type { HttpRequest } from './contract.ts'
import { fileLink } from './file-link.ts'
import { idempotencyHeader } from './idempotency.ts'
import { jobHeaders, loadViewState, preferredWaitS, waitUntilFinished } from './job-access.ts'
import { optionalBoolean } from './query.ts'

/** What the endpoints share that turn files into a job: reading what is wanted, starting the job, answering. */

export const waitQuery = z.object({
  redirect: optionalBoolean.describe(
    'Answer 303 to the file itself when it is there: one request fewer than by `downloadUrl`',
  ),
})

/** What is answered by who starts a job. */
export const createdJobReply = {
  status: 202,
  headers: ['location', 'retry-after', 'preference-applied'],
  form: 'mirrored',
} as const

/** What else it may be. */
export const completedReply = { 200: 'The job is over: `Prefer: wait` waited for it' }
export const redirectReply = {
  ...completedReply,
  303: 'The job is over, and `?redirect=true` leads to its result',
}

/** What can be wrong with files and wishes. */
export const conversionErrors = [
  'NO_FILES',
  'INVALID_REQUEST',
  'INVALID_INPUT',
  'FILE_TOO_LARGE',
  'UNSUPPORTED_FORMAT',
  'UNSUPPORTED_CONVERSION',
  'CORRUPT_FILE',
  'PDF_ENCRYPTED',
  'FILE_ENCRYPTED',
  'UPLOAD_NOT_FOUND',
  'UPLOAD_INCOMPLETE',
  'CONFLICT',
  'INSUFFICIENT_DISK_SPACE',
  'URL_NOT_ALLOWED',
] as const satisfies readonly ErrorCode[]

/** The target under its name and two older ones, and options that stand beside or in `options`. */
export const targetFields = {
  targetFormat: z.string().optional().describe('Target format id, as `pdf`; see GET /v1/formats'),
  output_format: z.string().optional().describe('Older name of targetFormat'),
  target: z.string().optional().describe('Older name of targetFormat'),
  ...remoteFields,
  engine: z.string().optional().describe('Pins one engine; automatic when left out'),
  filename: z.string().optional().describe('Name of the source, when it is not that of the file part'),
  tag: z.string().max(200).optional().describe('Anything that helps you to find the job again'),
  webhookUrl: webhookUrl.optional(),
  options: z
    .union([z.string(), z.record(z.string(), z.unknown())])
    .optional()
    .describe(
      'Options as an object (JSON in a form); they may also stand beside it. `pdfEngine` may be `auto`',
    ),
}

export const missingTargetError = () =>
  new AppError('INVALID_REQUEST', 'targetFormat is missing: name the format to convert to, such as pdf.', {
    field: 'targetFormat',
  })

type Fields = Readonly<Record<string, unknown>> & {
  readonly options?: string | Record<string, unknown> | undefined
}

/** Every field that is none of the endpoint's own, and what stands in `options`. @throws AppError INVALID_INPUT */
export function collectOptions(body: Fields, schema: z.ZodObject): Record<string, unknown> {
  const beside = Object.fromEntries(
    Object.entries(body).filter(([name]) => !Object.hasOwn(schema.shape, name)),
  )
  const options = { ...optionsObject(body.options) }
  for (const [name, value] of Object.entries(beside)) addOption(options, name, value)
  return options
}

function optionsObject(options: string | Record<string, unknown> | undefined): Record<string, unknown> {
  if (typeof options !== 'string') return options ?? {}
  if (options.trim() === '') return {}
  const expected = 'a JSON object such as {"quality":"high"}'
  return parseJson(z.record(z.string(), z.unknown()), options, 'options', expected)
}

/** A file that is here, or the address that it is fetched from. */
export type SourceInput =
  | Source
  | { readonly url: string; readonly filename?: string | undefined; readonly field: string }

export interface ConversionRequest {
  readonly sources: readonly [SourceInput, ...SourceInput[]]
  /** The form field of the sources after the first, for messages. */
  readonly additionalField: string
  readonly operation: Operation
  /** The format of the first source when left out. */
  readonly to?: FormatId | undefined
  readonly engine?: EngineId | undefined
  /** As they came: nothing of them is known to be an option. */
  readonly options: Readonly<Record<string, unknown>>
  readonly tag?: string | undefined
  readonly webhookUrl?: string | undefined
  /** Whether, and how, the result is stored elsewhere too. */
  readonly exportFields: Parameters<typeof exportTask>[0]
}

type Sender = Pick<HttpRequest<unknown, unknown, unknown>, 'principal' | 'requestId' | 'newJobId'>

/**
 * A conversion as a graph of tasks: its files are there, one task works on them, the result can be fetched.
 * @throws AppError for files, targets and options that cannot work; nothing is stored then.
 */
export function startConversion(
  sender: Sender,
  request: ConversionRequest,
  services: Services,
): Promise<JobState> {
  const { sources, operation, to, engine, options } = request
  // A task would convert each of them, and a reply shows one result.
  if (operation === 'convert' && sources.length > 1)
    throw takesOneFile(operation, request.additionalField, sources.length)
  const imports = sources.map((source, at) => ({
    name: at === 0 ? 'import-file' : `import-file-${at + 1}`,
    source,
  }))
  const task = (name: string, kind: RequestedTask['operation'], input: readonly string[]): RequestedTask => ({
    ...{ name, operation: kind, input },
    continueOnError: false,
    fields: {},
  })
  const stored = exportTask(request.exportFields, ['convert-file'])
  const tasks: RequestedTask[] = [
    ...imports.map(({ name, source }) =>
      'url' in source ? fetchTask(name, source) : task(name, importUpload, []),
    ),
    {
      ...task(
        'convert-file',
        processOperation(operation),
        imports.map(({ name }) => name),
      ),
      fields: { output_format: to, engine, options },
    },
    task('export-file', exportUrl, ['convert-file']),
    ...(stored ? [stored] : []),
  ]
  return startJob(
    {
      owner: sender.principal.ownerId,
      keyId: sender.principal.keyId,
      requestId: sender.requestId,
      jobId: sender.newJobId(),
      tag: request.tag,
      webhookUrl: request.webhookUrl,
      tasks,
      imports: new Map(imports.flatMap(({ name, source }) => ('url' in source ? [] : [[name, { source }]]))),
      fieldOfMore: request.additionalField,
    },
    services,
  )
}

/** The status of a job that was just made. */
export const CreatedJobView = StatusView.extend({
  estimate: Estimate.nullable().describe(
    'A guess, made once when the job was: `progress.etaMs` of its status knows more. Null when it is over',
  ),
})

interface WaitRequest {
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly remainingMs: () => number
  readonly query: { readonly redirect?: boolean | undefined }
}

/** The new job; where the client asked to wait, as it is when it is over or the time is. */
export async function waitForJob(created: JobState, asked: Omit<WaitRequest, 'query'>, services: Services) {
  const waitS = preferredWaitS(asked)
  const job =
    waitS === undefined ? undefined : await waitUntilFinished(services, created.job.id, waitS, created.job)
  const state = job ? await loadViewState(job, services) : created
  const headers = { ...jobHeaders(state.job, waitS), location: `/v1/jobs/${state.job.id}` }
  return { state, status: isTerminalStatus(state.job.status) ? 200 : 202, headers }
}

/** A form of a page cannot say that it waits, but its visitor wants the file and no JSON. */
function withFormWait(asked: WaitRequest): WaitRequest {
  const { headers, query } = asked
  const isForm = query.redirect === true && headers.accept?.includes('text/html') === true
  return isForm ? { ...asked, headers: { prefer: 'wait=25', ...headers } } : asked
}

/** The same as an answer, which leads to the result where the client wants to go there. */
export async function respondWithJob(created: JobState, asking: WaitRequest, services: Services) {
  const asked = withFormWait(asking)
  const { state, status, headers } = await waitForJob(created, asked, services)
  const estimate = await estimateOf(state, services).catch((error: unknown) => {
    // The job is made, and its client has to hear of it, with or without a guess.
    services.log.warn({ error, jobId: state.job.id }, 'no estimate')
    return null
  })
  const data = { ...statusView(state, services.resultLink), estimate }
  if (asked.query.redirect && data.result) {
    const [file] = resultOfJob(state).files
    // A reply that is kept to be repeated would outlive the address of the file itself.
    const isKept = asked.headers[idempotencyHeader] !== undefined
    const location = file && !isKept ? await fileLink(file, services) : data.result.downloadUrl
    return { data, status: 303, headers: { ...headers, location } }
  }
  return { data, status, headers }
}
