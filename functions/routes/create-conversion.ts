import * as z from 'zod'
import { readCombineImages } from '../../lib/conversion/combine-images.ts'
import type { SourceInput } from '../../lib/conversion/conversion-graph.ts'
import { fileUrlField } from '../../lib/conversion/remote-files.ts'
import { openSource, openUploadedSource } from '../../lib/conversion/source.ts'
import { copySourceFromJob } from '../../lib/conversion/source-from-job.ts'
import { AppError } from '../../lib/errors.ts'
import { contract, type HttpRequest } from '../../lib/http/contract.ts'
import {
  CreatedJobView,
  collectOptions,
  combineImagesField,
  conversionErrors,
  createdJobStatuses,
  createMissingTargetError,
  redirectStatuses,
  respondWithJob,
  startRequestedConversion,
  targetFields,
  waitQuery,
} from '../../lib/http/conversion-request.ts'
import { uploadIdsSchema } from '../../lib/http/upload-ids.ts'
import type { JobState } from '../../lib/model/job.ts'
import { toolOperations } from '../../lib/model/operations.ts'
import { writeAccess } from '../../lib/model/principal.ts'
import { parseEngine } from '../../lib/plan/options.ts'
import { parseTargetFormat, parseToolOperation } from '../../lib/plan/target-format.ts'
import type { Services } from '../../lib/services/services.ts'
import { component } from '../../lib/validation/component.ts'
import { createJsonSchema, text } from '../../lib/validation/maxima.ts'

const Fields = component(
  'ConversionRequest',
  z
    .object({
      ...targetFields,
      uploadId: text('id')
        .optional()
        .describe('Upload created with POST /v1/uploads/presign, instead of `file`'),
      fileUrl: fileUrlField.optional(),
      sourceJobId: text('id')
        .optional()
        .describe('Id of one of your jobs, to convert its source file again; instead of `file`'),
      sourceTask: text('id')
        .optional()
        .describe(
          'With `sourceJobId`: the task of that job whose file is converted; by default, the first source file of the job',
        ),
      toolOperation: text('id')
        .optional()
        .describe(
          `A tool instead of a conversion: ${toolOperations.join(', ')}. For PDF tools, the target format is pdf`,
        ),
      combineImages: combineImagesField,
      additionalUploadIds: uploadIdsSchema
        .optional()
        .describe('Uploads instead of `additionalFile`, in order'),
    })
    .catchall(createJsonSchema()),
)

export const createConversion = contract({
  method: 'POST',
  path: '/v1/convert',
  access: writeAccess,
  tag: 'Conversion',
  summary: 'Convert a file',
  description:
    'Send the file in a form, an `uploadId`, a `fileUrl` to fetch it from, or the `sourceJobId` of an earlier job to convert its file again. The reply is sent when the conversion is queued, or with `Prefer: wait=25` when it has finished, but after 25 seconds at the latest. With `?redirect=true` the reply then redirects to the result. Options depend on the formats or the tool, see GET /v1/formats/conversions. Unknown options are ignored and listed in `warnings`.',
  query: waitQuery,
  body: {
    accepts: ['multipart', 'json', 'form'],
    schema: Fields,
    files: {
      file: 'The source file',
      additionalFile: 'Repeatable: the watermark of add-watermark-pdf, or further images for combineImages',
    },
  },
  reply: {
    ...createdJobStatuses,
    otherStatuses: redirectStatuses,
    schema: CreatedJobView,
  },
  idempotent: true,
  createsWork: true,
  errors: [...conversionErrors, 'JOB_NOT_FOUND', 'TASK_NOT_FOUND', 'FILE_GONE'],
  handle: async (request, services) => {
    const earlierState = await request.findEarlierJob()
    return respondWithJob(earlierState ?? (await start(request, services)), request, services)
  },
})

type Request = HttpRequest<unknown, unknown, z.infer<typeof Fields>>

async function start(request: Request, services: Services): Promise<JobState> {
  const { body, files, principal } = request
  const options = collectOptions(body, Fields)
  const tool = parseToolOperation(body.toolOperation)
  const to = parseTargetFormat(body)
  if (!to && !tool) throw createMissingTargetError()
  const combinesImages = readCombineImages(body.combineImages, tool, to)
  const additionalSources = await Promise.all([
    ...files.filter(({ field }) => field === 'additionalFile'),
    ...(body.additionalUploadIds ?? []).map((id) =>
      openUploadedSource(id, 'additionalUploadIds', principal, services),
    ),
  ])
  const conversion = {
    additionalField: 'additionalFile',
    operation: tool ?? (combinesImages ? 'merge' : 'convert'),
    imagesOnly: combinesImages,
    to,
    engine: parseEngine(body.engine),
    options,
    tag: body.tag,
    webhookUrl: body.webhookUrl,
    exportFields: body,
  } as const
  const { source, discard } = await openFirstSource(request, services)
  try {
    return await startRequestedConversion(
      request,
      { ...conversion, sources: [source, ...additionalSources] },
      services,
    )
  } finally {
    await discard?.()
  }
}

async function openFirstSource(
  request: Request,
  services: Services,
): Promise<{ source: SourceInput; discard?: () => Promise<void> }> {
  const { fileUrl: url, filename, sourceJobId, sourceTask } = request.body
  const sourceField = sourceJobId !== undefined ? 'sourceJobId' : url !== undefined ? 'fileUrl' : undefined
  if (!sourceField) {
    rejectMisnamedFileUrl(request)
    return { source: await openSource(request, services) }
  }
  requireSingleSource(request, sourceField)
  if (sourceJobId !== undefined)
    return copySourceFromJob({ sourceJobId, sourceTask, filename }, request.principal, services)
  return { source: { url: url ?? '', filename, field: 'fileUrl' } }
}

/** Names that other services use for the field `fileUrl`. */
const misnamedFileUrlFields = [
  'url',
  'file_url',
  'sourceUrl',
  'source_url',
  'inputUrl',
  'input_url',
  'fileURL',
  'link',
]

/** @throws AppError NO_FILES if the only source is a URL in a field with a wrong name. */
function rejectMisnamedFileUrl({ body, files }: Request): void {
  const bodyFields: Readonly<Record<string, unknown>> = body
  const name = misnamedFileUrlFields.find((field) => typeof bodyFields[field] === 'string')
  if (name === undefined || files.length > 0 || body.uploadId !== undefined) return
  throw new AppError(
    'NO_FILES',
    `The request contains no file: \`${name}\` is not a known field. Send the URL as \`fileUrl\`.`,
    {
      field: 'fileUrl',
    },
  )
}

/** @throws AppError INVALID_REQUEST if the request has another source too. */
function requireSingleSource({ body, files }: Request, name: 'sourceJobId' | 'fileUrl'): void {
  const otherSources = {
    uploadId: body.uploadId,
    file: files.some(({ field }) => field === 'file'),
    fileUrl: name !== 'fileUrl' && body.fileUrl,
  }
  const otherSource = Object.entries(otherSources).find(([, value]) => value)?.[0]
  if (!otherSource) return
  throw new AppError(
    'INVALID_REQUEST',
    `Both \`${name}\` and \`${otherSource}\` were sent; send exactly one of them.`,
    { field: name },
  )
}
