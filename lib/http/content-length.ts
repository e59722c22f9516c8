import * as z from 'zod'
import { numberFromText } from '../coerce.ts'
import { AppError } from '../errors.ts'

/** How many bytes are too many is for the plan to say: here any whole number is one, also beyond what counts exactly. */
export const declaredSize = z
  .preprocess(numberFromText, z.number().min(0).refine(Number.isInteger))
  .meta({ type: 'integer' })
  .describe('Bytes')

/** The file is still to come, so there is time to send another. */
export const declaredSizeError = (maxBytes: number, size: number): AppError =>
  new AppError(
    'FILE_TOO_LARGE',
    `size: a file may have at most ${maxBytes} bytes (${Math.floor(maxBytes / 1024 ** 2)} MiB), got ${size}. Send a smaller file; GET /v1/plans has the limits of each plan.`,
    { field: 'size', maxBytes, size },
  )
