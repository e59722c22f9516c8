import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describePages } from '../../../model/warning-details.ts'
import type { Tools } from '../../engine.ts'
import { formatPageRange } from '../page-range.ts'

/** What Tesseract read on a page. */
interface RecognizedPage {
  readonly page: number
  /** Lines in the order of the page; undefined if only the confidence is known. */
  readonly text: string | undefined
  readonly words: number
  readonly uncertainWords: number
}

/** Returns arguments that make OCRmyPDF keep what Tesseract writes, including the confidence of each word. */
export async function createKeepOutputArgs({ workDir }: Pick<Tools, 'workDir'>): Promise<string[]> {
  const configPath = join(workDir, 'tesseract-output')
  await writeFile(configPath, 'tessedit_create_tsv 1\n')
  return ['--keep-temporary-files', '--tesseract-config', configPath]
}

/** Finds OCRmyPDF's temporary folder, which is created in the work folder. */
export async function findOcrFolder({ workDir }: Pick<Tools, 'workDir'>): Promise<string | undefined> {
  const name = (await readdir(workDir)).find((entry) => entry.startsWith('ocrmypdf.io.'))
  return name === undefined ? undefined : join(workDir, name)
}

/** Reads the output that OCRmyPDF kept, and removes its folder. */
export async function takeRecognizedPages(tools: Pick<Tools, 'workDir'>): Promise<readonly RecognizedPage[]> {
  const folder = await findOcrFolder(tools)
  if (folder === undefined) return []
  const names = await readdir(folder)
  const recognizedPages: RecognizedPage[] = []
  for (const name of names) {
    const [, number, kind] = /^(\d{6})_(?:ocr_tess|\d{1,9}-text)\.(txt|tsv)$/.exec(name) ?? []
    if (number === undefined || kind === undefined) continue
    const content = await readFile(join(folder, name), 'utf8')
    const counts = kind === 'tsv' ? countWords(content) : { words: 0, uncertainWords: 0 }
    recognizedPages.push({ page: Number(number), text: kind === 'txt' ? content : undefined, ...counts })
  }
  await rm(folder, { recursive: true, force: true })
  return recognizedPages
}

/** Confidence below which every second word is wrong. */
const minConfidence = 60
/** Index of the column with the confidence in Tesseract's TSV. */
const confidenceColumn = 10
const textColumn = 11

export function countWords(tsv: string): Pick<RecognizedPage, 'words' | 'uncertainWords'> {
  const confidences = tsv.split('\n').flatMap((line) => {
    const cells = line.split('\t')
    return /[\p{L}\p{N}]/u.test(cells[textColumn] ?? '') ? [Number(cells[confidenceColumn])] : []
  })
  const words = confidences.filter((confidence) => confidence >= 0)
  return {
    words: words.length,
    uncertainWords: words.filter((confidence) => confidence < minConfidence).length,
  }
}

/** A page with fewer words than this is an image with a caption, or noise. */
const minWords = 3
const maxUncertainShare = 0.2

/** Returns the numbers of the pages most of whose words may be wrong, such as photos. */
export const findUncertainPages = (recognizedPages: readonly RecognizedPage[]): ReadonlySet<number> =>
  new Set(
    recognizedPages.flatMap(({ page, words, uncertainWords }) => (uncertainWords > words / 2 ? [page] : [])),
  )

/** Warns about pages where a fifth of the words may be wrong. */
export function warnAboutUncertainWords(
  recognizedPages: readonly RecognizedPage[],
  documentPages: readonly number[] | undefined,
  tools: Pick<Tools, 'warn'>,
): void {
  const uncertainPages = recognizedPages.filter(
    ({ words, uncertainWords }) => words >= minWords && uncertainWords >= words * maxUncertainShare,
  )
  if (uncertainPages.length === 0) return
  const count = (key: 'words' | 'uncertainWords') =>
    uncertainPages.reduce((sum, reading) => sum + reading[key], 0)
  const share = Math.round((count('uncertainWords') / count('words')) * 100)
  const pages = uncertainPages.map(({ page }) => documentPages?.[page - 1] ?? page)
  const pageList = formatPageRange(pages)
  const [pagesLabel, thesePages] = pages.length === 1 ? ['page', 'this page'] : ['pages', 'these pages']
  tools.warn(
    'OCR_UNCERTAIN',
    `${share} % of the words on ${pagesLabel} ${pageList} could not be read with confidence. Check ${thesePages}, or send a sharper scan.`,
    { share: share / 100, ...describePages(pages, pageList) },
  )
}
