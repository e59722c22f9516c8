import { createHash } from 'node:crypto'
import { readdir, readFile, rename, rm } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { AppError } from '../../../errors.ts'
import type { Tools } from '../../engine.ts'
import { loadSharp } from '../../vips/image.ts'
import { packPages } from '../pack-pages.ts'
import { resolvePages } from '../page-range.ts'
import { toPdfError } from '../qpdf.ts'
import type { PdfTool } from './editable-pdf.ts'
import type { ToolOptions } from './options.ts'

interface ImageEntry {
  readonly page: number
  readonly number: number
  readonly type: string
}

const maxImages = 10_000

/** Extracts embedded images: JPEG files unchanged, others as PNG, with their transparency. */
export const extractImages: PdfTool<ToolOptions<'extract-pdf-images'>> = async (job) => {
  const { pdf, options, work, tools } = job
  const pages = new Set(resolvePages(options.pages, pdf.sizes.length))
  const range = ['-f', String(Math.min(...pages)), '-l', String(Math.max(...pages))]
  const listedImages = (await listImages(pdf.path, range, tools)).filter(({ page }) => pages.has(page))
  if (listedImages.length === 0) {
    const subject = options.pages === undefined ? 'The PDF contains' : 'These pages of the PDF contain'
    const message = `${subject} no images; what looks like one is a vector drawing. Convert the pages to png instead.`
    throw new AppError('INVALID_INPUT', message, { field: 'file' })
  }
  if (listedImages.length > maxImages) {
    throw new AppError(
      'INVALID_INPUT',
      `The PDF contains ${listedImages.length} images; at most ${maxImages} can be extracted. Send a page range.`,
      { field: 'pages' },
    )
  }
  const pathsByNumber = await extractFiles(pdf.path, range, tools)
  tools.progress(0.5)
  const files: { page: number; path: string }[] = []
  const seenImages = new Set<string>()
  for (const [index, image] of listedImages.entries()) {
    tools.signal.throwIfAborted()
    if (image.type === 'smask' || image.type === 'mask') continue
    const path = pathsByNumber.get(image.number)
    const nextImage = listedImages[index + 1]
    const mask = nextImage?.type === 'smask' ? pathsByNumber.get(nextImage.number) : undefined
    if (path === undefined) continue
    const finalPath = mask === undefined ? path : await applyAlphaMask(path, mask)
    const digest = createHash('sha256')
      .update(await readFile(finalPath))
      .digest('hex')
    // An image that repeats on every page, such as a letterhead, is extracted once.
    if (seenImages.has(digest)) continue
    seenImages.add(digest)
    const name = `image-${String(files.length + 1).padStart(3, '0')}${extname(finalPath).replace('.tif', '.tiff')}`
    const target = join(work.outDir, name)
    await rename(finalPath, target)
    files.push({ page: image.page, path: target })
    tools.progress(0.5 + (0.4 * (index + 1)) / listedImages.length)
  }
  const path = await packPages(work.outDir, files, { pages: options.pages ?? 'all' })
  for (const file of files) await rm(file.path)
  tools.progress(1)
  return { files: [{ path, format: 'zip' }], details: { images: files.length } }
}

async function listImages(path: string, range: readonly string[], tools: Tools): Promise<ImageEntry[]> {
  const { stdout } = await runPdfimages(['-list', ...range, path], tools)
  return stdout
    .split('\n')
    .slice(2)
    .flatMap((line) => {
      const [page, number, type] = line.trim().split(/\s+/)
      return type === undefined ? [] : [{ page: Number(page), number: Number(number), type }]
    })
}

const prefix = 'extracted'

/** Extracts all images. @returns their paths by the image number that `pdfimages -list` shows. */
async function extractFiles(
  path: string,
  range: readonly string[],
  tools: Tools,
): Promise<ReadonlyMap<number, string>> {
  const kinds = ['-png', '-tiff', '-j', '-jp2']
  await runPdfimages([...kinds, ...range, path, join(tools.workDir, prefix)], tools)
  const pathsByNumber = (await readdir(tools.workDir)).flatMap((name) => {
    const number = /^extracted-(\d+)\.\w+$/.exec(name)?.[1]
    return number === undefined ? [] : [[Number(number), join(tools.workDir, name)] as const]
  })
  return new Map(pathsByNumber)
}

/** Applies the soft mask: a PDF stores transparency as a second image, which is useless on its own. */
async function applyAlphaMask(path: string, mask: string): Promise<string> {
  if (!['.png', '.jpg', '.tif'].includes(extname(path))) return path
  const sharp = await loadSharp()
  const image = sharp(path).toColourspace('srgb').removeAlpha()
  const { data, info } = await image.raw().toBuffer({ resolveWithObject: true })
  const { width, height, channels } = info
  const alpha = await sharp(mask)
    .resize(width, height, { fit: 'fill' })
    .toColourspace('b-w')
    .extractChannel(0)
    .raw()
    .toBuffer()
  const target = path.replace(/\.\w+$/, '-alpha.png')
  const createRawOptions = (channelCount: 1 | 2 | 3 | 4) => ({
    raw: { width, height, channels: channelCount },
  })
  await sharp(data, createRawOptions(channels)).joinChannel(alpha, createRawOptions(1)).png().toFile(target)
  return target
}

async function runPdfimages(args: readonly string[], tools: Tools) {
  try {
    return await tools.exec('pdfimages', args)
  } catch (error) {
    throw toPdfError(error)
  }
}
