import * as z from 'zod'
import { getPlanLimits, requireFilesPerJob } from '../../lib/accounts/plan-limits.ts'
import { createBatchGraph, type RequestedItem } from '../../lib/conversion/conversion-graph.ts'
import type { ImportSource } from '../../lib/conversion/job-request.ts'
import { openUploadedSource, type SourceFile } from '../../lib/conversion/source.ts'
import { startJob } from '../../lib/conversion/start-job.ts'
import { AppError } from '../../lib/errors.ts'
import { BatchItem, BatchItems, normalizeItem, parseBatchItems } from '../../lib/http/batch-items.ts'
import { contract, type HttpRequest } from '../../lib/http/contract.ts'
import {
  collectOptions,
  completedStatuses,
  conversionErrors,
  createdJobStatuses,
  targetFields,
  waitForNewJob,
} from '../../lib/http/conversion-request.ts'
import { optionalBooleanParameter } from '../../lib/http/query.ts'
import { StatusView, toStatusView } from '../../lib/jobs/view.ts'
import type { JobState } from '../../lib/model/job.ts'
import { writeAccess } from '../../lib/model/principal.ts'
import { sanitizeFileName } from '../../lib/names/file-name.ts'
import { parseEngine } from '../../lib/plan/options.ts'
import { parseTargetFormat } from '../../lib/plan/target-format.ts'
import type { Services } from '../../lib/services/services.ts'
import { component } from '../../lib/validation/component.ts'
import { defined } from '../../lib/validation/defined.ts'
import { createJsonSchema, text } from '../../lib/validation/maxima.ts'

/** Maximum number of files in a batch. */
const maxItems = 100

const { filename: _, ...shared } = targetFields

const Fields = component(
  'BatchRequest',
  z
    .object({
      ...shared,
      items: z
        .union([text('items'), BatchItems])
        .optional()
        .describe(
          'One object per file, in order (JSON in a form): its target format, options, name or upload',
        ),
      failFast: z
        .union([z.boolean(), optionalBooleanParameter])
        .optional()
        .describe('Stop the job as soon as a file fails'),
    })
    .catchall(createJsonSchema()),
)

const ItemView = component(
  'CreatedBatchItem',
  z.object({
    index: z.int(),
    filename: z.string(),
    targetFormat: z.string().nullable(),
    taskName: z.string(),
    status: z.enum(['accepted', 'rejected']),
    error: z.object({ code: z.string(), message: z.string() }).optional(),
  }),
)
type ItemView = z.infer<typeof ItemView>

const CreatedBatchView = component(
  'CreatedBatch',
  StatusView.extend({
    batchId: z.string().describe('The same as jobId'),
    total: z.int(),
    accepted: z.int(),
    rejected: z.int(),
    items: z.array(ItemView),
  }),
)

export const createBatch = contract({
  method: 'POST',
  path: '/v1/convert/batch',
  access: writeAccess,
  tag: 'Conversion',
  summary: 'Convert many files in one job',
  description:
    'Send up to 100 files in parts named `file`, with one `targetFormat` or with `items`, one object per file in the same order. Or send JSON with `items` that contain upload ids. The job is completed if at least one file is converted: `summary` has the counts, and GET /v1/jobs/{jobId} shows the task of each file. `result.downloadUrl` delivers all results, several of them as one ZIP. Files that cannot be converted are listed as rejected immediately.',
  body: {
    accepts: ['multipart', 'json'],
    schema: Fields,
    files: { file: 'Repeatable: the files to convert' },
  },
  reply: {
    ...createdJobStatuses,
    otherStatuses: completedStatuses,
    schema: CreatedBatchView,
  },
  idempotent: true,
  createsWork: true,
  errors: conversionErrors,
  handle: async (request, services) => {
    const items = await resolveItems(request, services)
    const createdState = (await request.findEarlierJob()) ?? (await start(request, items, services))
    const { state, ...answer } = await waitForNewJob(createdState, request, services)
    const sharedTarget = parseTargetFormat(request.body)
    const views = items.map((item) => toItemView(item, createdState, sharedTarget))
    const rejectedCount = views.filter(({ status }) => status === 'rejected').length
    return {
      ...answer,
      data: {
        ...toStatusView(state, services.resultLink),
        batchId: createdState.job.id,
        total: items.length,
        accepted: items.length - rejectedCount,
        rejected: rejectedCount,
        items: views,
      },
    }
  },
})

interface ResolvedItem {
  readonly index: number
  readonly item: BatchItem
  readonly names: { readonly import: string; readonly convert: string }
  readonly source: RequestedItem['source']
}

type Request = HttpRequest<unknown, unknown, z.infer<typeof Fields>>

