import * as z from 'zod'
import { VersionConflict } from '../../lib/aws/table.ts'
import {
  type EngineId,
  type Operation,
  type ToolOperation,
  toolOperations,
} from '../../lib/engines/engine.ts'
import { AppError, type ErrorCode } from '../../lib/errors.ts'
import { withExtension } from '../../lib/file-name.ts'
import { detectFormat, type PdfHint } from '../../lib/formats/detect.ts'
import { type FormatId, formatByAlias, formatById } from '../../lib/formats/index.ts'
import { decryptFirst } from '../../lib/formats/locked-pdf.ts'
import type { HttpRequest } from '../../lib/http/contract.ts'
import { newId } from '../../lib/ids.ts'
import { conversionJob } from '../../lib/jobs/conversion.ts'
import { isTerminal, type Job, type StoredFile } from '../../lib/jobs/job.ts'
import { statusView } from '../../lib/jobs/view.ts'
import { optionsOf, planRoute } from '../../lib/plan/index.ts'
import type { Services } from '../../lib/services.ts'
import { takenBy, type UploadRecord } from '../../lib/uploads.ts'
import { stepsWithOptions } from './conversion-options.ts'
import { jobHeaders, waitForEnd, waitOf } from './job-access.ts'
import { requireInputs } from './more-inputs.ts'
import { optionalBoolean } from './query.ts'
import type { Source } from './source.ts'

/** What the endpoints share that turn files into a job: reading what is wanted, starting the job, answering. */

export const waitQuery = z.object({
  redirect: optionalBoolean.describe('Answer 303 to the result when it is there'),
})

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
  'UPLOAD_NOT_FOUND',
  'UPLOAD_INCOMPLETE',
  'CONFLICT',
  'INSUFFICIENT_DISK_SPACE',
] as const satisfies readonly ErrorCode[]

/** The target under its name and two older ones, and options that stand beside or in `options`. */
export const targetFields = {
  targetFormat: z.string().optional().describe('Target format id, as `pdf`; see GET /v1/formats'),
  output_format: z.string().optional().describe('Older name of targetFormat'),
  target: z.string().optional().describe('Older name of targetFormat'),
  engine: z.string().optional().describe('Pins one engine; automatic when left out'),
  filename: z.string().optional().describe('Name of the source, when it is not that of the file part'),
  tag: z.string().max(200).optional().describe('Anything that helps you to find the job again'),
  options: z
    .union([z.string(), z.record(z.string(), z.unknown())])
    .optional()
    .describe('Options as an object (JSON in a form); they may also stand beside it'),
}

type Fields = Readonly<Record<string, unknown>> & {
  readonly options?: string | Record<string, unknown> | undefined
  readonly targetFormat?: string | undefined
  readonly output_format?: string | undefined
  readonly target?: string | undefined
}

/** Every field that is none of the endpoint's own, and what stands in `options`. */
export function givenOptions(body: Fields, schema: z.ZodObject): Record<string, unknown> {
  const beside = Object.fromEntries(Object.entries(body).filter(([name]) => !(name in schema.shape)))
  return { ...beside, ...optionsObject(body.options) }
}

function optionsObject(options: string | Record<string, unknown> | undefined): Record<string, unknown> {
  if (typeof options !== 'string') return options ?? {}
  if (options.trim() === '') return {}
  try {
    return z.record(z.string(), z.unknown()).parse(JSON.parse(options))
  } catch (error) {
    throw new AppError(
      'INVALID_INPUT',
      'options: expected a JSON object such as {"quality":"high"}.',
      { field: 'options' },
      { cause: error },
    )
  }
}

/** @throws AppError INVALID_INPUT, UNSUPPORTED_FORMAT; undefined when no target is named. */
export function targetFormatOf(body: Fields): FormatId | undefined {
  const given = [body.targetFormat, body.output_format, body.target].filter(
    (name) => name !== undefined && name !== '',
  )
  const [first] = given
  if (first === undefined) return undefined
  if (given.some((name) => name !== first)) {
    throw new AppError(
      'INVALID_INPUT',
      `targetFormat, output_format and target are names of one field, but differ: ${given.join(', ')}.`,
      { field: 'targetFormat' },
    )
  }
  const format = formatByAlias(first)
  if (format) return format.id
  throw new AppError(
    'UNSUPPORTED_FORMAT',
    `targetFormat: "${first.slice(0, 64)}" is no format that we know. GET /v1/formats lists them.`,
    { field: 'targetFormat' },
  )
}

