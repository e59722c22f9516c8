import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { AppError } from '../../../errors.ts'
import { createPdfMustBeDecryptedError } from '../../../formats/locked-pdf.ts'
import type { EngineResult, EngineWork, Tools } from '../../engine.ts'
import { isScan, renderBackgrounds } from '../docx/backgrounds.ts'
import { toWordFont } from '../docx/fonts.ts'
import { getBoundingBox } from '../docx/geometry.ts'
import type { PageContent, Word } from '../docx/page-content.ts'
import { buildRuns } from '../docx/runs.ts'
import { readStructure } from '../docx/structure.ts'
import { resolvePages } from '../page-range.ts'
import { openEditable } from '../tools/editable-pdf.ts'
import { flattenAnnotations } from '../tools/flatten.ts'
import { SlidesOptions } from './capability.ts'
import { createPresentation, type Presentation, type Slide, type TextRun } from './presentation.ts'
import { findTextBoxes, type TextBox } from './text-boxes.ts'

/** Limits of PowerPoint for the size of slides, in inches. Slides have the size of the first page. */
const minInches = 1
const maxInches = 56
/** Part of the line pitch that PowerPoint and LibreOffice put above the baseline. */
const ascentRatio = 0.8

/**
 * Creates a slide per page: editable text over an image of everything else.
 * @throws AppError CORRUPT_FILE, PDF_ENCRYPTED, INVALID_INPUT.
 */
export async function pdfToSlides(work: EngineWork, tools: Tools): Promise<EngineResult> {
  const [input] = work.inputs
  if (!input) throw new Error('pdf was called without an input.')
  const openedPdf = await openEditable(input, undefined, tools).catch((error: unknown) => {
    throw error instanceof AppError && error.code === 'PDF_ENCRYPTED'
      ? createPdfMustBeDecryptedError(error)
      : error
  })
  const pages = resolvePages(SlidesOptions.parse(work.options).pages, openedPdf.sizes.length)
  const path = openedPdf.hasForm ? await flattenAnnotations(openedPdf, tools) : openedPdf.path
  const structure = await readStructure(path, pages, tools, (donePages) =>
    tools.progress((donePages / pages.length) * 0.5, 'pages'),
  )
  const needsBackground = ({ images, vectors, rotatedText }: PageContent) =>
    images.length + vectors.length + rotatedText.length > 0
  const backgrounds = await renderBackgrounds(path, structure.pages, tools, needsBackground)
  tools.progress(0.8, 'slides')
  warnPagesWithoutText(structure.pages, tools)
  const presentation = await createPresentation()
  const { title = '', author = '', subject = '' } = openedPdf.documentInfo
  Object.assign(presentation, { title, author, subject, company: '' })
  const size = computeSlideSize(structure.pages[0])
  presentation.defineLayout({ name: 'page', ...size })
  presentation.layout = 'page'
  for (const page of structure.pages) await addSlide(presentation, page, size, backgrounds.get(page.number))
  const targetPath = join(work.outDir, 'output.pptx')
  const bytes = await presentation.write({ outputType: 'nodebuffer' })
  await writeFile(targetPath, bytes as Uint8Array) // The type requested by `outputType`.
  tools.progress(1)
  return { files: [{ path: targetPath }], details: { pages: pages.length } }
}

/** Size of a slide in inches. */
interface SlideSize {
  readonly width: number
  readonly height: number
}

function computeSlideSize(page: PageContent | undefined): SlideSize {
  const [width, height] = [(page?.width ?? 595) / 72, (page?.height ?? 842) / 72]
  const scale = Math.min(1, maxInches / Math.max(width, height))
  return { width: Math.max(minInches, width * scale), height: Math.max(minInches, height * scale) }
}

function warnPagesWithoutText(pages: readonly PageContent[], tools: Tools): void {
  const pagesWithoutText = pages.filter((page) => page.textSegments.length === 0 && isScan(page))
  if (pagesWithoutText.length > 0) {
    const imagePagesPhrase =
      pagesWithoutText.length === 1 ? 'One page is an image' : `${pagesWithoutText.length} pages are images`
    tools.warn(
      'TEXT_MAY_BE_MISSING',
      `${imagePagesPhrase} without a text layer. Use toolOperation=ocr-pdf first to recognize the text.`,
    )
  }
}

