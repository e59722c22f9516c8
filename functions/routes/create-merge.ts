import * as z from 'zod'
import type { SourceInput } from '../../lib/conversion/conversion-graph.ts'
import { fileUrlField } from '../../lib/conversion/remote-files.ts'
import { openUploadedSource } from '../../lib/conversion/source.ts'
import { AppError } from '../../lib/errors.ts'
import { formatByExtension } from '../../lib/formats/index.ts'
import { contract, type HttpRequest } from '../../lib/http/contract.ts'
import {
  CreatedJobView,
  collectOptions,
  conversionErrors,
  createdJobStatuses,
  redirectStatuses,
  respondWithJob,
  startRequestedConversion,
  targetFields,
  waitQuery,
} from '../../lib/http/conversion-request.ts'
import { uploadIdsSchema } from '../../lib/http/upload-ids.ts'
import type { JobState } from '../../lib/model/job.ts'
import { writeAccess } from '../../lib/model/principal.ts'
import { parseTargetFormat } from '../../lib/plan/target-format.ts'
import type { Services } from '../../lib/services/services.ts'
import { defaultMergeTargets, type MergeType, mergeTypes } from '../../lib/tasks/merge.ts'
import { component } from '../../lib/validation/component.ts'
import { createJsonSchema } from '../../lib/validation/maxima.ts'

const { engine: _, ...target } = targetFields

const Fields = component(
  'MergeRequest',
  z
    .object({
      ...target,
      mergeType: z.enum(mergeTypes).default('pdf').describe('Type of the files'),
      fileUrls: z
        .union([z.array(fileUrlField).max(100), fileUrlField.transform((url) => [url])])
        .optional()
        .describe('URLs of files to fetch; they are merged after the files of `file` and `uploadIds`'),
      uploadIds: uploadIdsSchema
        .optional()
        .describe('Uploads instead of `file`, in the order of the result. Each upload can be used once'),
    })
    .catchall(createJsonSchema()),
)

export const createMerge = contract({
  method: 'POST',
  path: '/v1/convert/merge',
  access: writeAccess,
  tag: 'Conversion',
  summary: 'Merge files into one',
  description:
    'Send two or more files in parts named `file`, in the order of the result. PDFs keep their bookmarks (`outline`), matching videos are joined without re-encoding, audio files can be separated by `gap` seconds of silence, and images are arranged by `layout`; see GET /v1/formats/conversions?operation=merge.',
  query: waitQuery,
  body: {
    accepts: ['multipart', 'json', 'form'],
    schema: Fields,
    files: { file: 'Repeatable: the files to merge, in order' },
  },
  reply: {
    ...createdJobStatuses,
    otherStatuses: redirectStatuses,
    schema: CreatedJobView,
  },
  idempotent: true,
  createsWork: true,
  errors: conversionErrors,
  handle: async (request, services) => {
    const earlierState = await request.findEarlierJob()
    return respondWithJob(earlierState ?? (await start(request, services)), request, services)
  },
})

type Request = HttpRequest<unknown, unknown, z.infer<typeof Fields>>

async function start(request: Request, services: Services): Promise<JobState> {
  const { body, files, principal } = request
  const { mergeType } = body
  const [firstSource, secondSource, ...otherSources] = await Promise.all([
    ...files,
    ...(body.uploadIds ?? []).map((id) => openUploadedSource(id, 'uploadIds', principal, services)),
    ...(body.fileUrls ?? []).map((url) => ({ url, field: 'fileUrls' })),
  ])
  if (!firstSource) throw createTooFewFilesError('NO_FILES', 0)
  if (!secondSource) throw createTooFewFilesError('INVALID_INPUT', 1)
  const sources = [firstSource, secondSource, ...otherSources] as const
  requireMatchingExtensions(sources, mergeType)
  const conversion = {
    sources,
    additionalField: 'file',
    operation: 'merge',
    to: parseTargetFormat(body) ?? defaultMergeTargets[mergeType],
    options: collectOptions(body, Fields),
    tag: body.tag,
    webhookUrl: body.webhookUrl,
    exportFields: body,
  } as const
  return startRequestedConversion(request, conversion, services)
}

const createTooFewFilesError = (code: 'NO_FILES' | 'INVALID_INPUT', fileCount: number) =>
  new AppError(
    code,
    `file: expected at least 2 files to merge, got ${fileCount}. Send each in a part named file.`,
    {
      field: 'file',
      min: 2,
      got: fileCount,
    },
  )

/** Rejects files whose extension belongs to another merge type, before reading them. */
function requireMatchingExtensions(sources: readonly SourceInput[], mergeType: MergeType): void {
  for (const [index, source] of sources.entries()) {
    // The type of a fetched file is only known after fetching it.
    if ('url' in source) continue
    const { filename } = source
    const format = formatByExtension(filename)
    if (!format || (mergeType === 'pdf' ? format.id === 'pdf' : format.category === mergeType)) continue
    const extension = filename.slice(filename.lastIndexOf('.') + 1).slice(0, 16)
    throw new AppError(
      'INVALID_INPUT',
      `file: file ${index + 1} has the extension .${extension}, but mergeType is ${mergeType}. Send files of one kind.`,
      { field: 'file', index, extension, mergeType },
    )
  }
}
