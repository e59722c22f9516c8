import { execFile } from 'node:child_process'
import { readdir } from 'node:fs/promises'
import { dirname, join, parse } from 'node:path'
import { promisify } from 'node:util'
import sharp from 'sharp'
import * as z from 'zod'
import type { KnownBlock } from './blocks.ts'

const run = promisify(execFile)

/** Limits of a good result. `textBoxes` is a maximum; the others are minimums. */
export const goodResultLimits = { similarity: 0.85, editable: 0.95, textBoxes: 3 } as const

export interface Verdict {
  readonly pages: readonly [before: number, after: number]
  /** SSIM of the worst page at 75 dpi, as ffmpeg measures it. */
  readonly similarity: number
  /** Share of the known blocks that pandoc finds as such. */
  readonly editable: number
  readonly missingBlocks: readonly KnownBlock[]
  readonly textBoxes: number
}

export const isGood = ({ pages: [before, after], similarity, editable, textBoxes }: Verdict): boolean =>
  before === after &&
  similarity >= goodResultLimits.similarity &&
  editable >= goodResultLimits.editable &&
  textBoxes <= goodResultLimits.textBoxes

export interface Files {
  readonly pdf: string
  readonly docx: string
  /** The Word document as LibreOffice prints it. */
  readonly printed: string
}

export function describeVerdict(name: string, verdict: Verdict): string {
  const { pages, similarity, editable, textBoxes, missingBlocks } = verdict
  return [
    isGood(verdict) ? 'good' : 'BAD ',
    name.padEnd(16),
    `${pages[0]} → ${pages[1]} pages`,
    `similarity ${similarity.toFixed(3)}`,
    `${Math.floor(editable * 100)} % editable`,
    `${textBoxes} text boxes`,
    ...(missingBlocks.length > 0 ? [JSON.stringify(missingBlocks[0]).slice(0, 160)] : []),
  ].join('  ')
}

export async function judge({ pdf, docx, printed }: Files, blocks: readonly KnownBlock[]): Promise<Verdict> {
  const [before, after] = [await drawPages(pdf), await drawPages(printed)]
  const pairs = before.flatMap((path, at) => (after[at] === undefined ? [] : [[path, after[at]] as const]))
  const similarities: number[] = []
  for (const [path, other] of pairs) similarities.push(await measureSimilarity(path, other))
  const missingBlocks = await findMissing(docx, blocks)
  const { stdout: xml } = await run('unzip', ['-p', docx, 'word/document.xml'], { maxBuffer: 1 << 26 })
  return {
    pages: [before.length, after.length],
    similarity: Math.min(...similarities),
    editable: 1 - missingBlocks.length / blocks.length,
    missingBlocks,
    // Each text box is written a second time for older programs.
    textBoxes: xml.replaceAll(/<mc:Fallback>[\s\S]*?<\/mc:Fallback>/g, '').split('<w:txbxContent').length - 1,
  }
}

/** Draws the pages of a PDF at 75 dpi, in grey. */
async function drawPages(pdf: string): Promise<readonly string[]> {
  const { dir, name } = parse(pdf)
  const prefix = join(dir, `${name}-page`)
  await run('pdftoppm', ['-r', '75', '-gray', '-png', pdf, prefix])
  const names = (await readdir(dir)).filter((one) => one.startsWith(`${name}-page`)).sort()
  return names.map((one) => join(dir, one))
}

async function measureSimilarity(path: string, other: string): Promise<number> {
  const { width, height } = await sharp(path).metadata()
  const filter = `[1]scale=${width}:${height}[b];[0][b]ssim`
  const { stderr } = await run('ffmpeg', ['-i', path, '-i', other, '-lavfi', filter, '-f', 'null', '-'])
  return Number(/SSIM.* All:([\d.]+)/.exec(stderr)?.[1])
}

