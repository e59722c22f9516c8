import * as z from 'zod'
import type { JobReader } from '../../lib/accounts/visible-to-key.ts'
import { contract } from '../../lib/http/contract.ts'
import { newId } from '../../lib/ids.ts'
import { driveAccess } from '../../lib/model/principal.ts'
import type { Services } from '../../lib/services/services.ts'
import { importUrlOperation } from '../../lib/tasks/import-url.ts'
import { parseTasks, type RequestedTask } from '../../lib/tasks/parse-tasks.ts'
import type { FileLink } from '../../lib/transfer/drives/drive.ts'
import { DriveService, minTokenLifetimesMs } from '../../lib/transfer/drives/drive-service.ts'
import { createUploadKey, uploadLifetimeS } from '../../lib/uploads/uploads.ts'
import { createOptionsSchema } from '../../lib/validation/maxima.ts'
import { connectionErrors, connectionId, Params } from './drive-parameters.ts'

export const importFromDrive = contract({
  method: 'POST',
  path: '/v1/cloud/:drive/import',
  access: driveAccess,
  tag: 'Drives',
  summary: 'Import files from a drive',
  description:
    'Without `targetFormat`, each file becomes an upload with an `uploadId`. With `targetFormat`, one job converts all files.',
  params: Params,
  body: {
    accepts: ['json'],
    schema: z.strictObject({
      connectionId,
      fileIds: z
        .array(z.string().min(1).max(500))
        .min(1)
        .max(20)
        .describe('Ids of files from GET /v1/cloud/{drive}/list'),
      targetFormat: z.string().max(32).optional(),
      options: createOptionsSchema().optional().describe('Options of the conversion'),
      tag: z.string().max(200).optional(),
    }),
  },
  reply: {
    status: 202,
    headers: ['location', 'retry-after'],
    schema: z.object({
      jobId: z.string(),
      items: z.array(z.object({ fileId: z.string(), uploadId: z.string().nullable(), taskName: z.string() })),
    }),
  },
  idempotent: true,
  createsWork: true,
  errors: [...connectionErrors, 'UNSUPPORTED_CONVERSION', 'FORMAT_NOT_FOUND', 'INSUFFICIENT_DISK_SPACE'],
  handle: async ({ params, body, principal, requestId, newJobId }, services) => {
    const { fileIds, targetFormat, options, tag } = body
    const driveService = new DriveService(params.drive, services)
    const connection = await driveService.requireConnection(principal.ownerId, body.connectionId)
    const links = await driveService.use(connection, minTokenLifetimesMs.transfer, (ask) =>
      Promise.all(fileIds.map((fileId) => driveService.drive.link(ask, fileId))),
    )
    const tasks = createTasks(links, targetFormat, options)
    const importNames = links.map((_, at) => createImportName(at))
    const owner = principal.ownerId
    const uploads =
      targetFormat === undefined ? links.map((link) => createUpload(link, principal, services)) : []
    const imports = new Map(uploads.map((into, at) => [createImportName(at), { into }]))
    const request = {
      owner,
      keyId: principal.keyId,
      requestId,
      jobId: newJobId(),
      tag,
      tasks,
      imports,
    }
    // Loaded on demand, because most requests to this function only list files.
    const { startJob } = await import('../../lib/conversion/start-job.ts')
    const { job } = await startJob(request, services)
    const items = fileIds.map((fileId, at) => ({
      fileId,
      uploadId: uploads[at]?.id ?? null,
      taskName: importNames[at] ?? '',
    }))
    return {
      data: { jobId: job.id, items },
      headers: { location: `/v1/jobs/${job.id}`, 'retry-after': '2' },
    }
  },
})

const createImportName = (at: number) => `import-${at + 1}`

function createTasks(
  links: readonly FileLink[],
  targetFormat: string | undefined,
  options: Readonly<Record<string, unknown>> = {},
): RequestedTask[] {
  const importTasks = links.map(
    (fields, at): RequestedTask => ({
      name: createImportName(at),
      operation: importUrlOperation,
      input: [],
      continueOnError: false,
      fields: { ...fields },
    }),
  )
  if (targetFormat === undefined) return importTasks
  const conversionTasks = links.map((_, at) => [
    `convert-${at + 1}`,
    { operation: 'convert', input: createImportName(at), output_format: targetFormat, options },
  ])
  const sources = importTasks.map(({ name, fields }) => [
    name,
    { operation: importUrlOperation.name, ...fields },
  ])
  const exportTask = { operation: 'export/url', input: conversionTasks.map(([name]) => name) }
  return parseTasks(Object.fromEntries([...sources, ...conversionTasks, ['export', exportTask]]))
}

/** Creates the upload for an imported file that is not converted immediately, as in `POST /v1/import/url`. */
function createUpload({ filename }: FileLink, { ownerId: owner, keyId }: JobReader, { config }: Services) {
  const id = newId('upl')
  const now = Date.now()
  return {
    id,
    owner,
    keyId: keyId ?? null,
    key: createUploadKey('uploads', id, config.RETENTION_HOURS),
    filename,
    contentType: 'application/octet-stream',
    createdAt: new Date(now).toISOString(),
    expiresAt: new Date(now + 2 * uploadLifetimeS * 1000).toISOString(),
  }
}
