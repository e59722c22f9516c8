import type { JobError } from '../model/job.ts'

/** Reasons to reject what an engine made of a file that it could read. */
const rejections = ['content-lost', 'unreadable-result']

export const isRejection = ({ details }: Pick<JobError, 'details'>) =>
  rejections.includes(String(details?.['reason']))

/**
 * Whether an engine could not read the file, lost its content or made a damaged result, while another engine may
 * succeed. Excludes errors that affect every engine, such as a missing password.
 */
export const isUnreadableError = ({ code, details }: Pick<JobError, 'code' | 'details'>) =>
  code === 'CORRUPT_FILE' ||
  (code === 'UNSUPPORTED_FORMAT' && ['feature', 'other-kind'].includes(String(details?.['reason']))) ||
  (code === 'CONVERSION_FAILED' && isRejection({ details }))
