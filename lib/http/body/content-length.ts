import * as z from 'zod'
import { coerceNumber } from '../../validation/coerce.ts'

/**
 * Schema of a file size. It accepts any whole number, even beyond the safe integers, because the limit depends on the
 * plan and is checked elsewhere.
 */
export const declaredSize = z
  .preprocess(coerceNumber, z.number().min(0).refine(Number.isInteger))
  .meta({ type: 'integer' })
  .describe('Size in bytes')
