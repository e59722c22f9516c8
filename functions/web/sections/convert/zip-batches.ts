/** A job whose results are downloaded. */
interface PackableJob {
  readonly jobId: string
  readonly folder: string | undefined
  readonly fileCount: number
}

/** Maximum number of jobs in one ZIP. */
const maxJobs = 100

/** Divides jobs among several ZIPs. `firstIndex` continues the file numbering of the previous ZIP. */
export function createZipBatches<T extends PackableJob>(jobs: readonly T[]) {
  let firstIndex = 1
  return Array.from({ length: Math.ceil(jobs.length / maxJobs) }, (_, at) => {
    const batch = { jobs: jobs.slice(at * maxJobs, (at + 1) * maxJobs), firstIndex }
    firstIndex += batch.jobs.reduce((sum, { fileCount }) => sum + fileCount, 0)
    return batch
  })
}
