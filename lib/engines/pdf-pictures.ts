import { rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Sharp } from 'sharp'
import { formatById } from '../formats/index.ts'
import type { OutputFile, Tools } from './engine.ts'
import { type Quality, qualityNumber } from './options.ts'
import { type PageFile, packPages, pageFileName } from './page-files.ts'
import type { OpenPdf } from './pdf-open.ts'
import { type Rendering, renderPages } from './pdf-render.ts'
import { loadSharp } from './vips-image.ts'
import { pixelTargets } from './vips-targets.ts'

/** What is to be made of which document. */
export interface Pages {
  readonly opened: OpenPdf
  readonly pages: readonly number[]
  readonly outDir: string
}

export interface DrawOptions {
  readonly dpi: number
  readonly colorSpace: 'srgb' | 'adobe-rgb' | 'gray'
  readonly downscale?: number | undefined
}

export interface JpegOptions extends DrawOptions {
  readonly quality?: Quality | undefined
  readonly jpegQuality?: number | undefined
  readonly progressive: boolean
}

/** Of Debian's libgs-common. */
const adobeRgb = '/usr/share/color/icc/ghostscript/a98.icc'

/** Uncompressed, for us to encode: poppler's own PNG takes five times as long. */
const raw = { extension: 'tif', args: ['-tiff', '-tiffcompression', 'none'] } as const

export async function toJpeg(document: Pages, options: JpegOptions, tools: Tools): Promise<OutputFile> {
  const words = { low: 50, medium: 70, high: 85, highest: 95 }
  const quality = options.jpegQuality ?? qualityNumber(options.quality, words)
  const { progressive } = options
  const parameters = { ...parametersOf(options), quality, progressive }
  // poppler writes gray pages as three equal channels, and knows no profile.
  if (options.colorSpace !== 'srgb') {
    return encoded(document, 'jpg', options, parameters, (page) => page.jpeg({ quality, progressive }), tools)
  }
  const settings = `quality=${quality},progressive=${progressive ? 'y' : 'n'},optimize=n`
  const rendering = renderingOf(document, options, {
    extension: 'jpg',
    args: ['-jpeg', '-jpegopt', settings],
  })
  return collect(document, 'jpg', parameters, async (use) => {
    await renderPages(document.opened, rendering, tools, (file) =>
      use(file, (target) => rename(file.path, target)),
    )
  })
}

export function toPictures(
  to: 'png' | 'webp' | 'avif',
  document: Pages,
  options: DrawOptions,
  tools: Tools,
): Promise<OutputFile> {
  const encode = (page: Sharp) => pixelTargets[to].encode(page, options)
  return encoded(document, to, options, parametersOf(options), encode, tools)
}

async function encoded(
  document: Pages,
  to: 'jpg' | 'png' | 'webp' | 'avif',
  options: DrawOptions,
  parameters: Readonly<Record<string, unknown>>,
  encode: (page: Sharp) => Sharp,
  tools: Tools,
): Promise<OutputFile> {
  const sharp = await loadSharp()
  const write = async ({ path }: PageFile, target: string) => {
    tools.signal.throwIfAborted()
    const page = sharp(path).toColourspace(options.colorSpace === 'gray' ? 'b-w' : 'srgb')
    const profiled = options.colorSpace === 'adobe-rgb' ? page.withIccProfile(adobeRgb) : page
    await encode(profiled).withDensity(options.dpi).toFile(target)
    await rm(path)
  }
  return collect(document, to, parameters, async (use) => {
    const rendering = renderingOf(document, options, raw)
    await renderPages(document.opened, rendering, tools, (file) => use(file, (target) => write(file, target)))
  })
}

/** One file of all pages, in the order of the range. */
export async function toTiff(document: Pages, options: DrawOptions, tools: Tools): Promise<OutputFile> {
  const drawn = new Map<number, string>()
  const packed = { extension: 'tif', args: ['-tiff', '-tiffcompression', 'lzw'] } as const
  await renderPages(
    document.opened,
    renderingOf(document, options, packed),
    tools,
    async ({ page, path }) => {
      drawn.set(page, path)
    },
  )
  const path = join(document.outDir, 'output.tiff')
  const files = document.pages.map((page) => drawn.get(page)).filter((file) => file !== undefined)
  await tools.exec('tiffcp', ['-c', 'lzw', ...files, path])
  return { path }
}

function renderingOf(
  { pages }: Pages,
  { dpi, downscale, colorSpace }: DrawOptions,
  how: Pick<Rendering, 'extension' | 'args'>,
): Rendering {
  return { pages, dpi, downscale, gray: colorSpace === 'gray', ...how }
}

function parametersOf({ dpi, colorSpace, downscale }: DrawOptions): Record<string, unknown> {
  return { dpi, colorSpace, ...(downscale !== undefined && { downscale }) }
}

type Use = (file: PageFile, write: (target: string) => Promise<void>) => Promise<void>

/** One page is a picture, several are a ZIP of pictures. */
async function collect(
  { pages, opened, outDir }: Pages,
  to: 'jpg' | 'png' | 'webp' | 'avif',
  parameters: Readonly<Record<string, unknown>>,
  draw: (use: Use) => Promise<void>,
): Promise<OutputFile> {
  const files: PageFile[] = []
  const extension = formatById(to).extensions[0] ?? to
  await draw(async ({ page }, write) => {
    const path = join(outDir, pageFileName(page, opened.sizes.length, extension))
    await write(path)
    files.push({ page, path })
  })
  const [only] = files
  if (only && pages.length === 1) return { path: only.path }
  files.sort((a, b) => a.page - b.page)
  return { path: await packPages(outDir, files, { format: to, ...parameters }), format: 'zip' }
}
