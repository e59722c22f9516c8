import type { JobError } from '../model/job.ts'

/** Reasons for rejecting the result of an engine that could read the file. */
const rejections = ['content-lost', 'unreadable-result']

export const isRejection = ({ details }: Pick<JobError, 'details'>) =>
  rejections.includes(String(details?.['reason']))

/**
 * Whether an engine could not read the file, lost its content or made a damaged result, so that another engine may
 * succeed. False for errors that affect every engine, such as a missing password.
 */
export const isUnreadableError = ({ code, details }: Pick<JobError, 'code' | 'details'>) =>
  code === 'CORRUPT_FILE' ||
  (code === 'UNSUPPORTED_FORMAT' && ['feature', 'other-kind'].includes(String(details?.['reason']))) ||
  (code === 'CONVERSION_FAILED' && isRejection({ details }))