/** Puts the first pages side by side in an image of a few kilobytes. */
export async function drawSideBySide({ pdf, printed }: Files, target: string): Promise<void> {
  const width = 200
  const images = []
  for (const [at, path] of [pdf, printed].entries()) {
    const prefix = join(dirname(path), `first-${at}`)
    await run('pdftoppm', ['-r', '75', '-l', '1', '-singlefile', '-png', path, prefix])
    images.push(await sharp(`${prefix}.png`).resize({ width }).toBuffer())
  }
  const { height = 0 } = await sharp(images[0]).metadata()
  const [left, right] = images
  await sharp({ create: { width: width * 2 + 8, height, channels: 3, background: '#888' } })
    .composite([
      { input: left, left: 0, top: 0 },
      {
        input: await sharp(right).resize({ width, height, fit: 'fill' }).toBuffer(),
        left: width + 8,
        top: 0,
      },
    ])
    .webp({ quality: 30 })
    .toFile(target)
}

const Node: z.ZodType<Node> = z.looseObject({ t: z.string(), c: z.unknown().optional() })
interface Node {
  readonly t: string
  readonly c?: unknown
}
const isNode = (value: unknown): value is Node => Node.safeParse(value).success

interface Found {
  readonly heading: Set<string>
  readonly paragraph: Set<string>
  readonly item: Set<string>
  readonly table: Set<string>
}

/** Spaces are not compared: the programs that print and read a document add and drop them between lines. */
const normalize = (text: string) => text.normalize('NFKC').replaceAll(/\s/g, '')
const getTableKey = (rows: readonly (readonly string[])[]) =>
  rows.map((cells) => cells.map(normalize).join('|')).join('\n')

/** Lists the blocks that pandoc does not find in a Word document, or not with the same kind and whole text. */
async function findMissing(docx: string, blocks: readonly KnownBlock[]): Promise<KnownBlock[]> {
  const { stdout } = await run('pandoc', ['--from=docx', '--to=json', docx], { maxBuffer: 1 << 26 })
  const foundBlocks: Found = { heading: new Set(), paragraph: new Set(), item: new Set(), table: new Set() }
  collect(z.object({ blocks: z.unknown() }).parse(JSON.parse(stdout)).blocks, 'paragraph', foundBlocks)
  return blocks.filter((block) =>
    block.kind === 'table'
      ? !foundBlocks.table.has(getTableKey(block.rows))
      : !foundBlocks[block.kind].has(normalize(block.text)),
  )
}

function collect(value: unknown, kind: 'paragraph' | 'item', foundBlocks: Found): void {
  if (Array.isArray(value)) for (const one of value) collect(one, kind, foundBlocks)
  if (!isNode(value)) return
  const { t, c } = value
  if (t === 'Para' || t === 'Plain') {
    const lines = readLines(c)
    for (const text of [lines.join(''), ...lines]) foundBlocks[kind].add(normalize(text))
  } else if (t === 'Header' && Array.isArray(c)) foundBlocks.heading.add(normalize(readLines(c[2]).join('')))
  else if (t === 'BulletList' || t === 'OrderedList') collect(c, 'item', foundBlocks)
  else {
    if (t === 'Table') foundBlocks.table.add(getTableKey(readRows(c)))
    collect(c, kind, foundBlocks)
  }
}

/** A table row of pandoc is a list of attributes and cells; a cell is a list of five, with its blocks at the end. */
function readRows(value: unknown): string[][] {
  if (!Array.isArray(value)) return []
  const [, cells] = value
  if (value.length === 2 && Array.isArray(cells) && cells.length > 0 && cells.every(isCell))
    return [cells.map((cell) => readLines(cell[4]).join(''))]
  return value.flatMap(readRows)
}

const isCell = (value: unknown): value is unknown[] =>
  Array.isArray(value) && value.length === 5 && isNode(value[1]) && value[1].t.startsWith('Align')

/** Returns the text of inlines, split at line breaks. */
function readLines(value: unknown): string[] {
  let text = ''
  const read = (one: unknown): void => {
    if (Array.isArray(one)) for (const part of one) read(part)
    if (!isNode(one)) return
    if (one.t === 'Str' && typeof one.c === 'string') text += one.c
    else if (one.t === 'LineBreak') text += '\n'
    else read(one.c)
  }
  read(value)
  return text.split('\n')
}
