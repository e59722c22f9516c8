import * as z from 'zod'
import type { Capability } from '../../engine.ts'
import { pageRange } from '../page-range.ts'

export const SlidesOptions = z.object({ pages: pageRange.optional() })

export const slidesCapability: Capability = {
  operation: 'convert',
  from: ['pdf'],
  to: ['pptx'],
  options: SlidesOptions,
  // The high cost keeps this step out of routes to other formats, because the text is split into boxes.
  cost: 1.4,
}
