import { createHash } from 'node:crypto'
import { addAbortSignal, Readable } from 'node:stream'
import { ReadableStream } from 'node:stream/web'
import { setImmediate } from 'node:timers/promises'
import { configure, ZipWriterStream } from '@zip.js/zip.js'
import { freeingSpent } from '../../collect-garbage.ts'
import { requireRoom } from '../../disk-space.ts'
import { AppError } from '../../errors.ts'
import { fileName } from '../../file-name.ts'
import { packResultsOperation as operation } from '../../tasks/pack-results.ts'
import { DistinctNames } from '../../unique-names.ts'
import type { StoredFile } from '../job.ts'
import { isCompressible, listZipEntries, type ZipEntry, zipManifestName } from '../zip-manifest.ts'
import type { TaskServices } from './task-services.ts'

interface ZipOptions {
  readonly files: TaskServices['files']
  readonly withManifest: boolean
  readonly signal: AbortSignal
  /** Where results lie, by job; at the top those that are not named. */
  readonly folders: Readonly<Record<string, string>>
  /** Is told bytes of the files as they go in. */
  readonly onBytes: (bytes: number) => void
}

/** Sizes and places above this need fields of 64 bits; some programs read only what needs none. */
const maxZip32Bytes = 0xf000_0000

/** A ZIP of files that is made as it is read, one file after the other, none of them whole in memory. */
export function createZip(entries: readonly ZipEntry[], options: ZipOptions): Readable {
  // Its workers are for browsers.
  configure({ useWebWorkers: false })
  const total = entries.reduce((sum, { file }) => sum + (file?.size ?? 0), 0)
  const writer = new ZipWriterStream({ zip64: total > maxZip32Bytes })
  const zip = Readable.fromWeb(writer.readable as Parameters<typeof Readable.fromWeb>[0]) // Node's own type of the same
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
  const names = new DistinctNames(options.withManifest ? [zipManifestName] : [])
  const manifest: object[] = []
  for (const { file: from, ...entry } of entries) {
    const folder = options.folders[entry.jobId]
    const file = from && (await writeEntry(writer, { from, folder }, names, options))
    const facts = file && { file, size: from.size, sha256: from.sha256 || null }
    const isGone = from && !file
    manifest.push({ ...entry, ...(isGone && { status: 'expired' }), ...facts })
  }
  if (options.withManifest) {
    const text = new Blob([`${JSON.stringify(manifest, null, 2)}\n`])
    await writer.add(zipManifestName, text.stream())
  }
  await writer.close()
}

/** @returns its name in the ZIP; undefined when it is deleted meanwhile. */
async function writeEntry(
  writer: Writer,
  { from, folder }: { readonly from: StoredFile; readonly folder: string | undefined },
  names: DistinctNames,
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
  const baseName = fileName(from.filename)
  const name = names.next(folder === undefined ? baseName : `${folder}/${baseName}`)
  await writer.add(name, ReadableStream.from(countBytes(body, onBytes)) as Parameters<Writer['add']>[1], {
    level: isCompressible(mimeType) ? 6 : 0,
    uncompressedSize: size,
  })
  return name
}

async function* countBytes(body: Readable, onBytes: (bytes: number) => void): AsyncGenerator<Uint8Array> {
  for await (const chunk of body as AsyncIterable<Buffer>) {
    onBytes(chunk.length)
    yield chunk
    // Where bytes are always at hand the ZIP would go on and on, and the task's own sign of life never come.
    await setImmediate()
  }
}

export interface PackContext {
  readonly services: TaskServices
  /** Where the file goes, and by which path of the work folder. */
  readonly key: string
  readonly path: string
  readonly signal: AbortSignal
  readonly progress: (percent: number) => void
}

/** Stores the ZIP of what a task asks for. @throws AppError CONFLICT when nothing of it is there any more. */
export async function packResultsIntoZip(
  fields: Readonly<Record<string, unknown>>,
  { services, key, path, signal, progress }: PackContext,
): Promise<StoredFile> {
  const { jobIds, tasks, folders = {}, filename, manifest: withManifest } = operation.fields.parse(fields)
  const { files, jobs } = services
  const entries: ZipEntry[] = []
  for (const jobId of jobIds) entries.push(...listZipEntries(jobId, await jobs.store.getState(jobId), tasks))
  const total = entries.reduce((hash, { file }) => hash + (file?.size ?? 0), 0)
  await requireRoom(total, services)
  let done = 0
  const collectGarbage = freeingSpent()
  const onBytes = (bytes: number) => {
    done += bytes
    collectGarbage(bytes)
    progress((done / Math.max(1, total)) * 100)
  }
  const hash = createHash('sha256')
  let size = 0
  const body = createZip(entries, { files, folders, withManifest, signal, onBytes })
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
