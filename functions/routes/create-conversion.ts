import * as z from 'zod'
import { VersionConflict } from '../../lib/aws/table.ts'
import { AppError } from '../../lib/errors.ts'
import { withExtension } from '../../lib/file-name.ts'
import { detectFormat } from '../../lib/formats/detect.ts'
import { type FormatId, formatByAlias, formatById } from '../../lib/formats/index.ts'
import { contract } from '../../lib/http/contract.ts'
import { newId } from '../../lib/ids.ts'
import { conversionJob } from '../../lib/jobs/conversion.ts'
import { isTerminal, type Job, type StoredFile } from '../../lib/jobs/job.ts'
import { StatusView, statusView } from '../../lib/jobs/view.ts'
import { planRoute } from '../../lib/plan/index.ts'
import type { Services } from '../../lib/services.ts'
import { takenBy, type UploadRecord } from '../../lib/uploads.ts'
import { pinnedEngine, readOptions } from './conversion-options.ts'
import { jobHeaders, waitForEnd, waitOf } from './job-access.ts'
import { optionalBoolean } from './query.ts'
import { openSource, type Source } from './source.ts'

const Fields = z.looseObject({
  targetFormat: z.string().optional().describe('Target format id, as `pdf`; see GET /v1/formats'),
  output_format: z.string().optional().describe('Older name of targetFormat'),
  target: z.string().optional().describe('Older name of targetFormat'),
  engine: z.string().optional().describe('Pins one engine; automatic when left out'),
  uploadId: z.string().optional().describe('An upload made with POST /v1/uploads/presign, instead of `file`'),
  filename: z.string().optional().describe('Name of the source, when it is not that of the file part'),
  tag: z.string().max(200).optional().describe('Anything that helps you to find the job again'),
  options: z
    .union([z.string(), z.record(z.string(), z.unknown())])
    .optional()
    .describe('Options of the conversion as an object (JSON in a form); they may also stand beside it'),
})

/** Fields that are not options of the conversion. */
const ownFields = new Set(Object.keys(Fields.shape))

export const createConversion = contract({
  method: 'POST',
  path: '/v1/convert',
  tag: 'Conversion',
  summary: 'Convert a file',
  description:
    'Send the file itself as a form, or an `uploadId`. The reply comes when the conversion is queued; with `Prefer: wait=25` when it is over, at the latest after that many seconds, and with `?redirect=true` it then leads to the result. Options depend on the pair: see GET /v1/formats/conversions. Unknown ones are dropped and listed in `warnings`.',
  query: z.object({ redirect: optionalBoolean.describe('Answer 303 to the result when it is there') }),
  body: { accepts: ['multipart', 'json', 'form'], schema: Fields, files: { file: 'The source file' } },
  reply: { status: 202, schema: StatusView, form: 'mirrored' },
  errors: [
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
  ],
  handle: async (request, services) => {
    const { body, owner, requestId } = request
    const given = givenOptions(body)
    refuseTools(given)
    const target = targetOf(body)
    const engine = pinnedEngine(body.engine)
    const source = await openSource(request, services)
    const detected = await detectFormat(
      source,
      typeof given.password === 'string' ? { password: given.password } : undefined,
    )
    const route = planRoute({ from: detected.format, to: target, engine, engines: services.engines })
    const { options, warnings } = readOptions(route, given)
    const jobId = newId('job')
    const state = conversionJob(
      {
        jobId,
        owner: owner.id,
        requestId,
        tag: body.tag ?? null,
        source: storedFile(source, detected),
        target,
        route,
        options,
        warnings,
        retentionHours: services.config.RETENTION_HOURS,
      },
      new Date(),
    )
    await services.jobs.submit(state, source.upload ? [takenBy(source.upload, jobId)] : []).catch((error) => {
      throw error instanceof VersionConflict && source.upload ? takenAlready(source.upload) : error
    })
    source.adopt()
    return answer(state.job, request, services)
  },
})

function givenOptions(body: z.infer<typeof Fields>): Record<string, unknown> {
  const beside = Object.fromEntries(Object.entries(body).filter(([name]) => !ownFields.has(name)))
  return { ...beside, ...optionsObject(body.options) }
}

function optionsObject(options: string | Record<string, unknown> | undefined): Record<string, unknown> {
  if (typeof options !== 'string') return options ?? {}
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

/** A tool changes what the request means, so it must not be dropped like an unknown option. */
function refuseTools(given: Record<string, unknown>): void {
  for (const field of ['toolOperation', 'combineImages', 'exportMethod']) {
    if (given[field] === undefined || given[field] === 'false' || given[field] === '') continue
    throw new AppError(
      'UNSUPPORTED_CONVERSION',
      `${field}: this service does not offer it yet. Leave it out to convert the file.`,
      { field },
    )
  }
}

function targetOf(body: z.infer<typeof Fields>): FormatId {
  const given = [body.targetFormat, body.output_format, body.target].filter(
    (name) => name !== undefined && name !== '',
  )
  const [first] = given
  if (first === undefined) {
    throw new AppError(
      'INVALID_REQUEST',
      'targetFormat is missing: name the format to convert to, such as pdf.',
      {
        field: 'targetFormat',
      },
    )
  }
  if (given.some((name) => name !== first)) {
    throw new AppError(
      'INVALID_INPUT',
      `targetFormat, output_format and target are names of one field, but differ: ${given.join(', ')}.`,
      {
        field: 'targetFormat',
      },
    )
  }
  const format = formatByAlias(first)
  if (format) return format.id
  throw new AppError(
    'UNSUPPORTED_FORMAT',
    `targetFormat: "${first.slice(0, 64)}" is no format that we know. GET /v1/formats lists them.`,
    {
      field: 'targetFormat',
    },
  )
}

const takenAlready = (upload: UploadRecord) =>
  new AppError(
    'CONFLICT',
    `The upload ${upload.id} went into another job already. Upload the file again for a second conversion.`,
    {
      field: 'uploadId',
      uploadId: upload.id,
    },
  )

function storedFile(source: Source, detected: { format: FormatId; mimeType: string }): StoredFile {
  const { extensions } = formatById(detected.format)
  const named = extensions.some((extension) => source.name.toLowerCase().endsWith(`.${extension}`))
  return {
    key: source.key,
    filename: named ? source.name : withExtension(source.name, extensions[0] ?? detected.format),
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

async function answer(created: Job, asked: Asked, services: Services) {
  const waitS = waitOf(asked)
  const job = waitS === undefined ? created : ((await waitForEnd(services, created.id, waitS)) ?? created)
  const data = statusView(job, services.config.PUBLIC_URL ?? '')
  const base = { ...jobHeaders(job, waitS), location: data.links.job }
  if (asked.query.redirect && data.result)
    return { data, status: 303, headers: { ...base, location: data.result.downloadUrl } }
  return { data, status: isTerminal(job.status) ? 200 : 202, headers: base }
}
