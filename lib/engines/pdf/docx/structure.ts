import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as z from 'zod'
import { defined } from '../../../validation/defined.ts'
import type { Tools } from '../../engine.ts'
import { runMupdf } from '../mupdf.ts'
import { readCheckboxes } from './checkboxes.ts'
import { getHeight, getWidth } from './geometry.ts'
import { isMostlyRtl } from './lines.ts'
import { assignOcrStyles } from './ocr-styles.ts'
import { type PageContent, StyleShape, type Vector, type Word } from './page-content.ts'

/** Left, top, right, bottom in points from the top left corner of the page. */
const BoxShape = z.tuple([z.number(), z.number(), z.number(), z.number()])

/** Output of `layers/pdf/structure.mjs` for one page. */
const PageShape = z.object({
  page: z.int(),
  width: z.number(),
  height: z.number(),
  styles: z.array(StyleShape),
  lines: z.array(
    z.object({
      vertical: z.boolean().optional(),
      slanted: z.boolean().optional(),
      words: z.array(
        z.object({
          text: z.string(),
          box: BoxShape,
          base: z.number(),
          style: z.int(),
          spaced: z.boolean().optional(),
        }),
      ),
    }),
  ),
  images: z.array(
    z.object({
      box: BoxShape,
      file: z
        .string()
        .regex(/^image-\d+\.(png|jpg)$/)
        .optional(),
      width: z.number().optional(),
      height: z.number().optional(),
    }),
  ),
  vectors: z.array(
    z.object({
      box: BoxShape,
      color: z.string(),
      stroked: z.boolean().optional(),
      rectangle: z.boolean().optional(),
    }),
  ),
  links: z.array(z.object({ box: BoxShape, uri: z.string() })),
})

const OutlineShape = z.object({ outline: z.array(z.object({ title: z.string(), level: z.int() })) })

export interface PdfStructure {
  readonly outline: readonly { readonly title: string; readonly level: number }[]
  readonly pages: readonly PageContent[]
}

/** Reads words, images and vector shapes of some pages. @throws ProcessFailure, EngineCrash where MuPDF fails. */
export async function readStructure(
  path: string,
  pages: readonly number[],
  tools: Tools,
  onPage: (donePages: number) => void,
): Promise<PdfStructure> {
  const folder = join(tools.workDir, 'structure')
  await mkdir(folder, { recursive: true })
  let donePages = 0
  await runMupdf('structure', [path, folder, pages.join(',')], tools, {
    // Leaves time for the image fallback if MuPDF hangs on a file.
    timeoutS: 240,
    onLine: () => onPage(++donePages),
  })
  const lines = (await readFile(join(folder, 'pages.jsonl'), 'utf8')).split('\n')
  let outline: PdfStructure['outline'] = []
  const parsedPages: PageContent[] = []
  for (const line of lines) {
    if (line === '') continue
    const json: unknown = JSON.parse(line)
    const outlineLine = OutlineShape.safeParse(json)
    if (outlineLine.success) outline = outlineLine.data.outline
    else parsedPages.push(toPageContent(PageShape.parse(json), folder))
  }
  return { outline, pages: assignOcrStyles(parsedPages) }
}