/** Adds a slide; pages of a different size than the first one are scaled to fit and centered. */
async function addSlide(
  presentation: Presentation,
  page: PageContent,
  size: SlideSize,
  background?: string,
): Promise<void> {
  const slide = presentation.addSlide()
  const scale = Math.min(size.width / page.width, size.height / page.height)
  const [left, top] = [(size.width - page.width * scale) / 2, (size.height - page.height * scale) / 2]
  if (background !== undefined) {
    const imageData = `image/jpeg;base64,${(await readFile(background)).toString('base64')}`
    slide.addImage({ data: imageData, x: left, y: top, w: page.width * scale, h: page.height * scale })
  }
  // A scan shows its text already, so the recognized text on top is invisible, as in the PDF.
  const transparency = isScan(page) ? 100 : 0
  for (const words of page.rotatedText) addRotatedText(slide, words, left, top, scale)
  for (const text of findTextBoxes(page)) {
    const { box, pitch, lines } = text
    const [firstLine] = lines
    if (!firstLine) continue
    // Leaves room for replacement fonts with other widths.
    const extraWidth = (box[2] - box[0]) * 0.06 + firstLine.style.size
    slide.addText(toTextRuns(text, scale * 72, transparency), {
      x: left + (firstLine.isRtl ? box[0] - extraWidth : box[0]) * scale,
      y: top + (firstLine.baseline - pitch * ascentRatio) * scale,
      w: (box[2] - box[0] + extraWidth) * scale,
      h: pitch * lines.length * scale,
      margin: 0,
      wrap: false,
      valign: 'top',
      align: firstLine.isRtl ? 'right' : 'left',
      lineSpacing: pitch * scale * 72,
      ...(firstLine.isRtl && { rtlMode: true }),
    })
  }
}

/** Adds text that runs upward or downward, such as axis labels. */
function addRotatedText(
  slide: Slide,
  words: readonly Word[],
  left: number,
  top: number,
  scale: number,
): void {
  const [firstWord, lastWord] = [words[0], words.at(-1)]
  if (!firstWord || !lastWord) return
  const box = getBoundingBox(words.map((word) => word.box))
  const isUpward = firstWord.box[1] > lastWord.box[1] || words.length === 1
  slide.addText(words.map(({ text }) => text).join(' '), {
    x: left + box[0] * scale,
    y: top + (box[1] - firstWord.style.size) * scale,
    w: Math.max(box[2] - box[0], firstWord.style.size * 1.2) * scale,
    h: (box[3] - box[1] + 2 * firstWord.style.size) * scale,
    margin: 0,
    wrap: false,
    valign: 'middle',
    align: 'center',
    vert: isUpward ? 'vert270' : 'vert',
    fontFace: toWordFont(firstWord.style),
    fontSize: Math.max(1, Math.round(firstWord.style.size * scale * 720) / 10),
    color: firstWord.style.color.toUpperCase(),
  })
}

/** Converts the lines of a text box to text runs. @param zoom size of the slide relative to the page */
function toTextRuns({ lines }: TextBox, zoom: number, transparency: number): TextRun[] {
  return lines.flatMap((line, lineIndex) => {
    const runs = buildRuns([line], false, new Set())
    return runs.map(({ text, style, link, script }, index) => ({
      text: text.replaceAll('\t', ' '),
      options: {
        fontFace: toWordFont(style),
        fontSize: Math.max(1, Math.round(style.size * zoom * 10) / 10),
        color: style.color.toUpperCase(),
        ...(transparency > 0 && { transparency }),
        bold: style.bold,
        italic: style.italic,
        ...(script === 'super' && { superscript: true }),
        ...(script === 'sub' && { subscript: true }),
        ...(link !== undefined && { hyperlink: { url: link } }),
        breakLine: index === runs.length - 1 && lineIndex < lines.length - 1,
      },
    }))
  })
}
