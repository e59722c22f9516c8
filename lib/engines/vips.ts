import { writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import * as z from 'zod'
import { type FormatId, formatById } from '../formats/index.ts'
import { bitmap } from './bitmap.ts'
import type { Capability, Engine, Result, Tools, Work } from './engine.ts'
import { picturesToPdf } from './image-pdf.ts'
import { type PageFile, packPages, pageFileName } from './page-files.ts'
import { untilAborted } from './until-aborted.ts'
import { loadSharp, openPicture, type Picture, pictureError, pixels } from './vips-image.ts'
import { heicQuality, type PixelTargetId, pixelTargets } from './vips-targets.ts'

const sources = [
  'jpg',
  'png',
  'webp',
  'avif',
  'gif',
  'tiff',
  'svg',
  'svgz',
  'heic',
] as const satisfies readonly FormatId[]

const pixelTargetIds = Object.keys(pixelTargets) as PixelTargetId[] // Object.keys forgets the names that the table has.

const capabilities: readonly Capability[] = [
  ...pixelTargetIds.map((to) => {
    const { options, cost } = pixelTargets[to]
    return { operation: 'convert', from: sources, to: [to], same: true, options, cost } as const
  }),
  { operation: 'convert', from: sources, to: ['pdf'], options: z.object({}), cost: 0.2 },
]

/** Pictures, by libvips in this process. */
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

async function run(work: Work, tools: Tools): Promise<Result> {
  const converting = convert(work, tools).catch((error: unknown) => {
    throw pictureError(error, work.from)
  })
  return untilAborted(converting, tools.signal)
}

async function convert(work: Work, tools: Tools): Promise<Result> {
  const to = targetOf(work.to)
  const pictures: Picture[] = []
  for (const input of work.inputs) pictures.push(await openPicture(input, to, tools))
  const [picture] = pictures
  if (!picture) throw new Error('vips was called without an input.')
  const result =
    to === 'pdf'
      ? await toPdf(pictures, work, tools)
      : isPaged(picture) && pixelTargets[to].holds !== 'pages'
        ? await toZip(picture, to, work, tools)
        : await toPicture(picture, to, work, tools)
  tools.progress(1)
  return result
}

function targetOf(to: FormatId): PixelTargetId | 'pdf' {
  const target = pixelTargetIds.find((id) => id === to)
  if (!target && to !== 'pdf') throw new Error(`vips was asked for ${to}, which it does not declare.`)
  return target ?? 'pdf'
}

/** The pages of a TIFF are pages; several pictures in a GIF or WebP are an animation. */
function isPaged(picture: Picture): boolean {
  return picture.format === 'tiff' && picture.pages > 1
}

async function toPdf(pictures: readonly Picture[], work: Work, tools: Tools): Promise<Result> {
  const path = await picturesToPdf(pictures, work.outDir, tools)
  const pages = pictures.reduce((sum, picture) => sum + (isPaged(picture) ? picture.pages : 1), 0)
  return { files: [{ path }], details: { pages } }
}

async function toZip(picture: Picture, to: PixelTargetId, work: Work, tools: Tools): Promise<Result> {
  const files: PageFile[] = []
  for (let page = 1; page <= picture.pages; page++) {
    tools.signal.throwIfAborted()
    const path = join(work.outDir, pageFileName(page, picture.pages, extensionOf(to)))
    await write(picture, to, page - 1, path, work.options, tools)
    files.push({ page, path })
    tools.progress(page / (picture.pages + 1), 'pages')
  }
  const path = await packPages(work.outDir, files, { format: to, options: work.options })
  return { files: [{ path, format: 'zip' }], details: { pages: picture.pages } }
}

async function toPicture(picture: Picture, to: PixelTargetId, work: Work, tools: Tools): Promise<Result> {
  const whole = picture.pages > 1 && pixelTargets[to].holds !== undefined
  if (picture.pages > 1 && !whole) {
    tools.warn(
      'ANIMATION_DROPPED',
      `Only the first of ${picture.pages} frames was kept: ${to} holds one picture.`,
    )
  }
  const path = join(work.outDir, `output.${extensionOf(to)}`)
  const details = await write(picture, to, whole ? -1 : 0, path, work.options, tools)
  return { files: [{ path }], details: whole ? { ...details, frames: picture.pages } : details }
}

const extensionOf = (to: PixelTargetId) => formatById(to).extensions[0] ?? to

async function write(
  picture: Picture,
  to: PixelTargetId,
  page: number,
  path: string,
  options: unknown,
  tools: Tools,
): Promise<{ width: number; height: number }> {
  const target = pixelTargets[to]
  const image = await pixels(picture, to, { page, size: target.size(options) })
  const encoded = target.encode(image, options)
  if (to === 'bmp') {
    const { data, info } = await encoded.toBuffer({ resolveWithObject: true })
    await writeFile(path, bitmap({ width: info.width, height: info.height, data }))
    return { width: info.width, height: info.height }
  }
  const file = to === 'heic' ? join(tools.workDir, 'encode.png') : path
  const { width, height, pageHeight } = await encoded.toFile(file)
  if (to === 'heic') {
    await tools.exec('heif-enc', ['-q', String(heicQuality(options)), '-o', path, file])
  }
  return { width, height: pageHeight ?? height }
}
