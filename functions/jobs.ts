import type { AnyContract } from '../lib/http/contract.ts'
import { createHttpFunction } from '../lib/http/http-function.ts'
import { cancelJob } from './routes/cancel-job.ts'
import { createJob } from './routes/create-job.ts'
import { deleteJob } from './routes/delete-job.ts'
import { downloadResult } from './routes/download-result.ts'
import { downloadZip } from './routes/download-zip.ts'
import { getJob } from './routes/get-job.ts'
import { getStatus } from './routes/get-status.ts'
import { importUrl } from './routes/import-url.ts'
import { listJobs } from './routes/list-jobs.ts'
import { retryJob } from './routes/retry-job.ts'
import { signDownload } from './routes/sign-download.ts'

/** Endpoints of jobs and their results. */
export const contracts: readonly AnyContract[] = [
  createJob,
  getStatus,
  downloadResult,
  signDownload,
  downloadZip,
  listJobs,
  getJob,
  deleteJob,
  cancelJob,
  retryJob,
  importUrl,
]

export const handler = createHttpFunction(contracts)