function start(
  { body, principal, requestId, newJobId }: Request,
  items: readonly ResolvedItem[],
  services: Services,
): Promise<JobState> {
  const failFast = body.failFast ?? false
  const options = collectOptions(body, Fields)
  const requestedItems = items.map(({ names, item, source }) => ({
    names,
    source,
    to: item.targetFormat ?? parseTargetFormat(body),
    engine: parseEngine(item.engine ?? body.engine),
    options: { ...options, ...collectOptions(item, BatchItem) },
  }))
  return startJob(
    {
      owner: principal.ownerId,
      keyId: principal.keyId,
      requestId,
      jobId: newJobId(),
      tag: body.tag,
      ...createBatchGraph(requestedItems, { failFast, exportFields: body }),
      failFast,
      webhookUrl: body.webhookUrl,
      isBatch: !failFast,
      packsResults: true,
      createAllRefusedError: (errors) => createAllRejectedError(errors),
    },
    services,
  )
}

async function resolveItems(
  { body, files, principal }: Request,
  services: Services,
): Promise<ResolvedItem[]> {
  const bodyItems = parseBatchItems(body.items)
  const count = files.length > 0 ? files.length : (bodyItems?.length ?? 0)
  if (count === 0) {
    throw new AppError(
      'NO_FILES',
      'file: expected at least one file, got none. Send each file in a part named file, or JSON with items that contain upload ids.',
      { field: 'file' },
    )
  }
  if (count > maxItems) {
    throw new AppError('INVALID_INPUT', `file: expected at most ${maxItems} files, got ${count}.`, {
      field: 'file',
      max: maxItems,
      got: count,
    })
  }
  requireFilesPerJob(count, files.length > 0 ? 'file' : 'items', getPlanLimits(principal.plan, services))
  if (bodyItems && bodyItems.length !== count) {
    throw new AppError(
      'INVALID_INPUT',
      `items: expected an entry for each of the ${count} files, got ${bodyItems.length}.`,
      { field: 'items', expected: count, got: bodyItems.length },
    )
  }
  const resolveItem = async (index: number): Promise<ResolvedItem> => {
    const batchItem = normalizeItem(bodyItems?.[index] ?? {}, index, files[index] !== undefined)
    const number = String(index + 1).padStart(3, '0')
    const names = { import: `import-${number}`, convert: `item-${number}` }
    const file = files[index]
    const source = file
      ? withFilename(file, batchItem)
      : (createRemoteSource(batchItem, index) ??
        (await openUploadSource(batchItem, index, principal, services)))
    return { index, item: batchItem, names, source }
  }
  return Promise.all(Array.from({ length: count }, (_, index) => resolveItem(index)))
}

const createRemoteSource = ({ url, fileUrl, filename }: BatchItem, index: number) =>
  url === undefined
    ? undefined
    : { url, filename, field: `items.${index}.${fileUrl === undefined ? 'url' : 'fileUrl'}` }

const withFilename = (file: SourceFile, { filename }: BatchItem): ImportSource => ({
  source: filename === undefined ? file : { ...file, filename: sanitizeFileName(filename) },
})

async function openUploadSource(
  item: BatchItem,
  index: number,
  principal: Request['principal'],
  services: Services,
): Promise<ImportSource> {
  const field = `items.${index}.uploadId`
  if (item.uploadId === undefined)
    throw new AppError('INVALID_INPUT', `${field} is missing. Send the uploadId or url of this item.`, {
      field,
    })
  try {
    return { source: await openUploadedSource(item.uploadId, field, principal, services, item.filename) }
  } catch (error) {
    if (error instanceof AppError) return { refused: error }
    throw error
  }
}

function toItemView(
  { index, item, names, source }: ResolvedItem,
  state: JobState,
  sharedTarget: string | undefined,
): ItemView {
  const rejectedTask = state.fixed.find(({ name, status }) => name === names.convert && status === 'failed')
  const file = state.fixed.find(({ name }) => name === names.import)?.files?.[0]
  const requestedName =
    'source' in source
      ? source.source.filename
      : sanitizeFileName(item.filename ?? item.url?.split('/').at(-1))
  return {
    index,
    filename: file?.filename ?? requestedName,
    targetFormat: item.targetFormat ?? sharedTarget ?? null,
    taskName: names.convert,
    status: rejectedTask ? 'rejected' : 'accepted',
    ...defined({
      error: rejectedTask && {
        code: rejectedTask.code ?? '',
        message: withBatchFieldName(rejectedTask.message ?? ''),
      },
    }),
  }
}

/** Replaces the field name of a conversion task with the name that the field has in a batch. */
const withBatchFieldName = (message: string) => message.replace(/^output_format\b/, 'targetFormat')

function createAllRejectedError(errors: readonly AppError[]): AppError {
  const items = errors.map(({ code, message }, index) => ({
    index,
    code,
    message: withBatchFieldName(message),
  }))
  const subject =
    errors.length === 1
      ? 'The file cannot be converted'
      : 'None of the files can be converted. The first error'
  return new AppError('UNSUPPORTED_CONVERSION', `${subject}: ${items[0]?.message ?? ''}`, { items })
}
