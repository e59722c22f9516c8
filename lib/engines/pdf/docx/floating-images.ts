import { readFile } from 'node:fs/promises'
import type * as docx from 'docx'
import type { FloatingImage, FlowBlock, Paragraph } from './blocks.ts'
import type { BoundingBox } from './geometry.ts'
import type { PageContent, Style } from './page-content.ts'
import type { DocxLibrary } from './text-runs.ts'
import { toEmus, toPixels } from './units.ts'

const anchorStyle: Style = {
  font: 'Arial',
  bold: false,
  italic: false,
  mono: false,
  serif: false,
  size: 1,
  color: '000000',
}

/** Creates an empty paragraph that holds the images of a page without text. */
function createAnchor(column: BoundingBox, page: PageContent): FlowBlock & Paragraph {
  const top = page.height / 2
  return {
    kind: 'paragraph',
    box: [column[0], top, column[2], top + 1],
    column,
    runs: [],
    alignment: 'left',
    style: anchorStyle,
    lineCount: 1,
    mayContinue: false,
    spaceBefore: 0,
    indent: 0,
    firstIndent: 0,
    isRtl: false,
  }
}

/** Anchors the images behind the text of a page in its first block. */
export function anchorImages(
  page: PageContent,
  blocks: readonly FlowBlock[],
  images: readonly FloatingImage[],
  column: BoundingBox,
): readonly FlowBlock[] {
  if (images.length === 0) return blocks
  const [firstBlock = createAnchor(column, page), ...rest] = blocks
  const isOverBackground = images.some((image) => isWholePage(image, page))
  return [{ ...firstBlock, floatingImages: images }, ...rest].map((block) => ({
    ...block,
    ...(isOverBackground && { isOverBackground }),
  }))
}

const isWholePage = ({ box }: FloatingImage, { width, height }: PageContent) =>
  box[0] === 0 && box[1] === 0 && box[2] === width && box[3] === height

/** Places an image behind the text, at its position on the page. */
export async function createFloatingImage(
  library: DocxLibrary,
  { path, box, labels }: FloatingImage,
): Promise<docx.ImageRun> {
  return new library.ImageRun({
    type: path.endsWith('.png') ? 'png' : 'jpg',
    data: await readFile(path),
    transformation: { width: toPixels(box[2] - box[0]), height: toPixels(box[3] - box[1]) },
    floating: {
      horizontalPosition: { relative: 'page', offset: toEmus(box[0]) },
      verticalPosition: { relative: 'page', offset: toEmus(box[1]) },
      behindDocument: true,
    },
    ...(labels !== undefined && { altText: { name: 'Drawing', description: labels } }),
  })
}
