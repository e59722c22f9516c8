import * as z from 'zod'
import { planIds } from '../plans.ts'

/** Schema that accepts the id or alias of a plan and returns its id. */
export const planNameSchema = z
  .enum([...planIds, 'enterprise'])
  .transform((name) => (name === 'enterprise' ? 'business' : name))
