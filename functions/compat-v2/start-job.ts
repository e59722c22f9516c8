import type { JobView } from '../../lib/jobs/view.ts'
import type { Services } from '../../lib/services.ts'
import { createJob } from '../routes/create-job.ts'
import { ask, type Request } from './call-endpoint.ts'
import { type Copy, copiesOf, forgetCopies } from './input-copies.ts'
import { type JobBody, ourJob, ownImport } from './job-request.ts'

/**
 * Starts what they call a job. Tasks may take files of tasks elsewhere, by their ids: those files are copied, as either
 * job may be deleted at any time.
 */
export async function startTheirJob(body: JobBody, request: Request, services: Services): Promise<JobView> {
  const copies = await elsewhere(body, request, services)
  const all = [...copies.values()].flat()
  const names = new Map(all.map((copy, at) => [copy, `${ownImport}${at}`]))
  const namesOf = (input: string) => copies.get(input)?.map((copy) => names.get(copy) ?? '') ?? [input]
  const tasks = Object.entries(body.tasks).map(([name, { input, ...task }]) => [
    name,
    { ...task, ...(input !== undefined && { input: [input].flat().flatMap(namesOf) }) },
  ])
  const imports = [...names].map(([{ uploadId, filename }, name]) => [
    name,
    { operation: 'import/upload', upload_id: uploadId, filename },
  ])
  const made = ourJob({ ...body, tasks: Object.fromEntries([...imports, ...tasks]) })
  try {
    return await ask<JobView>(createJob, request, { body: made }, services)
  } catch (error) {
    await forgetCopies(all, services)
    throw error
  }
}

/** Copies of the files of those inputs that are no tasks of this job. */
async function elsewhere(
  { tasks }: JobBody,
  request: Request,
  services: Services,
): Promise<ReadonlyMap<string, readonly Copy[]>> {
  const inputs = Object.values(tasks).flatMap(({ input }) => (input === undefined ? [] : [input].flat()))
  const copies = new Map<string, readonly Copy[]>()
  try {
    for (const input of new Set(inputs))
      if (!(input in tasks) && input.startsWith('job_'))
        copies.set(input, await copiesOf(input, request, services))
  } catch (error) {
    await forgetCopies([...copies.values()].flat(), services)
    throw error
  }
  return copies
}
