import type { JobError } from '../model/job.ts'

/**
 * Whether an engine could not read the file, or lost its content, while another engine may succeed. Excludes errors
 * that affect every engine, such as a missing password.
 */
export const isUnreadableError = ({ code, details }: Pick<JobError, 'code' | 'details'>) =>
  code === 'CORRUPT_FILE' ||
  (code === 'UNSUPPORTED_FORMAT' && ['feature', 'other-kind'].includes(String(details?.['reason']))) ||
  (code === 'CONVERSION_FAILED' && details?.['reason'] === 'content-lost')
