import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import type { Tools } from '../../lib/engines/engine.ts'
import type { OpenPdf } from '../../lib/engines/pdf/open-pdf.ts'
import { type RenderSettings, renderPages } from '../../lib/engines/pdf/render.ts'
import { toText } from '../../lib/engines/pdf/text.ts'
import { scratchFolder } from '../scratch-folder.ts'

describe('pages of a PDF', () => {
  const letter = { width: 612, height: 792 }

  /** Draws with a program that makes its files and nothing else; `drop` is a page that it leaves out. */
  async function drawn(
    sizes: readonly { width: number; height: number }[],
    wanted: Partial<RenderSettings> = {},
    drop?: number,
  ) {
    const workDir = await mkdtemp(join(tmpdir(), 'batches-'))
    const calls: string[][] = []
    const shares: number[] = []
    const handed: { page: number; text: string }[] = []
    const tools = {
      workDir,
      progress: (share: number) => void shares.push(share),
      exec: async (_program: string, args: readonly string[]) => {
        const prefix = args.at(-1) ?? ''
        const numberOf = (flag: string) => Number(args[args.indexOf(flag) + 1])
        calls.push([...args])
        for (let page = numberOf('-f'); page <= numberOf('-l'); page++)
          if (page !== drop) await writeFile(`${prefix}-${String(page).padStart(3, '0')}.jpg`, `${page}`)
      },
    } as unknown as Tools // as much of them as drawing needs
    const pages = sizes.map((_, at) => at + 1)
    const rendering = { pages, dpi: 72, gray: false, extension: 'jpg', args: ['-jpeg'], ...wanted } as const
    try {
      await renderPages({ path: '/in.pdf', sizes } as unknown as OpenPdf, rendering, tools, async (file) => {
        handed.push({ page: file.page, text: await readFile(file.path, 'utf8') })
      })
    } finally {
      await rm(workDir, { recursive: true })
    }
    const after = (args: readonly string[], flag: string) => args[args.indexOf(flag) + 1]
    const ranges = calls.map((args) => `${after(args, '-f')}-${after(args, '-l')} ${after(args, '-r')}`)
    return { calls, ranges, shares, handed }
  }
  const many = (count: number, size = letter) => Array.from({ length: count }, () => size)

  test('are drawn in as many shares as programs work at a time, few of them in one', async () => {
    assert.deepEqual((await drawn(many(3))).ranges, ['1-3 72'])
    assert.deepEqual((await drawn(many(4))).ranges.toSorted(), ['1-2 72', '3-4 72'])
    assert.deepEqual((await drawn(many(11))).ranges.toSorted(), ['1-6 72', '7-11 72'])
  })

  test('are in more shares where their pixels would not fit on a small disk', async () => {
    // 48.5 megapixels each at 720 dpi: two of them and a half are in 100.
    const { ranges } = await drawn(many(3), { dpi: 720 })
    assert.deepEqual(ranges.toSorted(), ['1-2 720', '3-3 720'])
    assert.equal((await drawn(many(8), { dpi: 720 })).ranges.length, 4)
  })

  test('are drawn once each, in order, those that follow each other at one resolution together', async () => {
    const { ranges, handed } = await drawn(many(9), { pages: [9, 2, 1, 2, 5, 6, 7] })
    assert.deepEqual(ranges.toSorted(), ['1-2 72', '5-7 72', '9-9 72'])
    assert.deepEqual(handed.map(({ page, text }) => `${page} ${text}`).toSorted(), [
      '1 1',
      '2 2',
      '5 5',
      '6 6',
      '7 7',
      '9 9',
    ])
    const sizes = [letter, letter, { width: 1224, height: 792 }]
    assert.deepEqual((await drawn(sizes, { downscale: 612 })).ranges.toSorted(), [
      ...[`1-2 ${(612 * 72) / 792}`, '3-3 36'],
    ])
  })

  test('are handed over by their numbers as they come, and tell how far it is', async () => {
    const { handed, shares } = await drawn(many(3))
    assert.deepEqual(
      handed.map(({ page }) => page),
      [1, 2, 3],
    )
    assert.deepEqual(
      shares.map((share) => Math.round(share * 1000)),
      [317, 633, 950],
    )
  })

  test('are drawn as readers show them, in gray where that is asked for', async () => {
    const [args = []] = (await drawn(many(1))).calls
    assert.deepEqual(args.slice(0, -1), [
      ...['-q', '-cropbox', '-f', '1', '-l', '1', '-r', '72', '-jpeg', '-forcenum', '/in.pdf'],
    ])
    const [gray = []] = (await drawn(many(1), { gray: true })).calls
    assert.ok(gray.includes('-gray'))
  })

  test('of which one cannot be drawn are damage, and none is taken for another', async () => {
    await assert.rejects(drawn(many(3), {}, 2), {
      code: 'CORRUPT_FILE',
      message: 'The PDF is damaged: of the pages 1 to 3 some cannot be drawn.',
    })
  })
})

describe('the text of a PDF', () => {
  async function textOf(pages: readonly number[], told: string) {
    const dir = scratchFolder('pdf-text')
    const ranges: string[] = []
    const warnings: string[] = []
    const tools = {
      workDir: dir,
      warn: (code: string) => void warnings.push(code),
      exec: async (_program: string, args: readonly string[]) => {
        ranges.push(`${args[args.indexOf('-f') + 1]}-${args[args.indexOf('-l') + 1]}`)
        await writeFile(args.at(-1) ?? '', told)
      },
    } as unknown as Tools // as much of them as reading needs
    const { path } = await toText({ opened: { path: '/in.pdf' } as OpenPdf, pages, outDir: dir }, tools)
    return { ranges, warnings, text: await readFile(path, 'utf8') }
  }

  test('comes in the order of its pages, run after run', async () => {
    const { ranges, text, warnings } = await textOf([3, 1, 2, 2], 'a\f')
    assert.deepEqual([ranges, text, warnings], [['3-3', '1-2', '2-2'], 'a\fa\fa\f', []])
    assert.deepEqual((await textOf([1], ' \n\f')).warnings, ['NO_TEXT'])
  })

  test('has accents on their letters and bullets for what has no name', async () => {
    const { text } = await textOf(
      [1],
      'Cafe\u0301 nai\u0308ve \u0131\u0301\u0237\u030c\n  \u0088 first\nx\u0088 y',
    )
    assert.equal(text, 'Café naïve íǰ\n  • first\nx\u0088 y')
  })
})
