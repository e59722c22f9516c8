import type { JobState } from '../model/job.ts'
import type { Services } from '../services/services.ts'
import { exportUrlOperation } from '../tasks/export-url.ts'
import { type PackResultsFields, packResultsOperation } from '../tasks/pack-results.ts'
import type { JobRequest } from './job-request.ts'
import { startJob } from './start-job.ts'

type PackingOrigin = Pick<JobRequest, 'owner' | 'keyId' | 'requestId' | 'jobId' | 'expiresInS'>

/** Starts a job that packs results of other jobs into a ZIP. */
export function startPacking(
  origin: PackingOrigin,
  fields: PackResultsFields,
  services: Services,
): Promise<JobState> {
  const task = { input: [], continueOnError: false }
  return startJob(
    {
      ...origin,
      tasks: [
        { ...task, name: 'pack-results', operation: packResultsOperation, fields },
        { ...task, name: 'export-file', operation: exportUrlOperation, input: ['pack-results'], fields: {} },
      ],
      imports: new Map(),
    },
    services,
  )
}