/** @throws AppError INVALID_INPUT for a name that is no tool. */
export function toolOf(name: string | undefined): ToolOperation | undefined {
  if (name === undefined || name === '') return undefined
  const tool = toolOperations.find((candidate) => candidate === name.toLowerCase())
  if (tool) return tool
  throw new AppError(
    'INVALID_INPUT',
    `toolOperation: expected one of ${toolOperations.join(', ')}, got "${name.slice(0, 64)}".`,
    { field: 'toolOperation', expected: toolOperations },
  )
}

export interface ConversionRequest {
  readonly sources: readonly [Source, ...Source[]]
  /** The form field of the sources after the first, for messages. */
  readonly moreField: string
  readonly operation: Operation
  /** The format of the first source when left out. */
  readonly to?: FormatId | undefined
  readonly engine?: EngineId | undefined
  /** As they came: nothing of them is known to be an option. */
  readonly options: Readonly<Record<string, unknown>>
  readonly tag?: string | undefined
}

type Sender = Pick<HttpRequest<unknown, unknown, unknown>, 'owner' | 'requestId'>

/**
 * Looks into the files, plans, and puts the job into the queue.
 * @throws AppError for files, targets and options that cannot work; nothing is queued then.
 */
export async function startConversion(
  { owner, requestId }: Sender,
  request: ConversionRequest,
  services: Services,
): Promise<Job> {
  const { sources, operation, engine, options } = request
  const files: StoredFile[] = []
  for (const source of sources) files.push(storedFile(source, await detectSource(source, request, services)))
  const [first, ...more] = files
  if (!first) throw new Error('a conversion without a source')
  const from = first.format as FormatId // detectFormat made it
  const route = planRoute({ from, to: request.to ?? from, operation, engine, engines: services.engines })
  requireInputs(more, { route, operation, field: request.moreField })
  const { steps, warnings } = stepsWithOptions(route, options)
  const jobId = newId('job')
  const state = conversionJob(
    {
      jobId,
      owner: owner.id,
      requestId,
      tag: request.tag ?? null,
      files: [first, ...more],
      steps,
      warnings,
      retentionHours: services.config.RETENTION_HOURS,
    },
    new Date(),
  )
  const uploads = sources.flatMap(({ upload }) => upload ?? [])
  await services.jobs
    .submit(
      state,
      uploads.map((upload) => takenBy(upload, jobId)),
    )
    .catch((error) => {
      throw error instanceof VersionConflict && uploads[0] ? takenAlready(uploads[0]) : error
    })
  for (const source of sources) source.adopt()
  return state.job
}

/** @throws AppError with the way out that the conversion has, for a PDF whose password is missing or wrong. */
async function detectSource(
  source: Source,
  { operation, options, to = 'pdf', engine }: ConversionRequest,
  { engines }: Services,
) {
  try {
    return await detectFormat(source, pdfHint(operation, options))
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'PDF_ENCRYPTED') throw error
    const route = planRoute({ from: 'pdf', to, operation, engine, engines })
    throw 'password' in optionsOf(route).shape ? error : decryptFirst(error)
  }
}

/** What must be known to look into a PDF. */
function pdfHint(operation: Operation, given: Readonly<Record<string, unknown>>): PdfHint {
  // The password of a PDF that is to be locked is the new one.
  const password = operation === 'encrypt-pdf' ? given.currentPassword : given.password
  return {
    ...(typeof password === 'string' && { password }),
    ...(operation === 'repair-pdf' && { mayBeDamaged: true }),
  }
}

const takenAlready = (upload: UploadRecord) =>
  new AppError(
    'CONFLICT',
    `The upload ${upload.id} went into another job already. Upload the file again for a second conversion.`,
    { field: 'uploadId', uploadId: upload.id },
  )

function storedFile(source: Source, detected: { format: FormatId; mimeType: string }): StoredFile {
  const { extensions } = formatById(detected.format)
  const named = extensions.some((extension) => source.filename.toLowerCase().endsWith(`.${extension}`))
  return {
    key: source.key,
    filename: named ? source.filename : withExtension(source.filename, extensions[0] ?? detected.format),
    format: detected.format,
    mimeType: detected.mimeType,
    size: source.size,
    sha256: source.sha256,
  }
}

interface Asked {
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly remainingMs: () => number
  readonly query: { readonly redirect?: boolean | undefined }
}

/** The new job; where the client asked to wait, as it is when it is over or the time is. */
export async function answerCreated(created: Job, asked: Asked, services: Services) {
  const waitS = waitOf(asked)
  const job = waitS === undefined ? created : ((await waitForEnd(services, created.id, waitS)) ?? created)
  const data = statusView(job, services.config.PUBLIC_URL ?? '')
  const base = { ...jobHeaders(job, waitS), location: data.links.job }
  if (asked.query.redirect && data.result)
    return { data, status: 303, headers: { ...base, location: data.result.downloadUrl } }
  return { data, status: isTerminal(job.status) ? 200 : 202, headers: base }
}
