import type { JobError } from '../jobs/job.ts'

/**
 * One engine could not read the file, or nothing of what is in it, which another one may; not that nobody can, as
 * without its password.
 */
export const isUnreadableError = ({ code, details }: Pick<JobError, 'code' | 'details'>) =>
  code === 'CORRUPT_FILE' ||
  (code === 'UNSUPPORTED_FORMAT' && ['feature', 'other-kind'].includes(String(details?.['reason']))) ||
  (code === 'CONVERSION_FAILED' && details?.['reason'] === 'content-lost')
