import * as z from 'zod'
import { planIds } from '../plans.ts'

/** A plan by its id or its alias. */
export const planNameSchema = z
  .enum([...planIds, 'enterprise'])
  .transform((name) => (name === 'enterprise' ? 'business' : name))
