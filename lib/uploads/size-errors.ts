import { AppError } from '../errors.ts'
import { defined } from '../validation/defined.ts'

export function createFileTooLargeError(maxBytes: number, size?: number): AppError {
  const max = Math.floor(maxBytes / 1024 / 1024)
  return new AppError('FILE_TOO_LARGE', `The file is larger than the limit of ${max} MiB.`, {
    field: 'file',
    maxBytes,
    ...defined({ size }),
  })
}

/** Creates the error for a declared size above the limit, before the file is sent. */
export const createSizeLimitError = (maxBytes: number, size: number): AppError =>
  new AppError(
    'FILE_TOO_LARGE',
    `size: expected at most ${maxBytes} bytes (${Math.floor(maxBytes / 1024 ** 2)} MiB), got ${size}. Send a smaller file; GET /v1/plans lists the limits of each plan.`,
    { field: 'size', maxBytes, size },
  )