function toPageContent(raw: z.output<typeof PageShape>, folder: string): PageContent {
  const links = raw.links.filter(({ uri }) => /^(https?:\/\/|mailto:)\S{1,2000}$/i.test(uri))
  const undecodedWords: Word[] = []
  const toWord = (word: RawWord): Word[] => {
    const style = raw.styles[word.style]
    const text = cleanText(word.text)
    const { box, base: baseline, spaced = false } = word
    if (!style) return []
    if (text === '') {
      undecodedWords.push({ text: word.text, box, baseline, style, hasSpaceBefore: true })
      return []
    }
    const [x, y] = [(word.box[0] + word.box[2]) / 2, (word.box[1] + word.box[3]) / 2]
    const link = links.find(({ box }) => x >= box[0] && x <= box[2] && y >= box[1] && y <= box[3])
    return [{ text, box, baseline, style, hasSpaceBefore: spaced, ...defined({ link: link?.uri }) }]
  }
  const getWordsByLine = (vertical: boolean) =>
    raw.lines
      .filter((line) => (line.vertical ?? false) === vertical)
      .map(({ words, slanted }) =>
        decodeBullet(words)
          .flatMap(toWord)
          .map((word) => (slanted ? { ...word, isSlanted: true as const } : word)),
      )
      .filter((words) => words.length > 0)
  const vectors = raw.vectors.map(
    ({ box, color, stroked: isStroked = false, rectangle: isRectangle = false }) => ({
      box,
      color,
      isStroked,
      isRectangle,
    }),
  )
  const pageText = readCheckboxes({ textSegments: getWordsByLine(false), vectors })
  return {
    number: raw.page,
    width: raw.width,
    height: raw.height,
    textSegments: pageText.textSegments.map((words) => addDrawnBullet(words, pageText.vectors)),
    rotatedText: getWordsByLine(true),
    undecodedWords,
    images: raw.images.map(({ box, file, width, height }) => ({
      box,
      ...(file && { path: join(folder, file) }),
      ...(width && height && { pixelCount: width * height }),
    })),
    vectors: pageText.vectors,
  }
}

type RawWord = z.output<typeof PageShape>['lines'][number]['words'][number]

/** Decodes the bullets of TeX fonts without an encoding, which appear as control characters at the start of a line. */
function decodeBullet(words: readonly RawWord[]): readonly RawWord[] {
  const [firstWord, secondWord, ...rest] = words
  if (!firstWord || !secondWord || !/^\p{Cc}$/u.test(firstWord.text)) return words
  const hasWideGap = secondWord.box[0] - firstWord.box[2] > 0.2 * (firstWord.box[2] - firstWord.box[0])
  return hasWideGap ? [{ ...firstWord, text: '•' }, { ...secondWord, spaced: true }, ...rest] : words
}

/** Adds list bullets that browsers draw as dots and squares. */
function addDrawnBullet(words: readonly Word[], vectors: readonly Vector[]): readonly Word[] {
  const isRtl = isMostlyRtl(words.map(({ text }) => text).join(''))
  const [firstWord] = isRtl ? words.toSorted((a, b) => b.box[2] - a.box[2]) : words
  if (!firstWord) return words
  const { size } = firstWord.style
  const dot = vectors.find(({ box }) => {
    const [width, height] = [getWidth(box), getHeight(box)]
    const gap = isRtl ? box[0] - firstWord.box[2] : firstWord.box[0] - box[2]
    const middle = (box[1] + box[3]) / 2
    const isDot = width < size * 0.6 && width > size * 0.15 && Math.abs(width - height) < 1
    const isBeforeText = gap > size * 0.2 && gap < size * 2
    return isDot && isBeforeText && middle > firstWord.baseline - size * 0.7 && middle < firstWord.baseline
  })
  if (!dot) return words
  const bullet: Word = {
    text: '•',
    box: dot.box,
    baseline: firstWord.baseline,
    style: firstWord.style,
    hasSpaceBefore: false,
  }
  return [bullet, { ...firstWord, hasSpaceBefore: true }, ...words.filter((word) => word !== firstWord)]
}

/** Characters of the private use area, as used by Symbol and similar fonts. */
const textBySymbol: Readonly<Record<string, string>> = {
  ...Object.fromEntries(['\uf0b7', '\uf0a7', '\uf06c', '\uf0d8', '\uf076'].map((bullet) => [bullet, '•'])),
  '\uf0d2': '®',
  '\uf0d3': '©',
  '\uf0d4': '™',
  '\uf0e2': '®',
  '\uf0e3': '©',
  '\uf0e4': '™',
}

/**
 * Removes control characters and lone surrogates, which XML forbids, and replaces Arabic presentation forms with
 * base characters.
 */
function cleanText(text: string): string {
  return text
    .replaceAll(/[\uf06c-\uf0e4]/g, (char) => textBySymbol[char] ?? char)
    .replaceAll(/[\ufb1d-\ufdff\ufe70-\ufefc]/g, (shape) => shape.normalize('NFKC'))
    .replaceAll(/[\p{Cc}\p{Cs}\ufffe\uffff\ufffd]/gu, '')
    .toWellFormed()
}
