import type { StoredFile } from './job.ts'
import type { JobState } from './machine.ts'

/** A file of a job, and whether somebody sent it or the job made it. */
export interface JobFile extends StoredFile {
  readonly role: 'source' | 'output'
}

/** Every file that a job holds in the bucket, each once. */
export function filesOf({ job, tasks }: JobState): JobFile[] {
  const sent = tasks.filter(({ operation }) => operation.startsWith('import/')).flatMap(({ files }) => files)
  const sources = new Set(sent.map(({ key }) => key))
  const files = new Map(
    [...job.files, ...tasks.flatMap((task) => task.files)].map((file) => [file.key, file]),
  )
  return [...files.values()].map((file) => ({ ...file, role: sources.has(file.key) ? 'source' : 'output' }))
}
