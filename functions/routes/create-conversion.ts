import * as z from 'zod'
import { writeAccess } from '../../lib/access/principal.ts'
import { parseEngine } from '../../lib/conversion/options.ts'
import { fileUrlField } from '../../lib/conversion/remote-files.ts'
import { openSource, uploadedSource } from '../../lib/conversion/source.ts'
import { copySourceFromJob } from '../../lib/conversion/source-from-job.ts'
import { targetFormatOf, toolOf } from '../../lib/conversion/target-format.ts'
import { toolOperations } from '../../lib/engines/engine.ts'
import { AppError } from '../../lib/errors.ts'
import { contract, type HttpRequest } from '../../lib/http/contract.ts'
import {
  CreatedJobView,
  collectOptions,
  conversionErrors,
  createdJobReply,
  missingTargetError,
  redirectReply,
  respondWithJob,
  type SourceInput,
  startConversion,
  targetFields,
  waitQuery,
} from '../../lib/http/conversion-request.ts'
import { optionalBoolean } from '../../lib/http/query.ts'
import { uploadIds } from '../../lib/http/upload-ids.ts'
import type { JobState } from '../../lib/jobs/job.ts'
import type { Services } from '../../lib/services.ts'

const Fields = z.looseObject({
  ...targetFields,
  uploadId: z.string().optional().describe('An upload made with POST /v1/uploads/presign, instead of `file`'),
  fileUrl: fileUrlField.optional(),
  sourceJobId: z
    .string()
    .optional()
    .describe('A job of yours whose source is to be converted once more, instead of `file`'),
  sourceTask: z
    .string()
    .optional()
    .describe(
      'With `sourceJobId`: the task of that job whose file is meant, where it is not its first source',
    ),
  toolOperation: z
    .string()
    .optional()
    .describe(
      `A tool instead of a conversion: ${toolOperations.join(', ')}. The target is then pdf for a PDF`,
    ),
  combineImages: z
    .union([z.boolean(), optionalBoolean])
    .optional()
    .describe('One PDF with a page for each picture: `file` first, then each `additionalFile`'),
  additionalUploadIds: uploadIds.optional().describe('Uploads instead of `additionalFile`, in order'),
})

export const createConversion = contract({
  method: 'POST',
  path: '/v1/convert',
  access: writeAccess,
  tag: 'Conversion',
  summary: 'Convert a file',
  description:
    'Send the file itself as a form, an `uploadId`, a `fileUrl` to fetch it from, or the `sourceJobId` of an earlier job, whose file is then converted once more. The reply comes when the conversion is queued; with `Prefer: wait=25` when it is over, at the latest after that many seconds, and with `?redirect=true` it then leads to the result. Options depend on the pair or the tool: see GET /v1/formats/conversions. Unknown ones are dropped and listed in `warnings`.',
  query: waitQuery,
  body: {
    accepts: ['multipart', 'json', 'form'],
    schema: Fields,
    files: {
      file: 'The source file',
      additionalFile: 'Repeatable: the watermark of add-watermark-pdf, further pictures of combineImages',
    },
  },
  reply: {
    ...createdJobReply,
    otherStatuses: redirectReply,
    schema: CreatedJobView,
  },
  idempotent: true,
  errors: [...conversionErrors, 'JOB_NOT_FOUND', 'TASK_NOT_FOUND', 'FILE_GONE'],
  handle: async (request, services) => {
    const made = await request.findEarlierJob()
    return respondWithJob(made ?? (await start(request, services)), request, services)
  },
})

type Request = HttpRequest<unknown, unknown, z.infer<typeof Fields>>

async function start(request: Request, services: Services): Promise<JobState> {
  const { body, files, principal } = request
  const options = collectOptions(body, Fields)
  const tool = toolOf(body.toolOperation)
  const to = targetFormatOf(body)
  if (!to && !tool) throw missingTargetError()
  const more = await Promise.all([
    ...files.filter(({ field }) => field === 'additionalFile'),
    ...(body.additionalUploadIds ?? []).map((id) =>
      uploadedSource(id, 'additionalUploadIds', principal.ownerId, services),
    ),
  ])
  const conversion = {
    additionalField: 'additionalFile',
    operation: tool ?? (body.combineImages ? 'merge' : 'convert'),
    to,
    engine: parseEngine(body.engine),
    options,
    tag: body.tag,
    webhookUrl: body.webhookUrl,
    exportFields: body,
  } as const
  const { source, discard } = await firstSource(request, services)
  try {
    return await startConversion(request, { ...conversion, sources: [source, ...more] }, services)
  } finally {
    await discard?.()
  }
}

async function firstSource(
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

/** What other services call it. */
const misnamedFileUrls = [
  'url',
  'file_url',
  'sourceUrl',
  'source_url',
  'inputUrl',
  'input_url',
  'fileURL',
  'link',
]

/** @throws AppError NO_FILES where the only source is an address in a field that is none. */
function rejectMisnamedFileUrl({ body, files }: Request): void {
  const given: Readonly<Record<string, unknown>> = body
  const name = misnamedFileUrls.find((field) => typeof given[field] === 'string')
  if (name === undefined || files.length > 0 || body.uploadId !== undefined) return
  throw new AppError(
    'NO_FILES',
    `There is no file: \`${name}\` is no field here. Send the address as \`fileUrl\`.`,
    {
      field: 'fileUrl',
    },
  )
}

/** @throws AppError INVALID_REQUEST where there is another source beside it. */
function requireSingleSource({ body, files }: Request, name: 'sourceJobId' | 'fileUrl'): void {
  const others = {
    uploadId: body.uploadId,
    file: files.some(({ field }) => field === 'file'),
    fileUrl: name !== 'fileUrl' && body.fileUrl,
  }
  const other = Object.entries(others).find(([, isPresent]) => isPresent)?.[0]
  if (!other) return
  throw new AppError(
    'INVALID_REQUEST',
    `Both \`${name}\` and \`${other}\` were sent; exactly one of them names the source.`,
    { field: name },
  )
}
