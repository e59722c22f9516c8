import * as z from 'zod'
import { createJobHeaders, grantWaitS, loadViewState, waitUntilFinished } from '../access/job-access.ts'
import { createConversionGraph, type RequestedConversion } from '../conversion/conversion-graph.ts'
import { Estimate, estimateJob } from '../conversion/estimate.ts'
import { exportRequestFields } from '../conversion/remote-files.ts'
import { startJob } from '../conversion/start-job.ts'
import { AppError, type ErrorCode } from '../errors.ts'
import { getJobResult } from '../jobs/job-state-machine.ts'
import { StatusView, toStatusView } from '../jobs/view.ts'
import { createFileLink } from '../links/file-link.ts'
import { isTerminalStatus, type JobState } from '../model/job.ts'
import { addOption } from '../plan/options.ts'
import type { Services } from '../services/services.ts'
import { component } from '../validation/component.ts'
import { createOptionsSchema, text } from '../validation/maxima.ts'
import { parseInput, parseJson } from '../validation/parse-input.ts'
import { webhookUrl } from '../webhooks/target-url.ts'
import type { HttpRequest } from './contract.ts'
import { idempotencyHeader } from './idempotency.ts'
import { optionalBooleanParameter } from './query.ts'

/** What the endpoints that convert files share: reading the request, starting the job, replying. */

export const waitQuery = z.object({
  redirect: optionalBooleanParameter.describe(
    'Reply with a redirect (303) to the file itself once it is ready, which saves the request to `downloadUrl`',
  ),
})

/** Statuses of the reply of every endpoint that creates a job. */
export const createdJobStatuses = {
  status: 202,
  headers: ['location', 'retry-after', 'preference-applied'],
  form: 'mirrored',
} as const

/** Success statuses of a reply if the job has already finished. */
export const completedStatuses = { 200: 'The job finished while the request waited (`Prefer: wait`)' }
export const redirectStatuses = {
  ...completedStatuses,
  303: 'The job has finished and `Location` is its result (`?redirect=true`)',
}

/** Errors of files, targets and options. */
export const conversionErrors = [
  'NO_FILES',
  'INVALID_REQUEST',
  'INVALID_INPUT',
  'FILE_TOO_LARGE',
  'UNSUPPORTED_FORMAT',
  'UNSUPPORTED_CONVERSION',
  'CORRUPT_FILE',
  'TIMEOUT',
  'PDF_ENCRYPTED',
  'FILE_ENCRYPTED',
  'UPLOAD_NOT_FOUND',
  'UPLOAD_INCOMPLETE',
  'CONFLICT',
  'INSUFFICIENT_DISK_SPACE',
  'URL_NOT_ALLOWED',
] as const satisfies readonly ErrorCode[]

/** Fields of a conversion: the target format under its current name and two older names, and the options. */
export const targetFields = {
  targetFormat: text('id').optional().describe('Id of the target format, such as `pdf`; see GET /v1/formats'),
  output_format: text('id').optional().describe('Deprecated name of `targetFormat`'),
  target: text('id').optional().describe('Deprecated name of `targetFormat`'),
  ...exportRequestFields,
  engine: text('id').optional().describe('Engine to use; chosen automatically if omitted'),
  filename: text('name')
    .optional()
    .describe('Name of the source file, if it differs from that of the form part'),
  tag: z.string().max(200).optional().describe('Any text that helps you find the job later'),
  webhookUrl: webhookUrl.optional(),
  options: z
    .union([text('list'), createOptionsSchema()])
    .optional()
    .describe(
      'Options as an object (JSON in a form). Options may also be sent as fields of their own. `pdfEngine` may be `auto`',
    ),
}

export const combineImagesField = z
  .union([z.boolean(), optionalBooleanParameter])
  .optional()
  .describe(
    'Create one PDF with a page for each image: `file` first, then each `additionalFile`. The target format is pdf',
  )

export const createMissingTargetError = () =>
  new AppError('INVALID_REQUEST', 'targetFormat is missing. Send the format to convert to, such as pdf.', {
    field: 'targetFormat',
  })

type Fields = Readonly<Record<string, unknown>> & {
  readonly options?: string | Record<string, unknown> | undefined
}

