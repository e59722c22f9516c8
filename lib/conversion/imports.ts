import { createHash } from 'node:crypto'
import { getOwnerLimits } from '../accounts/plan-limits.ts'
import type { JobReader } from '../accounts/visible-to-key.ts'
import { forEachConcurrently } from '../async/for-each-concurrently.ts'
import { AppError } from '../errors.ts'
import { newId } from '../ids.ts'
import { requireDiskSpace } from '../io/disk-space.ts'
import { sanitizeFileName } from '../names/file-name.ts'
import type { Services } from '../services/services.ts'
import { importBase64Operation, importRawOperation, maxInlineBytes } from '../tasks/import-base64.ts'
import { importUploadOperation } from '../tasks/import-upload.ts'
import { isTransferOperation } from '../tasks/index.ts'
import { addTaskToError, type RequestedTask } from '../tasks/parse-tasks.ts'
import { createFileTooLargeError } from '../uploads/size-errors.ts'
import { createUploadKey, maxSingleUploadBytes, uploadLifetimeS } from '../uploads/uploads.ts'
import type { ImportSource } from './job-request.ts'
import { openUploadedSource, type SourceFile } from './source.ts'

/** Maximum number of imports opened at a time. One after the other, they could exceed the gateway's limit of 30 s. */
const maxConcurrentImports = 8

interface ImportContext {
  readonly principal: JobReader
  readonly services: Services
}

/**
 * Opens the source of each import task of a request. Stores inline files; `discard` deletes the stored files that no
 * job has adopted.
 * @throws AppError for missing uploads, invalid base64 and files that are too large.
 */
export async function openImports(
  tasks: readonly RequestedTask[],
  context: ImportContext,
): Promise<{ imports: Map<string, ImportSource>; discard: () => Promise<void> }> {
  const storedKeys: string[] = []
  const openedSources = new Map<string, ImportSource>()
  const failures: unknown[] = []
  const discard = () => context.services.files.delete(storedKeys.splice(0))
  const importTasks = tasks.filter(
    ({ operation }) => operation.kind === 'import' && !isTransferOperation(operation),
  )
  await forEachConcurrently(importTasks, maxConcurrentImports, async (task) => {
    if (failures.length > 0) return
    try {
      openedSources.set(task.name, await openImport(task, context, storedKeys))
    } catch (error) {
      failures.push(error)
    }
  })
  // Fails only after all imports have finished, because a file stored later would not be deleted.
  if (failures.length > 0) {
    await discard()
    throw failures[0]
  }
  // The imports are in the order of the request, not of their completion.
  const imports = importTasks.flatMap(({ name }) => {
    const importSource = openedSources.get(name)
    return importSource ? [[name, importSource] as const] : []
  })
  return { imports: new Map(imports), discard }
}

async function openImport(
  task: RequestedTask,
  context: ImportContext,
  storedKeys: string[],
): Promise<ImportSource> {
  const { name, operation, fields } = task
  try {
    if (operation.name === importBase64Operation.name)
      return await createInlineImport(fields, decodeBase64, context, storedKeys)
    if (operation.name === importRawOperation.name)
      return await createInlineImport(fields, decodeText, context, storedKeys)
    const { upload_id: uploadId, filename } = importUploadOperation.fields.parse(fields)
    if (uploadId === undefined) return await createAwaitedImport(fields, context)
    return {
      source: await openUploadedSource(uploadId, 'upload_id', context.principal, context.services, filename),
    }
  } catch (error) {
    throw addTaskToError(name, error)
  }
}

type Fields = Readonly<Record<string, unknown>>

const decodeText = (text: string) => Buffer.from(text, 'utf8')

/** Decodes base64 in the standard or URL-safe alphabet, with or without padding and line breaks, and data URLs. */
function decodeBase64(text: string): Buffer {
  const base64Text = text.replace(/^data:[^,]{0,200};base64,/, '').replace(/[\r\n]/g, '')
  if (/^[\w+/-]*={0,2}$/.test(base64Text) && base64Text.replace(/=/g, '').length % 4 !== 1)
    return Buffer.from(base64Text, 'base64')
  throw new AppError('INVALID_INPUT', 'file: expected the content of the file in base64.', { field: 'file' })
}

async function createInlineImport(
  fields: Fields,
  decode: (text: string) => Buffer,
  { principal: { ownerId: owner }, services }: ImportContext,
  storedKeys: string[],
): Promise<ImportSource> {
  const { file, filename } = importBase64Operation.fields.parse(fields)
  const bytes = decode(file)
  const { maxFileBytes, retentionHours } = await getOwnerLimits(owner, services)
  const maxBytes = Math.min(maxInlineBytes, maxFileBytes)
  if (bytes.length > maxBytes) throw createFileTooLargeError(maxBytes, bytes.length)
  await requireDiskSpace(services.config)
  const key = createUploadKey('received', newId('upl'), retentionHours)
  await services.files.putBytes(key, bytes, 'application/octet-stream')
  storedKeys.push(key)
  const source: SourceFile = {
    field: 'file',
    filename: sanitizeFileName(filename),
    key,
    size: bytes.length,
    sha256: createHash('sha256').update(bytes).digest('hex'),
    read: async (start, end) => bytes.subarray(start, end),
    adopt: () => {
      storedKeys.splice(storedKeys.indexOf(key), 1)
    },
  }
  return { source }
}

/**
 * Creates an upload that the task waits for. The client sends the file with a browser form or with PUT, up to the size
 * limit.
 */
async function createAwaitedImport(
  fields: Fields,
  { principal: { ownerId: owner, keyId }, services }: ImportContext,
): Promise<ImportSource> {
  await requireDiskSpace(services.config)
  const { filename, redirect, sha256, max_file_size } = importUploadOperation.fields.parse(fields)
  const { files } = services
  const { maxFileBytes, retentionHours } = await getOwnerLimits(owner, services)
  const maxSize = Math.min(maxSingleUploadBytes, maxFileBytes, max_file_size ?? maxSingleUploadBytes)
  const id = newId('upl')
  const key = createUploadKey('uploads', id, retentionHours)
  const { url, fields: parameters } = await files.presignForm(
    key,
    { maxSize, sha256, redirect },
    uploadLifetimeS,
  )
  const put = await files.presignUnsizedPut(key, { sha256 }, uploadLifetimeS)
  const now = Date.now()
  const expiresAt = new Date(now + uploadLifetimeS * 1000).toISOString()
  const awaitedFile = {
    id,
    owner,
    keyId: keyId ?? null,
    key,
    maxSize,
    contentType: 'application/octet-stream',
    filename: sanitizeFileName(filename),
    createdAt: new Date(now).toISOString(),
    expiresAt: new Date(now + 2 * uploadLifetimeS * 1000).toISOString(),
  }
  return { awaited: awaitedFile, form: { form: { url, parameters }, put, expires_at: expiresAt } }
}
