import type { JobView } from '../../lib/jobs/view.ts'
import type { Services } from '../../lib/services/services.ts'
import { createJob } from '../routes/create-job.ts'
import { callEndpoint, type Request } from './call-endpoint.ts'
import { copyTaskFiles, deleteCopies, type InputCopy } from './input-copies.ts'
import { internalImportPrefix, type JobBody, toNativeJob } from './job-request.ts'

/**
 * Starts a job. An input of its tasks may be the id of another job's task. The files of that task are copied, because
 * either job may be deleted at any time.
 */
export async function startCompatJob(body: JobBody, request: Request, services: Services): Promise<JobView> {
  const copiesByInput = await copyForeignInputs(body, request, services)
  const allCopies = [...copiesByInput.values()].flat()
  const taskNamesByCopy = new Map(allCopies.map((copy, at) => [copy, `${internalImportPrefix}${at}`]))
  const toTaskNames = (input: string) =>
    copiesByInput.get(input)?.map((copy) => taskNamesByCopy.get(copy) ?? '') ?? [input]
  const tasks = Object.entries(body.tasks).map(([name, { input, ...task }]) => [
    name,
    { ...task, ...(input !== undefined && { input: [input].flat().flatMap(toTaskNames) }) },
  ])
  const imports = [...taskNamesByCopy].map(([{ uploadId, filename }, name]) => [
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
  const copiesByInput = new Map<string, readonly InputCopy[]>()
  try {
    for (const input of new Set(inputs))
      if (!(input in tasks) && input.startsWith('job_'))
        copiesByInput.set(input, await copyTaskFiles(input, request, services))
  } catch (error) {
    await deleteCopies([...copiesByInput.values()].flat(), services)
    throw error
  }
  return copiesByInput
}
