import * as z from 'zod'
import { flag, lenientOption } from '../../options.ts'
import { ocrLanguage } from '../ocr/languages.ts'
import { pageRange } from '../page-range.ts'

const deprecated = (description: string) => ({ description, deprecated: true })

/** A password is not among them: the interface has clients decrypt first. */
export const DocxOptions = z.object({
  pages: pageRange.optional(),
  pageRange: pageRange.optional().meta(deprecated('Older name of pages.')),
  language: ocrLanguage.optional(),
  ocrLanguage: ocrLanguage.optional().meta(deprecated('Older name of language.')),
  layout: z
    .enum(['flow', 'exact'])
    .optional()
    .describe(
      'flow makes text, headings, lists and tables to edit; exact puts each line where it stands on its page. flow when left out.',
    ),
  preserveLayout: flag().optional().meta(deprecated('Older form of layout: true is exact, false is flow.')),
  mode: z
    .enum(['fast', 'hybrid'])
    .default('hybrid')
    .describe('hybrid reads the text of scanned pages first; fast does not.')
    .meta(lenientOption),
  embedFonts: flag()
    .default(false)
    .describe('A hint: fonts are named, never embedded, and a warning says so where they were asked for.'),
})
export type DocxOptions = z.output<typeof DocxOptions>
