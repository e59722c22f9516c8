import type { FixedTask, Job, StoredFile } from '../model/job.ts'
import { parseUploadId } from '../uploads/uploads.ts'

/** Lists the files that were sent with the request of a job. */
export const listSentFiles = (
  { retryOf }: Partial<Pick<Job, 'retryOf'>>,
  fixedTasks: readonly FixedTask[],
): readonly StoredFile[] =>
  fixedTasks
    .filter(({ operation }) => operation.startsWith('import/') && retryOf === undefined)
    .flatMap(({ files = [] }) => files)
    // Uploads are excluded, because they were published when they arrived.
    .filter(({ key }) => key.startsWith('received/') && parseUploadId(key) === undefined)
