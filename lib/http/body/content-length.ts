import * as z from 'zod'
import { AppError } from '../../errors.ts'
import { coerceNumber } from '../../validation/coerce.ts'

/** Accepts any whole number, even beyond the safe integers: the limit depends on the plan and is checked elsewhere. */
export const declaredSize = z
  .preprocess(coerceNumber, z.number().min(0).refine(Number.isInteger))
  .meta({ type: 'integer' })
  .describe('Bytes')

/** The error for a declared size above the limit, before the file is sent. */
export const sizeLimitError = (maxBytes: number, size: number): AppError =>
  new AppError(
    'FILE_TOO_LARGE',
    `size: expected at most ${maxBytes} bytes (${Math.floor(maxBytes / 1024 ** 2)} MiB), got ${size}. Send a smaller file; GET /v1/plans lists the limits of each plan.`,
    { field: 'size', maxBytes, size },
  )
