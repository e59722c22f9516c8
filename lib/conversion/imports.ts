import { createHash } from 'node:crypto'
import { limitsOfOwner } from '../access/plan-limits.ts'
import { requireDiskSpace } from '../disk-space.ts'
import { AppError } from '../errors.ts'
import { fileName } from '../file-name.ts'
import { fileTooLargeError } from '../http/multipart-form.ts'
import { newId } from '../ids.ts'
import { eachOf } from '../map-concurrently.ts'
import type { Services } from '../services.ts'
import { importBase64, importRaw, mostInlineBytes } from '../tasks/import-base64.ts'
import { importUpload } from '../tasks/import-upload.ts'
import { isTransfer } from '../tasks/index.ts'
import { namingTask, type RequestedTask } from '../tasks/parse-tasks.ts'
import { maxPutBytes, uploadKey, uploadLifetimeS } from '../uploads.ts'
import type { Import } from './job-request.ts'
import { type Source, uploadedSource } from './source.ts'

/** Files that travel in the request are stored side by side: a gateway waits for 30 s at most. */
const openAtATime = 8

interface Asking {
  readonly owner: string
  readonly services: Services
}

/**
 * What each import task of a request brings in. Files that travelled in the request are stored by then; `discard`
 * deletes those that no job adopted.
 * @throws AppError for uploads that are not there, and for files that are no base64 or too large.
 */
export async function openImports(
  tasks: readonly RequestedTask[],
  asking: Asking,
): Promise<{ imports: Map<string, Import>; discard: () => Promise<void> }> {
  const stored: string[] = []
  const opened = new Map<string, Import>()
  const failures: unknown[] = []
  const discard = () => asking.services.files.delete(stored.splice(0))
  const importing = tasks.filter(({ operation }) => operation.kind === 'import' && !isTransfer(operation))
  await eachOf(importing, openAtATime, async (task) => {
    if (failures.length > 0) return
    try {
      opened.set(task.name, await openImport(task, asking, stored))
    } catch (error) {
      failures.push(error)
    }
  })
  // Not before all are settled: what is stored later would stay.
  if (failures.length > 0) {
    await discard()
    throw failures[0]
  }
  // In the order of the request, whichever was there first.
  const imports = importing.flatMap(({ name }) => {
    const one = opened.get(name)
    return one ? [[name, one] as const] : []
  })
  return { imports: new Map(imports), discard }
}

async function openImport(task: RequestedTask, asking: Asking, stored: string[]): Promise<Import> {
  const { name, operation, fields } = task
  try {
    if (operation.name === importBase64.name) return await inlineImport(fields, fromBase64, asking, stored)
    if (operation.name === importRaw.name) return await inlineImport(fields, fromText, asking, stored)
    const { upload_id: uploadId, filename } = importUpload.fields.parse(fields)
    if (uploadId === undefined) return await awaitedImport(fields, asking)
    return { source: await uploadedSource(uploadId, 'upload_id', asking.owner, asking.services, filename) }
  } catch (error) {
    throw namingTask(name, error)
  }
}

type Fields = Readonly<Record<string, unknown>>

const fromText = (text: string) => Buffer.from(text, 'utf8')

/** Standard and URL-safe alphabets, with or without padding and line ends; a data URL may stand before it. */
function fromBase64(text: string): Buffer {
  const digits = text.replace(/^data:[^,]{0,200};base64,/, '').replace(/[\r\n]/g, '')
  if (/^[\w+/-]*={0,2}$/.test(digits) && digits.replace(/=/g, '').length % 4 !== 1)
    return Buffer.from(digits, 'base64')
  throw new AppError('INVALID_INPUT', 'file: expected the bytes of the file in base64.', { field: 'file' })
}

async function inlineImport(
  fields: Fields,
  decode: (text: string) => Buffer,
  { owner, services }: Asking,
  stored: string[],
): Promise<Import> {
  const { file, filename } = importBase64.fields.parse(fields)
  const bytes = decode(file)
  const { maxFileBytes, retentionHours } = await limitsOfOwner(owner, services)
  const most = Math.min(mostInlineBytes, maxFileBytes)
  if (bytes.length > most) throw fileTooLargeError(most, bytes.length)
  await requireDiskSpace(services.config)
  const key = uploadKey('received', newId('upl'), retentionHours)
  await services.files.putBytes(key, bytes, 'application/octet-stream')
  stored.push(key)
  const source: Source = {
    ...{ field: 'file', filename: fileName(filename), key, size: bytes.length },
    sha256: createHash('sha256').update(bytes).digest('hex'),
    read: async (start, end) => bytes.subarray(start, end),
    adopt: () => {
      stored.splice(stored.indexOf(key), 1)
    },
  }
  return { source }
}

/** The task waits for a form that a browser sends, or for a PUT of any size up to the limit. */
async function awaitedImport(fields: Fields, { owner, services }: Asking): Promise<Import> {
  await requireDiskSpace(services.config)
  const { filename, redirect, sha256, max_file_size } = importUpload.fields.parse(fields)
  const { files } = services
  const { maxFileBytes, retentionHours } = await limitsOfOwner(owner, services)
  const maxSize = Math.min(maxPutBytes, maxFileBytes, max_file_size ?? maxPutBytes)
  const id = newId('upl')
  const key = uploadKey('uploads', id, retentionHours)
  const { url, fields: parameters } = await files.presignForm(
    key,
    { maxSize, sha256, redirect },
    uploadLifetimeS,
  )
  const put = await files.presignAnyPut(key, { sha256 }, uploadLifetimeS)
  const now = Date.now()
  const expiresAt = new Date(now + uploadLifetimeS * 1000).toISOString()
  const awaited = {
    ...{ id, owner, key, maxSize, contentType: 'application/octet-stream' },
    filename: fileName(filename),
    createdAt: new Date(now).toISOString(),
    expiresAt: new Date(now + 2 * uploadLifetimeS * 1000).toISOString(),
  }
  return { awaited, form: { form: { url, parameters }, put, expires_at: expiresAt } }
}
