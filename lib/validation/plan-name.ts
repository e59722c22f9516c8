import * as z from 'zod'
import { planIds } from '../plans.ts'

/** Schema of a plan, by its id or its alias. */
export const planNameSchema = z
  .enum([...planIds, 'enterprise'])
  .transform((name) => (name === 'enterprise' ? 'business' : name))
