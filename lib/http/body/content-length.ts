import * as z from 'zod'
import { coerceNumber } from '../../validation/coerce.ts'

/** Accepts any whole number, even beyond the safe integers: the limit depends on the plan and is checked elsewhere. */
export const declaredSize = z
  .preprocess(coerceNumber, z.number().min(0).refine(Number.isInteger))
  .meta({ type: 'integer' })
  .describe('Bytes')
