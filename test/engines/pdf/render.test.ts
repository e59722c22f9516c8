import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import type { Tools } from '../../../lib/engines/engine.ts'
import type { OpenPdf } from '../../../lib/engines/pdf/open-pdf.ts'
import { type RenderSettings, renderPages } from '../../../lib/engines/pdf/render.ts'
import { toText } from '../../../lib/engines/pdf/text.ts'
import { scratchFolder } from '../../support/scratch-folder.ts'

describe('rendering of PDF pages', () => {
  const usLetter = { width: 612, height: 792 }

  /** Renders with a fake pdftoppm that only creates files; `missingPage` is a page that it leaves out. */
  async function renderWithFake(
    sizes: readonly { width: number; height: number }[],
    overrides: Partial<RenderSettings> = {},
    missingPage?: number,
  ) {
    const workDir = await mkdtemp(join(tmpdir(), 'batches-'))
    const calls: string[][] = []
    const progress: number[] = []
    const receivedPages: { page: number; text: string }[] = []
    const tools = {
      workDir,
      progress: (ratio: number) => void progress.push(ratio),
      exec: async (_program: string, args: readonly string[]) => {
        const prefix = args.at(-1) ?? ''
        const getNumber = (flag: string) => Number(args[args.indexOf(flag) + 1])
        calls.push([...args])
        for (let page = getNumber('-f'); page <= getNumber('-l'); page++)
          if (page !== missingPage)
            await writeFile(`${prefix}-${String(page).padStart(3, '0')}.jpg`, `${page}`)
      },
    } as unknown as Tools // only the fields that rendering needs
    const pages = sizes.map((_, at) => at + 1)
    const settings = { pages, dpi: 72, gray: false, extension: 'jpg', args: ['-jpeg'], ...overrides } as const
    try {
      await renderPages({ path: '/in.pdf', sizes } as unknown as OpenPdf, settings, tools, async (file) => {
        receivedPages.push({ page: file.page, text: await readFile(file.path, 'utf8') })
      })
    } finally {
      await rm(workDir, { recursive: true })
    }
    const valueAfter = (args: readonly string[], flag: string) => args[args.indexOf(flag) + 1]
    const ranges = calls.map(
      (args) => `${valueAfter(args, '-f')}-${valueAfter(args, '-l')} ${valueAfter(args, '-r')}`,
    )
    return { calls, ranges, shares: progress, receivedPages }
  }
  const repeatSize = (count: number, size = usLetter) => Array.from({ length: count }, () => size)

  test('PDF pages are divided into one batch per concurrent process, unless there are only a few pages', async () => {
    assert.deepEqual((await renderWithFake(repeatSize(3))).ranges, ['1-3 72'])
    assert.deepEqual((await renderWithFake(repeatSize(4))).ranges.toSorted(), ['1-2 72', '3-4 72'])
    assert.deepEqual((await renderWithFake(repeatSize(11))).ranges.toSorted(), ['1-6 72', '7-11 72'])
  })

  test('PDF pages are rendered in more batches if their pixels do not fit on a small disk', async () => {
    // A page has 48.5 megapixels at 720 dpi, so two pages fit into a batch of 100 megapixels.
    const { ranges } = await renderWithFake(repeatSize(3), { dpi: 720 })
    assert.deepEqual(ranges.toSorted(), ['1-2 720', '3-3 720'])
    assert.equal((await renderWithFake(repeatSize(8), { dpi: 720 })).ranges.length, 4)
  })

  test('each PDF page is rendered once, and consecutive pages of one resolution in one batch', async () => {
    const { ranges, receivedPages: receivedRanges } = await renderWithFake(repeatSize(9), {
      pages: [9, 2, 1, 2, 5, 6, 7],
    })
    assert.deepEqual(ranges.toSorted(), ['1-2 72', '5-7 72', '9-9 72'])
    assert.deepEqual(receivedRanges.map(({ page, text }) => `${page} ${text}`).toSorted(), [
      '1 1',
      '2 2',
      '5 5',
      '6 6',
      '7 7',
      '9 9',
    ])
    const sizes = [usLetter, usLetter, { width: 1224, height: 792 }]
    assert.deepEqual((await renderWithFake(sizes, { downscale: 612 })).ranges.toSorted(), [
      ...[`1-2 ${(612 * 72) / 792}`, '3-3 36'],
    ])
  })

  test('each rendered PDF page is reported with its number and the progress', async () => {
    const { receivedPages: receivedRanges, shares: progress } = await renderWithFake(repeatSize(3))
    assert.deepEqual(
      receivedRanges.map(({ page }) => page),
      [1, 2, 3],
    )
    assert.deepEqual(
      progress.map((ratio) => Math.round(ratio * 1000)),
      [317, 633, 950],
    )
  })

  test('PDF pages are rendered within their crop box, and in gray if requested', async () => {
    const [args = []] = (await renderWithFake(repeatSize(1))).calls
    assert.deepEqual(args.slice(0, -1), [
      ...['-q', '-cropbox', '-f', '1', '-l', '1', '-r', '72', '-jpeg', '-forcenum', '/in.pdf'],
    ])
    const [gray = []] = (await renderWithFake(repeatSize(1), { gray: true })).calls
    assert.ok(gray.includes('-gray'))
  })

  test('a missing PDF page fails with CORRUPT_FILE instead of shifting the page numbers', async () => {
    await assert.rejects(renderWithFake(repeatSize(3), {}, 2), {
      code: 'CORRUPT_FILE',
      message: 'The PDF is damaged: some of the pages 1 to 3 cannot be rendered.',
    })
  })
})

describe('PDF text extraction', () => {
  async function extractWithFake(pages: readonly number[], text: string) {
    const dir = scratchFolder('pdf-text')
    const ranges: string[] = []
    const warnings: string[] = []
    const tools = {
      workDir: dir,
      warn: (code: string) => void warnings.push(code),
      exec: async (_program: string, args: readonly string[]) => {
        ranges.push(`${args[args.indexOf('-f') + 1]}-${args[args.indexOf('-l') + 1]}`)
        await writeFile(args.at(-1) ?? '', text)
      },
    } as unknown as Tools // only the fields that text extraction needs
    const { path } = await toText({ openedPdf: { path: '/in.pdf' } as OpenPdf, pages, outDir: dir }, tools)
    return { ranges, warnings, text: await readFile(path, 'utf8') }
  }

  test('PDF text is extracted in the order of the page range, one run of pages after another', async () => {
    const { ranges, text, warnings } = await extractWithFake([3, 1, 2, 2], 'a\f')
    assert.deepEqual([ranges, text, warnings], [['3-3', '1-2', '2-2'], 'a\fa\fa\f', []])
    assert.deepEqual((await extractWithFake([1], ' \n\f')).warnings, ['NO_TEXT'])
  })

  test('PDF text from TeX gets composed accents, and bullets in place of control characters', async () => {
    const { text } = await extractWithFake(
      [1],
      'Cafe\u0301 nai\u0308ve \u0131\u0301\u0237\u030c\n  \u0088 first\nx\u0088 y',
    )
    assert.equal(text, 'Café naïve íǰ\n  • first\nx\u0088 y')
  })
})