/** Merges `options` with the body's fields that the schema does not declare. @throws AppError INVALID_INPUT */
export function collectOptions(body: Fields, schema: z.ZodObject): Record<string, unknown> {
  const optionFields = Object.fromEntries(
    Object.entries(body).filter(([name]) => !Object.hasOwn(schema.shape, name)),
  )
  const options = { ...parseOptionsObject(body.options) }
  for (const [name, value] of Object.entries(optionFields)) addOption(options, name, value)
  return parseInput(allOptionsSchema, options, 'options')
}

/** Schema with all options, which also limits options sent as separate fields. */
const allOptionsSchema = createOptionsSchema()

function parseOptionsObject(options: string | Record<string, unknown> | undefined): Record<string, unknown> {
  if (typeof options !== 'string') return options ?? {}
  if (options.trim() === '') return {}
  const expected = 'a JSON object such as {"quality":"high"}'
  return parseJson(createOptionsSchema(), options, 'options', expected)
}

interface ConversionRequest extends RequestedConversion {
  readonly imagesOnly?: boolean | undefined
  readonly tag?: string | undefined
  readonly webhookUrl?: string | undefined
}

type Sender = Pick<HttpRequest<unknown, unknown, unknown>, 'principal' | 'requestId' | 'newJobId'>

/**
 * Starts a conversion.
 * @throws AppError for files, targets and options that cannot work; nothing is stored in that case.
 */
export const startRequestedConversion = (
  sender: Sender,
  request: ConversionRequest,
  services: Services,
): Promise<JobState> =>
  startJob(
    {
      owner: sender.principal.ownerId,
      keyId: sender.principal.keyId,
      requestId: sender.requestId,
      jobId: sender.newJobId(),
      tag: request.tag,
      webhookUrl: request.webhookUrl,
      ...createConversionGraph(request),
      additionalFilesField: request.additionalField,
      imagesOnly: request.imagesOnly,
    },
    services,
  )

/** The status of a job that was just created. */
export const CreatedJobView = component(
  'CreatedJob',
  StatusView.extend({
    estimate: Estimate.nullable().describe(
      'Estimate made at the time of the request; later, `progress.etaMs` of the status is more accurate. Null if the job has finished or its duration cannot be estimated',
    ),
  }),
)

interface WaitRequest {
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly remainingMs: () => number
  readonly query: { readonly redirect?: boolean | undefined }
}

/** Waits, if the client asked for it, until the new job has finished or the time is up. Returns the job's state. */
export async function waitForNewJob(
  createdState: JobState,
  waitRequest: Omit<WaitRequest, 'query'>,
  services: Services,
) {
  const waitS = await grantWaitS(waitRequest, 'create', services, createdState.job)
  const job =
    waitS === undefined
      ? undefined
      : await waitUntilFinished(services, createdState.job.id, waitS, createdState.job)
  const state = job ? await loadViewState(job, services) : createdState
  const headers = { ...createJobHeaders(state.job, waitS), location: `/v1/jobs/${state.job.id}` }
  return { state, status: isTerminalStatus(state.job.status) ? 200 : 202, headers }
}

/**
 * Adds a wait to requests of HTML forms with `redirect=true`: forms cannot send `Prefer`, and their users want the
 * file, not JSON.
 */
function addFormWait(waitRequest: WaitRequest): WaitRequest {
  const { headers, query } = waitRequest
  const isForm = query.redirect === true && headers.accept?.includes('text/html') === true
  return isForm ? { ...waitRequest, headers: { prefer: 'wait=25', ...headers } } : waitRequest
}

/** Like `waitForNewJob`, but returns a complete reply, which redirects to the result if the client asked for that. */
export async function respondWithJob(createdState: JobState, request: WaitRequest, services: Services) {
  const waitRequest = addFormWait(request)
  const { state, status, headers } = await waitForNewJob(createdState, waitRequest, services)
  const estimate = await estimateJob(state, services).catch((error: unknown) => {
    // The job exists, so the client must get its reply even without an estimate.
    services.log.warn({ error, jobId: state.job.id }, 'no estimate')
    return null
  })
  const data = { ...toStatusView(state, services.resultLink), estimate }
  if (waitRequest.query.redirect && data.result) {
    const [file] = getJobResult(state).files
    // A redirect is not kept: a reply that is stored for replays would outlive the presigned URL of the file.
    const isKept = waitRequest.headers[idempotencyHeader] !== undefined
    const location = file && !isKept ? await createFileLink(file, services) : data.result.downloadUrl
    return { data, status: 303, headers: { ...headers, location } }
  }
  return { data, status, headers }
}
