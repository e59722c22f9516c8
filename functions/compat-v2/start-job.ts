import type { JobView } from '../../lib/jobs/view.ts'
import type { Services } from '../../lib/services/services.ts'
import { createJob } from '../routes/create-job.ts'
import { callEndpoint, type Request } from './call-endpoint.ts'
import { copyTaskFiles, deleteCopies, type InputCopy } from './input-copies.ts'
import { internalImportPrefix, type JobBody, toNativeJob } from './job-request.ts'

/**
 * Starts a job. Its tasks may use files of other jobs' tasks, by task id: those files are copied, because either job
 * may be deleted at any time.
 */
export async function startCompatJob(body: JobBody, request: Request, services: Services): Promise<JobView> {
  const copies = await copyForeignInputs(body, request, services)
  const allCopies = [...copies.values()].flat()
  const names = new Map(allCopies.map((copy, at) => [copy, `${internalImportPrefix}${at}`]))
  const namesOf = (input: string) => copies.get(input)?.map((copy) => names.get(copy) ?? '') ?? [input]
  const tasks = Object.entries(body.tasks).map(([name, { input, ...task }]) => [
    name,
    { ...task, ...(input !== undefined && { input: [input].flat().flatMap(namesOf) }) },
  ])
  const imports = [...names].map(([{ uploadId, filename }, name]) => [
    name,
    { operation: 'import/upload', upload_id: uploadId, filename },
  ])
  const nativeJob = toNativeJob({ ...body, tasks: Object.fromEntries([...imports, ...tasks]) })
  try {
    return await callEndpoint<JobView>(createJob, request, { body: nativeJob }, services)
  } catch (error) {
    await deleteCopies(allCopies, services)
    throw error
  }
}

/** Copies the files of inputs that are tasks of other jobs. */
async function copyForeignInputs(
  { tasks }: JobBody,
  request: Request,
  services: Services,
): Promise<ReadonlyMap<string, readonly InputCopy[]>> {
  const inputs = Object.values(tasks).flatMap(({ input }) => (input === undefined ? [] : [input].flat()))
  const copies = new Map<string, readonly InputCopy[]>()
  try {
    for (const input of new Set(inputs))
      if (!(input in tasks) && input.startsWith('job_'))
        copies.set(input, await copyTaskFiles(input, request, services))
  } catch (error) {
    await deleteCopies([...copies.values()].flat(), services)
    throw error
  }
  return copies
}
