import { readFileSync } from 'node:fs'
import * as z from 'zod'
import type { FormatId } from '../formats/index.ts'
import type { Capability, Engine, EngineResult, EngineWork, Tools } from './engine.ts'
import { rejectWhenAborted } from './sandbox/until-aborted.ts'
import { dpi } from './shared/image/options.ts'
import { createThumbnailRows } from './shared/image/thumbnail-options.ts'
import { compressImage, compressImageRows } from './vips/compress.ts'
import { compressOffice, isOfficePackage, officeCompressRows } from './vips/compress-office.ts'
import { convertImage } from './vips/convert.ts'
import { cameraFormats } from './vips/decoders.ts'
import { loadSharp } from './vips/image.ts'
import { toImageError } from './vips/image-error.ts'
import { mergeImages, mergeRows } from './vips/merge.ts'
import { getPixelTarget, pixelTargetIds } from './vips/targets.ts'
import { makeThumbnail } from './vips/thumbnail.ts'
import { watermarkImage, watermarkImageRows } from './vips/watermark.ts'

const imageFormats = [
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
const drawingFormats = ['svg', 'svgz'] as const satisfies readonly FormatId[]

/** Vector drawings are rendered with librsvg, not with a browser. */
const unsupportedDrawingTraits = ['browser-drawing'] as const

const capabilities: readonly Capability[] = [
  ...pixelTargetIds.flatMap((id): Capability[] => {
    const { options, cost } = getPixelTarget(id)
    const row = { operation: 'convert', to: [id], same: true, cost } as const
    return [
      { ...row, from: imageFormats, options },
      {
        ...row,
        from: drawingFormats,
        options: options.extend({ dpi }),
        unsupportedTraits: unsupportedDrawingTraits,
      },
    ]
  }),
  { operation: 'convert', from: imageFormats, to: ['pdf'], options: z.object({}), cost: 0.2 },
  {
    operation: 'convert',
    from: drawingFormats,
    to: ['pdf'],
    options: z.object({}),
    cost: 0.2,
    // The browser's PDF keeps shapes and text, this one only pixels.
    unsupportedTraits: [...unsupportedDrawingTraits, 'browser-pdf-drawing'],
  },
  ...mergeRows,
  ...compressImageRows,
  ...officeCompressRows,
  ...createThumbnailRows(imageFormats, {}, 0.05),
  ...createThumbnailRows(drawingFormats, {}, 0.05).map((row) => ({
    ...row,
    unsupportedTraits: unsupportedDrawingTraits,
  })),
  ...watermarkImageRows,
]

/** Converts images with libvips, in the process that runs this code. */
export const vips: Engine = {
  id: 'vips',
  image: 'image',
  capabilities,
  limits: { memoryMb: 3008, diskMb: 2048, timeoutS: 120 },
  version: readSharpVersion,
  run,
  warm: async () => {
    await loadSharp()
  },
}

/** Reads the version from the package files: the worker stores it with results but need not load the library. */
function readSharpVersion(): string {
  const [sharp, libvips] = ['sharp/package', '@img/sharp-libvips-linux-x64/versions'].map(
    (path): Readonly<Record<string, string>> =>
      JSON.parse(readFileSync(new URL(`../../node_modules/${path}.json`, import.meta.url), 'utf8')),
  )
  return `sharp ${sharp?.['version']}, libvips ${libvips?.['vips']}`
}

async function run(work: EngineWork, tools: Tools): Promise<EngineResult> {
  const resultPromise = runOperation(work, tools).catch((error: unknown) => {
    throw toImageError(error, work.from)
  })
  const result = await rejectWhenAborted(resultPromise, tools.signal)
  tools.progress(1)
  return result
}

function runOperation(work: EngineWork, tools: Tools): Promise<EngineResult> {
  switch (work.operation) {
    case 'convert':
      return convertImage(work, tools)
    case 'merge':
      return mergeImages(work, tools)
    case 'compress':
      return isOfficePackage(work.from) ? compressOffice(work, tools) : compressImage(work, tools)
    case 'thumbnail':
      return makeThumbnail(work, tools)
    case 'watermark':
      return watermarkImage(work, tools)
    default:
      throw new Error(`vips does not support the operation ${work.operation}.`)
  }
}
