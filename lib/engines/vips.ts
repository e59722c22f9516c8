import { createRequire } from 'node:module'
import * as z from 'zod'
import type { FormatId } from '../formats/index.ts'
import type { Capability, Engine, EngineResult, EngineWork, Tools } from './engine.ts'
import { dpi } from './image/options.ts'
import { thumbnailRowsOf } from './image/thumbnail-options.ts'
import { untilAborted } from './sandbox/until-aborted.ts'
import { compress, compressRows } from './vips/compress.ts'
import { compressOffice, isOfficePackage, officeCompressRows } from './vips/compress-office.ts'
import { convertPicture } from './vips/convert.ts'
import { cameraFormats } from './vips/decoders.ts'
import { loadSharp } from './vips/image.ts'
import { pictureError } from './vips/image-error.ts'
import { mergePictures, mergeRows } from './vips/merge.ts'
import { pixelTargetIds, pixelTargetOf } from './vips/targets.ts'
import { thumbnailPicture } from './vips/thumbnail.ts'
import { watermarkPicture, watermarkRows } from './vips/watermark.ts'

const pictures = [
  'jpg',
  'png',
  'webp',
  'avif',
  'gif',
  'tiff',
  'heic',
  'apng',
  'jps',
  'jxl',
  'jxr',
  'djvu',
  'icns',
  ...cameraFormats,
] as const satisfies readonly FormatId[]
const shapes = ['svg', 'svgz'] as const satisfies readonly FormatId[]

/** Vector drawings are rendered with librsvg, not with a browser. */
const lacks = ['browser-drawing'] as const

const capabilities: readonly Capability[] = [
  ...pixelTargetIds.flatMap((id): Capability[] => {
    const { options, cost } = pixelTargetOf(id)
    const row = { operation: 'convert', to: [id], same: true, cost } as const
    return [
      { ...row, from: pictures, options },
      { ...row, from: shapes, options: options.extend({ dpi }), unsupportedTraits: lacks },
    ]
  }),
  { operation: 'convert', from: pictures, to: ['pdf'], options: z.object({}), cost: 0.2 },
  {
    operation: 'convert',
    from: shapes,
    to: ['pdf'],
    options: z.object({}),
    cost: 0.2,
    unsupportedTraits: lacks,
  },
  ...mergeRows,
  ...compressRows,
  ...officeCompressRows,
  ...thumbnailRowsOf(pictures, {}, 0.05),
  ...thumbnailRowsOf(shapes, {}, 0.05).map((row) => ({ ...row, lacks })),
  ...watermarkRows,
]

/** Converts images with libvips, in this process. */
export const vips: Engine = {
  id: 'vips',
  image: 'image',
  capabilities,
  limits: { memoryMb: 3008, diskMb: 2048, timeoutS: 120 },
  version: sharpVersion,
  run,
  warm: async () => {
    await loadSharp()
  },
}

function sharpVersion(): string {
  const { versions }: { versions: { sharp: string; vips: string } } = createRequire(import.meta.url)('sharp')
  return `sharp ${versions.sharp}, libvips ${versions.vips}`
}

async function run(work: EngineWork, tools: Tools): Promise<EngineResult> {
  const running = perform(work, tools).catch((error: unknown) => {
    throw pictureError(error, work.from)
  })
  const result = await untilAborted(running, tools.signal)
  tools.progress(1)
  return result
}

function perform(work: EngineWork, tools: Tools): Promise<EngineResult> {
  switch (work.operation) {
    case 'convert':
      return convertPicture(work, tools)
    case 'merge':
      return mergePictures(work, tools)
    case 'compress':
      return isOfficePackage(work.from) ? compressOffice(work, tools) : compress(work, tools)
    case 'thumbnail':
      return thumbnailPicture(work, tools)
    case 'watermark':
      return watermarkPicture(work, tools)
    default:
      throw new Error(`vips was asked for ${work.operation}, which it does not declare.`)
  }
}
