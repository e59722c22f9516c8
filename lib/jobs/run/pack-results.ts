import { createHash } from 'node:crypto'
import { addAbortSignal, Readable } from 'node:stream'
import { ReadableStream } from 'node:stream/web'
import { setImmediate } from 'node:timers/promises'
import { configure, ZipWriterStream } from '@zip.js/zip.js'
import { AppError } from '../../errors.ts'
import { createGarbageCollector } from '../../io/collect-garbage.ts'
import { requireSpaceFor } from '../../io/disk-space.ts'
import type { StoredFile } from '../../model/job.ts'
import { createNameFromTemplate, sanitizeFileName } from '../../names/file-name.ts'
import { UniqueNames } from '../../names/unique-names.ts'
import { packResultsOperation as operation } from '../../tasks/pack-results.ts'
import { isCompressible, listZipEntries, type ZipEntry, zipManifestName } from '../zip-manifest.ts'
import type { TaskServices } from './task-services.ts'

interface ZipOptions {
  readonly files: TaskServices['files']
  readonly withManifest: boolean
  readonly signal: AbortSignal
  /** Folders of the results by job id; results of other jobs are at the top level. */
  readonly folders: Readonly<Record<string, string>>
  readonly nameTemplate?: string | undefined
  /** Value of `{index}` for the first file; 1 if omitted. */
  readonly firstIndex?: number | undefined
  /** Called with the number of bytes as they are added. */
  readonly onBytes: (bytes: number) => void
}

/** Maximum size of a ZIP in bytes without Zip64, which some programs cannot read. */
const maxZip32Bytes = 0xf000_0000

/** Streams a ZIP that is created as it is read, file by file, without loading whole files into memory. */
export function streamZip(entries: readonly ZipEntry[], options: ZipOptions): Readable {
  // Web workers exist in browsers only.
  configure({ useWebWorkers: false })
  const total = entries.reduce((sum, { file }) => sum + (file?.size ?? 0), 0)
  const writer = new ZipWriterStream({ zip64: total > maxZip32Bytes })
  const zip = Readable.fromWeb(writer.readable as Parameters<typeof Readable.fromWeb>[0]) // Node's type for the same stream
  writeEntries(writer.zipWriter, entries, options).catch((error: unknown) =>
    zip.destroy(error instanceof Error ? error : new Error(String(error))),
  )
  return zip
}

type Writer = ZipWriterStream['zipWriter']

async function writeEntries(
  writer: Writer,
  entries: readonly ZipEntry[],
  options: ZipOptions,
): Promise<void> {
  const names = new UniqueNames(options.withManifest ? [zipManifestName] : [])
  const manifest: object[] = []
  const nameFile = createFileNamer(options)
  for (const { file: from, ...entry } of entries) {
    const folder = options.folders[entry.jobId]
    const name = from && nameFile(from, entry.jobId)
    const file = name && (await writeEntry(writer, { from, name, folder }, names, options))
    const manifestEntry = file && { file, size: from.size, sha256: from.sha256 || null }
    const isGone = from && !file
    manifest.push({ ...entry, ...(isGone && { status: 'expired' }), ...manifestEntry })
  }
  if (options.withManifest) {
    const text = new Blob([`${JSON.stringify(manifest, null, 2)}\n`])
    await writer.add(zipManifestName, text.stream())
  }
  await writer.close()
}

/** Returns a function that names files one after another and numbers them as the template says. */
function createFileNamer({ nameTemplate, firstIndex = 1 }: Pick<ZipOptions, 'nameTemplate' | 'firstIndex'>) {
  const date = new Date().toISOString()
  let index = firstIndex - 1
  return ({ filename }: StoredFile, jobId: string): string =>
    nameTemplate === undefined
      ? sanitizeFileName(filename)
      : createNameFromTemplate(nameTemplate, {
          name: sanitizeFileName(filename),
          jobId,
          index: index++,
          date,
        })
}

/** Adds a file to the ZIP. @returns its name in the ZIP; undefined if it was deleted meanwhile. */
async function writeEntry(
  writer: Writer,
  {
    from,
    name: baseName,
    folder,
  }: { readonly from: StoredFile; readonly name: string; readonly folder: string | undefined },
  names: UniqueNames,
  { files, signal, onBytes }: ZipOptions,
): Promise<string | undefined> {
  const { size, mimeType } = from
  const isGone = (error: unknown) => {
    if (error instanceof AppError && error.code === 'FILE_GONE') return undefined
    throw error
  }
  const body =
    size === 0 ? Readable.from([]) : await files.stream(from, { start: 0, end: size }, signal).catch(isGone)
  if (!body) return undefined
  const name = names.createUniqueName(folder === undefined ? baseName : `${folder}/${baseName}`)
  // Node and the library have different types for the same stream.
  await writer.add(name, ReadableStream.from(countBytes(body, onBytes)) as Parameters<Writer['add']>[1], {
    level: isCompressible(mimeType) ? 6 : 0,
    uncompressedSize: size,
  })
  return name
}

async function* countBytes(body: Readable, onBytes: (bytes: number) => void): AsyncGenerator<Uint8Array> {
  // A stream without an encoding yields only buffers.
  for await (const chunk of body as AsyncIterable<Buffer>) {
    onBytes(chunk.length)
    yield chunk
    // If bytes were always available, the stream would never yield, and heartbeats would stop.
    await setImmediate()
  }
}

interface PackContext {
  readonly services: TaskServices
  /** Key of the ZIP in the bucket. */
  readonly key: string
  /** Temporary path of the ZIP in the work folder. */
  readonly path: string
  readonly signal: AbortSignal
  readonly progress: (percent: number) => void
}

/** Stores the ZIP that a task requests. @throws AppError CONFLICT if none of the files exists any more. */
export async function packResultsIntoZip(
  fields: Readonly<Record<string, unknown>>,
  { services, key, path, signal, progress }: PackContext,
): Promise<StoredFile> {
  const { jobIds, tasks, folders = {}, filename, manifest, ...naming } = operation.fields.parse(fields)
  const { files, jobs } = services
  const entries: ZipEntry[] = []
  for (const jobId of jobIds) entries.push(...listZipEntries(jobId, await jobs.store.getState(jobId), tasks))
  const total = entries.reduce((hash, { file }) => hash + (file?.size ?? 0), 0)
  await requireSpaceFor(total, services)
  let packedBytes = 0
  const collectGarbage = createGarbageCollector()
  const onBytes = (bytes: number) => {
    packedBytes += bytes
    collectGarbage(bytes)
    progress((packedBytes / Math.max(1, total)) * 100)
  }
  const hash = createHash('sha256')
  let size = 0
  const body = streamZip(entries, {
    files,
    folders,
    ...naming,
    withManifest: manifest,
    signal,
    onBytes,
  })
  const measure = async function* (chunks: AsyncIterable<Buffer>) {
    for await (const chunk of chunks) {
      size += chunk.length
      hash.update(chunk)
      yield chunk
    }
  }
  const mimeType = 'application/zip'
  await files.receive(key, measure(addAbortSignal(signal, body)), { path, contentType: mimeType, signal })
  return { key, filename, format: 'zip', mimeType, size, sha256: hash.digest('hex') }
}
