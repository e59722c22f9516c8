import { open, stat } from 'node:fs/promises'
import { forEachConcurrently } from '../../async/for-each-concurrently.ts'
import { DecoderEndedError } from '../../decoders/decoder-process.ts'
import { detectFormat } from '../../decoders/detect-format.ts'
import { listZippedPages } from '../../decoders/list-pages.ts'
import type { Chunk, OutputFile } from '../../engines/engine.ts'
import { AppError } from '../../errors.ts'
import { CountingStoppedError } from '../../fidelity/read-errors.ts'
import { createReader } from '../../formats/detect/byte-source.ts'
import { type FormatId, formatById } from '../../formats/index.ts'
import { hashFile } from '../../io/file-hash.ts'
import { getJobPrefix, type InputPlan, type StoredFile, type Task } from '../../model/job.ts'
import { createNameFromTemplate, withExtension, withSuffix } from '../../names/file-name.ts'
import { maxMembers } from '../../plan/file-lists.ts'
import { TaskSpec } from '../../tasks/operation.ts'
import { defined } from '../../validation/defined.ts'
import { countTriedRoutes } from './fallbacks.ts'
import type { StepsOutput } from './run-steps.ts'
import type { TaskServices } from './task-services.ts'

/** Maximum number of concurrent detections, each of which needs one of the few decoder processes. */
const maxConcurrentDetections = 2

/**
 * Stores the result of an input in the bucket, under keys of this attempt.
 * @param planIndex position of the input plan in its task.
 */
export async function storeFiles(
  { services, task }: { readonly services: TaskServices; readonly task: Task },
  inputPlan: InputPlan,
  planIndex: number,
  { result, format, nextStep }: Omit<StepsOutput, 'engine'>,
): Promise<StoredFile[]> {
  const source = inputPlan.files[0]?.filename ?? 'file'
  const isFinal = nextStep === inputPlan.steps.length
  const types = new Map<OutputFile, FileType>()
  await forEachConcurrently(result.files, maxConcurrentDetections, async (file) => {
    types.set(file, await detectFileType(file, format))
  })
  return Promise.all(
    result.files.map(async (file, index) => {
      const type = types.get(file) ?? getFileType(format)
      // Each attempt writes to its own keys, so that a late worker never overwrites a result.
      // A split task counts its attempts from 1 again, so the key also contains the attempt that split it.
      const attempt = `${task.expandedBy ?? 0}.${task.attempt}.${countTriedRoutes(inputPlan)}`
      const keyParts = [task.part ?? 0, planIndex, nextStep, attempt, index].join('-')
      const key = `${getJobPrefix(task.jobId)}${task.number}/${keyParts}.${type.extension}`
      const { size } = await stat(file.path)
      const hashPromise = hashFile(file.path, size)
      const [sha256] = await Promise.all([
        hashPromise,
        services.files.putFile(key, file.path, type.mimeType, hashPromise),
      ])
      const name = file.filename ?? withExtension(withSuffix(source, file.suffix), type.extension)
      const filename =
        isFinal && task.part === undefined ? createOutputName(name, task, planIndex + index) : name
      const { mimeType, traits } = type
      const isList = file.format === 'zip' && task.part === undefined
      const members = isList ? await readMemberNames(file.path) : undefined
      const { each } = inputPlan.files[0] ?? {}
      return {
        key,
        filename,
        format: type.format,
        mimeType,
        size,
        sha256,
        ...defined({ traits, members, each }),
      }
    }),
  )
}

/**
 * Returns the names of the files in a ZIP of pages; undefined for any other ZIP, such as one that takes too long to
 * read.
 */
async function readMemberNames(path: string): Promise<string[] | undefined> {
  try {
    const pages = await listZippedPages(path)
    return pages && pages.length > maxMembers ? [] : pages?.map(({ name }) => name)
  } catch (error) {
    if (error instanceof CountingStoppedError || error instanceof DecoderEndedError) return undefined
    throw error
  }
}

/** A chunk with its input file in the bucket, if a file was cut for it. */
export type StoredChunk = Pick<Chunk, 'spec'> & { readonly file?: StoredFile }

/** Maximum number of files that are stored concurrently. */
const maxConcurrentUploads = 4

/** Stores the files that were cut for single chunks, under keys of this attempt. */
export async function storeChunks(
  { services, task }: { readonly services: TaskServices; readonly task: Task },
  inputPlan: InputPlan,
  chunks: readonly Chunk[],
): Promise<StoredChunk[]> {
  const filename = inputPlan.files[0]?.filename ?? 'file'
  const storedFiles = new Map<Chunk, StoredFile>()
  await forEachConcurrently([...chunks.entries()], maxConcurrentUploads, async ([index, chunk]) => {
    const { format } = chunk.file ?? {}
    if (!chunk.file || !format) return
    const { path } = chunk.file
    const { mimeType, extension } = getFileType(format)
    const key = `${getJobPrefix(task.jobId)}${task.number}/cut-${task.attempt}.${countTriedRoutes(inputPlan)}-${index}.${extension}`
    const { size } = await stat(path)
    const hashPromise = hashFile(path, size)
    const [sha256] = await Promise.all([
      hashPromise,
      services.files.putFile(key, path, mimeType, hashPromise),
    ])
    storedFiles.set(chunk, { key, filename, format, mimeType, size, sha256 })
  })
  return chunks.map((chunk) => {
    const file = storedFiles.get(chunk)
    return { spec: chunk.spec, ...defined({ file }) }
  })
}

/** Applies the task's filename template. */
function createOutputName(name: string, { spec, jobId, createdAt }: Task, index: number): string {
  const { filename: template } = TaskSpec.parse(spec)
  return template === undefined
    ? name
    : createNameFromTemplate(template, { name, jobId, index, date: createdAt })
}

interface FileType {
  readonly format: string
  readonly traits?: StoredFile['traits']
  readonly mimeType: string
  readonly extension: string
}

/** Detects the type of an extracted file from its bytes; it may be unknown. */
async function detectFileType(file: OutputFile, outputFormat: FormatId): Promise<FileType> {
  if (file.filename === undefined || file.format) return getFileType(file.format ?? outputFormat)
  const { size } = await stat(file.path)
  const handle = await open(file.path)
  try {
    const { format, traits } = await detectFormat({
      filename: file.filename,
      size,
      read: createReader(handle),
    })
    // The scripts of a page only run if the page is sent alone.
    const storedTraits = traits?.filter((trait) => trait !== 'page-scripts')
    return {
      ...getFileType(format),
      ...(storedTraits && storedTraits.length > 0 && { traits: storedTraits }),
    }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    const extension = /\.([a-z0-9]{1,16})$/i.exec(file.filename)?.[1]?.toLowerCase() ?? 'bin'
    return { format: 'unknown', mimeType: 'application/octet-stream', extension }
  } finally {
    await handle.close()
  }
}

function getFileType(id: FormatId): FileType {
  const { extensions, mimeTypes } = formatById(id)
  return { format: id, mimeType: mimeTypes[0] ?? 'application/octet-stream', extension: extensions[0] ?? id }
}
