import { rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Sharp } from 'sharp'
import { formatById } from '../../formats/index.ts'
import { defined } from '../../validation/defined.ts'
import type { OutputFile, Tools } from '../engine.ts'
import { type Quality, toQualityNumber } from '../options.ts'
import { pageAdobeRgbProfile } from '../shared/image/color-profiles.ts'
import { chooseJpegQuality, qualityScales } from '../shared/image/options.ts'
import { loadSharp } from '../vips/image.ts'
import { pixelTargets } from '../vips/targets.ts'
import { packPages } from './pack-pages.ts'
import { createPageFileName, type PageFile } from './page-files.ts'
import type { PageSelection } from './page-options.ts'
import { toPdfError } from './qpdf.ts'
import { type RenderSettings, renderPages } from './render.ts'

interface RenderOptions {
  readonly dpi: number
  readonly colorSpace: 'srgb' | 'adobe-rgb' | 'gray'
  readonly downscale?: number | undefined
}

interface PageJpegOptions extends RenderOptions {
  readonly quality?: Quality | undefined
  readonly jpegQuality?: number | undefined
  readonly progressive: boolean
}

/** Uncompressed output, which we encode ourselves: poppler's PNG encoder takes five times as long. */
export const uncompressedTiff = { extension: 'tif', args: ['-tiff', '-tiffcompression', 'none'] } as const

export async function toJpeg(
  selection: PageSelection,
  options: PageJpegOptions,
  tools: Tools,
): Promise<OutputFile> {
  const quality = toQualityNumber(chooseJpegQuality(options), qualityScales.jpg)
  const { progressive } = options
  const parameters = { ...toManifestParameters(options), quality, progressive }
  // poppler writes gray pages with three equal channels and embeds no color profile.
  if (options.colorSpace !== 'srgb') {
    return encodePages(
      selection,
      'jpg',
      options,
      parameters,
      (page) => page.jpeg({ quality, progressive }),
      tools,
    )
  }
  const jpegOptions = `quality=${quality},progressive=${progressive ? 'y' : 'n'},optimize=n`
  const renderSettings = toRenderSettings(selection, options, {
    extension: 'jpg',
    args: ['-jpeg', '-jpegopt', jpegOptions],
  })
  return collectPages(selection, 'jpg', parameters, async (use) => {
    await renderPages(selection.openedPdf, renderSettings, tools, (file) =>
      use(file, (target) => rename(file.path, target)),
    )
  })
}

export function toImages(
  to: 'png' | 'webp' | 'avif',
  selection: PageSelection,
  options: RenderOptions,
  tools: Tools,
): Promise<OutputFile> {
  const encode = (page: Sharp) => pixelTargets[to].encode(page, options)
  return encodePages(selection, to, options, toManifestParameters(options), encode, tools)
}

async function encodePages(
  selection: PageSelection,
  to: 'jpg' | 'png' | 'webp' | 'avif',
  options: RenderOptions,
  parameters: Readonly<Record<string, unknown>>,
  encode: (page: Sharp) => Sharp,
  tools: Tools,
): Promise<OutputFile> {
  const sharp = await loadSharp()
  const write = async ({ path }: PageFile, target: string) => {
    tools.signal.throwIfAborted()
    const page = sharp(path).toColourspace(options.colorSpace === 'gray' ? 'b-w' : 'srgb')
    const imageWithProfile =
      options.colorSpace === 'adobe-rgb' ? page.withIccProfile(pageAdobeRgbProfile) : page
    await encode(imageWithProfile).withDensity(options.dpi).toFile(target)
    await rm(path)
  }
  return collectPages(selection, to, parameters, async (use) => {
    const renderSettings = toRenderSettings(selection, options, uncompressedTiff)
    await renderPages(selection.openedPdf, renderSettings, tools, (file) =>
      use(file, (target) => write(file, target)),
    )
  })
}

/** Writes an SVG that keeps shapes as vectors; glyphs become outlines, so that readers do not need the PDF's fonts. */
export function toSvg(selection: PageSelection, tools: Tools): Promise<OutputFile> {
  const pages = [...new Set(selection.pages)]
  return collectPages(selection, 'svg', {}, async (use) => {
    for (const [index, page] of pages.entries()) {
      const rangeArgs = ['-f', String(page), '-l', String(page)]
      await use({ page, path: selection.openedPdf.path }, async (target) => {
        try {
          await tools.exec('pdftocairo', ['-svg', ...rangeArgs, selection.openedPdf.path, target])
        } catch (error) {
          throw toPdfError(error)
        }
      })
      tools.progress(((index + 1) / pages.length) * 0.95, 'pages')
    }
  })
}

/** Writes all pages into one file, in the order of the range. */
export async function toTiff(
  selection: PageSelection,
  options: RenderOptions,
  tools: Tools,
): Promise<OutputFile> {
  const renderedPaths = new Map<number, string>()
  const lzwTiff = { extension: 'tif', args: ['-tiff', '-tiffcompression', 'lzw'] } as const
  await renderPages(
    selection.openedPdf,
    toRenderSettings(selection, options, lzwTiff),
    tools,
    async ({ page, path }) => {
      renderedPaths.set(page, path)
    },
  )
  const path = join(selection.outDir, 'output.tiff')
  const files = selection.pages.map((page) => renderedPaths.get(page)).filter((file) => file !== undefined)
  await tools.exec('tiffcp', ['-c', 'lzw', ...files, path])
  return { path }
}

function toRenderSettings(
  { pages }: PageSelection,
  { dpi, downscale, colorSpace }: RenderOptions,
  output: Pick<RenderSettings, 'extension' | 'args'>,
): RenderSettings {
  return { pages, dpi, downscale, gray: colorSpace === 'gray', ...output }
}

function toManifestParameters({ dpi, colorSpace, downscale }: RenderOptions): Record<string, unknown> {
  return { dpi, colorSpace, ...defined({ downscale }) }
}

type WritePage = (file: PageFile, write: (target: string) => Promise<void>) => Promise<void>

/** Returns one image for a single page, or a ZIP of images for several pages. */
async function collectPages(
  { pages, total = pages.length, openedPdf, outDir }: PageSelection,
  to: 'jpg' | 'png' | 'webp' | 'avif' | 'svg',
  parameters: Readonly<Record<string, unknown>>,
  draw: (writePage: WritePage) => Promise<void>,
): Promise<OutputFile> {
  const files: PageFile[] = []
  const extension = formatById(to).extensions[0] ?? to
  await draw(async ({ page }, write) => {
    const path = join(outDir, createPageFileName(page, openedPdf.sizes.length, extension))
    await write(path)
    files.push({ page, path })
  })
  const [onlyFile] = files
  if (onlyFile && total === 1) return { path: onlyFile.path }
  files.sort((a, b) => a.page - b.page)
  return { path: await packPages(outDir, files, { format: to, ...parameters }), format: 'zip' }
}
