import * as z from 'zod'
import type { FormatId } from '../../formats/index.ts'
import type { Capability } from '../engine.ts'
import { integer, quality } from '../options.ts'
import type { Size } from './svg-layout.ts'

const maxSide = 8192
const usualSide = 256

export const thumbnailTargets = ['png', 'jpg', 'webp'] as const satisfies readonly FormatId[]
export type ThumbnailTarget = (typeof thumbnailTargets)[number]

const side = (other: string) =>
  integer(1, maxSide)
    .optional()
    .describe(
      `Pixels. Left out it follows from the ${other}; both left out are a box of ${usualSide} by ${usualSide}.`,
    )

const boxShape = {
  width: side('height'),
  height: side('width'),
  fit: z
    .enum(['max', 'crop', 'scale'])
    .default('max')
    .describe(
      'max fits inside and never enlarges, crop fills the box and cuts off what reaches beyond, scale takes on its shape.',
    ),
}

export const manyCount = integer(1, 20).default(1)

const Thumbnail = z.object({ ...boxShape, quality: quality.optional() })

/** In pixels; `grow` fits inside as `max` does, and fills. */
export interface ThumbnailBox {
  readonly width: number
  readonly height: number
  readonly fit: 'max' | 'grow' | 'crop' | 'scale'
}

/** A side that was left out is as long as it comes to be, but not endless. */
export function thumbnailBox(raw: unknown): ThumbnailBox {
  const { width, height, fit } = Thumbnail.parse(raw)
  if (width !== undefined && height !== undefined) return { width, height, fit }
  if (width === undefined && height === undefined) return { width: usualSide, height: usualSide, fit }
  // With one side alone there is nothing to cut off and no other shape to take on.
  return { width: width ?? maxSide, height: height ?? maxSide, fit: fit === 'max' ? 'max' : 'grow' }
}

/** For what has no pixels of its own, as a page or a shape: there are none to make up. */
export const filled = (box: ThumbnailBox): ThumbnailBox => (box.fit === 'max' ? { ...box, fit: 'grow' } : box)

/** How much larger something has to be drawn so that no pixel of the box is made up. */
export function scaleInto({ width, height }: Size, box: ThumbnailBox): number {
  const scales = [box.width / width, box.height / height]
  return box.fit === 'crop' || box.fit === 'scale' ? Math.max(...scales) : Math.min(...scales)
}

/** A row for each format that thumbnails have. */
export const thumbnailRowsOf = (
  from: readonly FormatId[],
  more: z.ZodRawShape,
  cost: number,
): readonly Capability[] => {
  const lossless = z.object({ ...boxShape, ...more })
  const lossy = lossless.extend({ quality: quality.optional() })
  return thumbnailTargets.map((to) => ({
    operation: 'thumbnail',
    from,
    to: [to],
    same: true,
    options: to === 'png' ? lossless : lossy,
    cost,
  }))
}
