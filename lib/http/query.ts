import * as z from 'zod'

/** A boolean of a query or form: `false` is read as false. */
export const optionalBoolean = z
  .enum(['true', 'false', '1', '0'])
  .transform((text) => text === 'true' || text === '1')
  .optional()
