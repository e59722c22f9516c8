import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { listPages } from '../../decoders/list-pages.ts'
import type { ZippedPage } from '../../engines/pdf/page-files.ts'
import { AppError } from '../../errors.ts'
import { getJobPrefix, type JobState, type StoredFile, type Task } from '../../model/job.ts'
import { expandListedFiles } from '../../plan/file-lists.ts'
import { resolveTaskInputs } from '../task-inputs.ts'
import type { TaskServices } from './task-services.ts'

/** Maximum number of files that an export delivers one by one, so that its record can contain them. */
const maxDeliveredFiles = 1000

interface DeliveryRun {
  readonly services: Pick<TaskServices, 'files'>
  readonly task: Task
  readonly state: JobState
  readonly workDir: string
  readonly signal: AbortSignal
}

interface Delivery {
  /** The files to deliver. */
  readonly files: readonly StoredFile[]
  /** The subset of `files` that was stored for this export; other files belong to other tasks. */
  readonly createdFiles: readonly StoredFile[]
}

/**
 * Returns the files of an export. A list of files is delivered as its ZIP, or as single files if the task asks for them
 * or selects some of them by name. If the task asks for a ZIP and has several input files, they are packed into one.
 * @throws AppError INVALID_INPUT for too many files
 */
export async function prepareDelivery(run: DeliveryRun, requestsZip: boolean | undefined): Promise<Delivery> {
  const { task, state } = run
  const inputs = resolveTaskInputs(task, state)
  const wholeLists = new Set(task.ins.flatMap((number) => findWholeLists(number, state)))
  const isDeliveredAsIs = (file: StoredFile) =>
    !file.members || (requestsZip !== false && wholeLists.has(getListIdentity(file)))
  if (requestsZip === true && inputs.length > 1) {
    const zip = await packFiles(inputs, run)
    return { files: [zip], createdFiles: [zip] }
  }
  const count = inputs.reduce(
    (sum, file) => sum + (isDeliveredAsIs(file) ? 1 : (file.members?.length ?? 1)),
    0,
  )
  if (
    count > maxDeliveredFiles ||
    inputs.some((file) => !isDeliveredAsIs(file) && file.members?.length === 0)
  )
    throw new AppError(
      'INVALID_INPUT',
      `input: at most ${maxDeliveredFiles} files can be delivered one by one. Leave out archive_multiple_files to get them as one ZIP, or select fewer files with the field "file" of the input.`,
      { field: 'input', max: maxDeliveredFiles },
    )
  const createdFiles: StoredFile[] = []
  const files: StoredFile[] = []
  try {
    for (const file of inputs) {
      if (isDeliveredAsIs(file)) files.push(file)
      else
        for await (const member of storeMembers(file, createdFiles.length, run)) {
          createdFiles.push(member)
          files.push(member)
        }
    }
  } catch (error) {
    await run.services.files.delete(createdFiles.map(({ key }) => key))
    throw error
  }
  return { files, createdFiles }
}

/** Returns a text that identifies a list together with the number of its selected members. */
const getListIdentity = ({ key, members }: StoredFile) => `${key} ${members?.length}`
const findWholeLists = (number: number, { tasks }: JobState) =>
  tasks.filter((task) => task.number === number).flatMap(({ files }) => files.map(getListIdentity))

/** Stores each member of a list under its own key. */
async function* storeMembers(
  list: StoredFile,
  firstIndex: number,
  run: DeliveryRun,
): AsyncGenerator<StoredFile> {
  const { services, signal } = run
  const { key: zipKey, size: zipSize } = list
  const pages = await listPages({
    size: zipSize,
    read: (start, end) => services.files.read(zipKey, start, end),
  })
  const pageByName = new Map(pages?.map((page) => [page.name, page]))
  for (const [index, member] of expandListedFiles(list).entries()) {
    const page = pageByName.get(member.filename)
    if (!page) throw new Error('a list has lost one of its files')
    const { key, path } = getOutputLocation(firstIndex + index, run)
    const hash = createHash('sha256')
    const body =
      page.size === 0 ? Readable.from([]) : await services.files.stream(list, getByteRange(page), signal)
    const countBytes = async function* () {
      for await (const chunk of body as AsyncIterable<Buffer>) {
        hash.update(chunk)
        yield chunk
      }
    }
    const { size } = page
    await services.files.receive(key, countBytes(), { path, size, contentType: member.mimeType, signal })
    const { members: _, traits: __, etag: ___, ...fields } = member
    yield { ...fields, key, size, sha256: hash.digest('hex') }
  }
}

const getByteRange = ({ start, size }: ZippedPage) => ({ start, end: start + size })

/** Returns the key and path of a file of this attempt. */
const getOutputLocation = (index: number, { task, workDir }: DeliveryRun) => ({
  key: `${getJobPrefix(task.jobId)}${task.number}/deliver-${task.attempt}-${index}`,
  path: join(workDir, `deliver-${index}`),
})

/** Packs files into one ZIP. */
async function packFiles(inputs: readonly StoredFile[], run: DeliveryRun): Promise<StoredFile> {
  // Loaded on demand, because few exports need it.
  const { streamZip } = await import('./pack-results.ts')
  const { services, signal, task } = run
  const hash = createHash('sha256')
  let size = 0
  const entries = inputs.map((file) => ({
    jobId: task.jobId,
    task: null,
    source: null,
    status: 'completed',
    file,
  }))
  const options = { files: services.files, folders: {}, withManifest: false, signal, onBytes: () => {} }
  const zip = streamZip(entries, options)
  const measure = async function* () {
    for await (const chunk of zip as AsyncIterable<Buffer>) {
      size += chunk.length
      hash.update(chunk)
      yield chunk
    }
  }
  const { key, path } = getOutputLocation(0, run)
  const mimeType = 'application/zip'
  await services.files.receive(key, measure(), { path, contentType: mimeType, signal })
  return { key, filename: 'files.zip', format: 'zip', mimeType, size, sha256: hash.digest('hex') }
}
