import * as z from 'zod'
import { component } from '../validation/component.ts'

const maxNames = 10
const maxNameLength = 100
const maxPagesLength = 200

const Count = z.int().nonnegative().optional()
const Amount = z.number().nonnegative().optional()

/** The numbers and names in a warning's message, for clients that write their own text. */
export const WarningDetails = component(
  'WarningDetails',
  z.object({
    count: Count.describe('Number of files, fonts or pages that the warning is about'),
    total: Amount.describe('How many units the source contains'),
    kept: Amount.describe('How many of these units the result contains'),
    unit: z.string().max(20).optional().describe('The unit that `total` and `kept` count, as in `fidelity`'),
    share: z
      .number()
      .min(0)
      .max(1)
      .optional()
      .describe('Fraction that was kept (`CONTENT_LOST`) or is uncertain (`OCR_UNCERTAIN`)'),
    names: z
      .array(z.string().max(maxNameLength))
      .max(maxNames)
      .optional()
      .describe(`Names of the files, fonts or other items that the warning is about; at most ${maxNames}`),
    pages: z
      .string()
      .max(maxPagesLength)
      .optional()
      .describe('Pages such as `1-3,7`, unless there are too many'),
    sheets: Count.describe('Hidden sheets'),
    rows: Count.describe('Hidden rows'),
    columns: Count.describe('Hidden columns'),
  }),
)
export type WarningDetails = z.infer<typeof WarningDetails>

/** Returns the number of names, and the names themselves, up to the limits of a warning. */
export const describeNames = (names: readonly string[]): WarningDetails => ({
  count: names.length,
  names: names.slice(0, maxNames).map((name) => name.slice(0, maxNameLength).toWellFormed()),
})

/** Describes pages. @param range the pages as text; omitted if it is too long. */
export const describePages = (pages: readonly number[], range: string): WarningDetails => ({
  count: pages.length,
  ...(range.length <= maxPagesLength && { pages: range }),
})
