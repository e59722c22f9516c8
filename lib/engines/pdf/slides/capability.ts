import * as z from 'zod'
import type { Capability } from '../../engine.ts'
import { pageRange } from '../page-range.ts'

export const SlidesOptions = z.object({ pages: pageRange.optional() })

export const slidesCapability: Capability = {
  operation: 'convert',
  from: ['pdf'],
  to: ['pptx'],
  options: SlidesOptions,
  // Its text stands in pieces: no way to anything but other slides.
  cost: 1.4,
}
