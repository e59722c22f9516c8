import * as z from 'zod'
import type { FormatId } from '../../../formats/index.ts'
import type { Capability } from '../../engine.ts'
import { integer, quality } from '../../options.ts'
import type { Size } from './svg-layout.ts'

const maxSide = 8192
const defaultSide = 256

export const thumbnailTargets = ['png', 'jpg', 'webp'] as const satisfies readonly FormatId[]
export type ThumbnailTarget = (typeof thumbnailTargets)[number]

const createSideOption = (side: string, otherSide: string) =>
  integer(1, maxSide)
    .optional()
    .describe(
      `${side} of the box for the thumbnail, in pixels. When left out, it follows from the ${otherSide}; when both are left out, the box is ${defaultSide} by ${defaultSide}.`,
    )

const boxOptionShape = {
  width: createSideOption('Width', 'height'),
  height: createSideOption('Height', 'width'),
  fit: z
    .enum(['max', 'crop', 'scale'])
    .default('max')
    .describe(
      'max fits the image into the box without enlarging it, crop fills the box and cuts off the rest, scale stretches the image to the box.',
    ),
}

export const thumbnailCount = integer(1, 20).default(1)

const ThumbnailOptions = z.object({ ...boxOptionShape, quality: quality.optional() })

/** Box in pixels; `grow` fits inside like `max`, but also enlarges. */
export interface ThumbnailBox {
  readonly width: number
  readonly height: number
  readonly fit: 'max' | 'grow' | 'crop' | 'scale'
}

/** Parses the box. A side that was omitted is limited only by the maximum. */
export function parseThumbnailBox(raw: unknown): ThumbnailBox {
  const { width, height, fit } = ThumbnailOptions.parse(raw)
  if (width !== undefined && height !== undefined) return { width, height, fit }
  if (width === undefined && height === undefined) return { width: defaultSide, height: defaultSide, fit }
  // If only one side is given, there is nothing to crop or distort.
  return { width: width ?? maxSide, height: height ?? maxSide, fit: fit === 'max' ? 'max' : 'grow' }
}

/** Returns the box for a page or vector drawing, which can be rendered at any size without enlarging pixels. */
export const allowEnlargement = (box: ThumbnailBox): ThumbnailBox =>
  box.fit === 'max' ? { ...box, fit: 'grow' } : box

/** Returns the scale at which to render so that no pixels have to be enlarged to fill the box. */
export function computeScale({ width, height }: Size, box: ThumbnailBox): number {
  const scales = [box.width / width, box.height / height]
  return box.fit === 'crop' || box.fit === 'scale' ? Math.max(...scales) : Math.min(...scales)
}

/** Creates the capability rows for thumbnails, one per target format. */
export const createThumbnailRows = (
  from: readonly FormatId[],
  moreOptions: z.ZodRawShape,
  cost: number,
): readonly Capability[] => {
  const losslessOptions = z.object({ ...boxOptionShape, ...moreOptions })
  const lossyOptions = losslessOptions.extend({ quality: quality.optional() })
  return thumbnailTargets.map((to) => ({
    operation: 'thumbnail',
    from,
    to: [to],
    same: true,
    options: to === 'png' ? losslessOptions : lossyOptions,
    cost,
  }))
}
