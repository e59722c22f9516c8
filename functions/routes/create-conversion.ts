import * as z from 'zod'
import { write } from '../../lib/access/principal.ts'
import { pinnedEngine } from '../../lib/conversion/options.ts'
import { fileUrl } from '../../lib/conversion/remote.ts'
import { openSource, uploadedSource } from '../../lib/conversion/source.ts'
import { targetFormatOf, toolOf } from '../../lib/conversion/target.ts'
import { toolOperations } from '../../lib/engines/engine.ts'
import { AppError } from '../../lib/errors.ts'
import { contract, type HttpRequest } from '../../lib/http/contract.ts'
import {
  answerCreated,
  CreatedView,
  conversionErrors,
  type GivenFile,
  givenOptions,
  mayRedirect,
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
  fileUrl: fileUrl.optional(),
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
  access: write,
  tag: 'Conversion',
  summary: 'Convert a file',
  description:
    'Send the file itself as a form, an `uploadId`, or a `fileUrl` to fetch it from. The reply comes when the conversion is queued; with `Prefer: wait=25` when it is over, at the latest after that many seconds, and with `?redirect=true` it then leads to the result. Options depend on the pair or the tool: see GET /v1/formats/conversions. Unknown ones are dropped and listed in `warnings`.',
  query: waitQuery,
  body: {
    accepts: ['multipart', 'json', 'form'],
    schema: Fields,
    files: {
      file: 'The source file',
      additionalFile: 'Repeatable: the watermark of add-watermark-pdf, further pictures of combineImages',
    },
  },
  reply: { status: 202, also: mayRedirect, schema: CreatedView, form: 'mirrored' },
  idempotent: true,
  errors: conversionErrors,
  handle: async (request, services) => {
    const made = await request.jobMadeBefore()
    return answerCreated(made ?? (await start(request, services)), request, services)
  },
})

type Request = HttpRequest<unknown, unknown, z.infer<typeof Fields>>

async function start(request: Request, services: Services): Promise<JobState> {
  const { body, files, principal } = request
  const options = givenOptions(body, Fields)
  const tool = toolOf(body.toolOperation)
  const to = targetFormatOf(body)
  if (!to && !tool) throw noTarget()
  const sources = await Promise.all([
    body.fileUrl === undefined ? openSource(request, services) : fileBehind(request),
    ...files.filter(({ field }) => field === 'additionalFile'),
    ...(body.additionalUploadIds ?? []).map((id) =>
      uploadedSource(id, 'additionalUploadIds', principal.ownerId, services),
    ),
  ])
  const conversion = {
    sources,
    moreField: 'additionalFile',
    operation: tool ?? (body.combineImages ? 'merge' : 'convert'),
    to,
    engine: pinnedEngine(body.engine),
    options,
    tag: body.tag,
    webhookUrl: body.webhookUrl,
    exported: body,
  } as const
  return startConversion(request, conversion, services)
}

/** @throws AppError INVALID_REQUEST where there is another source beside it. */
function fileBehind({ body, files }: Request): GivenFile {
  const { fileUrl: url = '', filename } = body
  const other = body.uploadId ? 'uploadId' : files.some(({ field }) => field === 'file') ? 'file' : undefined
  if (!other) return { url, filename, field: 'fileUrl' }
  throw new AppError(
    'INVALID_REQUEST',
    `Both \`fileUrl\` and \`${other}\` were sent; exactly one of them names the source.`,
    { field: 'fileUrl' },
  )
}

const noTarget = () =>
  new AppError('INVALID_REQUEST', 'targetFormat is missing: name the format to convert to, such as pdf.', {
    field: 'targetFormat',
  })
