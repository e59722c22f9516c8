import * as z from 'zod'
import { flag, lenientOption } from '../../options.ts'
import { ocrLanguage } from '../ocr/languages.ts'
import { pageRange } from '../page-range.ts'

const markDeprecated = (description: string) => ({ description, deprecated: true })

/** There is no password option: the specification requires clients to decrypt a PDF first. */
export const DocxOptions = z.object({
  pages: pageRange.optional(),
  pageRange: pageRange.optional().meta(markDeprecated('Deprecated name of `pages`.')),
  language: ocrLanguage.optional(),
  ocrLanguage: ocrLanguage.optional().meta(markDeprecated('Deprecated name of `language`.')),
  layout: z
    .enum(['flow', 'exact'])
    .optional()
    .describe(
      'flow creates editable text, headings, lists and tables; exact keeps each line at its position on the page. Defaults to flow.',
    ),
  preserveLayout: flag()
    .optional()
    .meta(markDeprecated('Deprecated form of layout: true means exact, false means flow.')),
  mode: z
    .enum(['fast', 'hybrid'])
    .default('hybrid')
    .describe('hybrid runs OCR on scanned pages first; fast does not.')
    .meta(lenientOption),
  embedFonts: flag()
    .default(false)
    .describe('The format only names fonts and never embeds them; setting this option causes a warning.'),
})
export type DocxOptions = z.output<typeof DocxOptions>
