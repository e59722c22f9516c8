import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { after, before } from '../hooks.ts'
import { scratchFolder } from '../support/scratch-folder.ts'
import { findAxeViolations } from './axe.ts'
import { fixture, openSite, readDownload, type Site, visit } from './browser.ts'
import { press, tabTo } from './keyboard.ts'
import { findLayoutProblems, findLowContrastTexts } from './layout-checks.ts'

/**
 * The page grid for PDFs in a real browser: by keyboard only, by dragging, with many pages, and if the browser cannot
 * draw them. Violations of the content security policy appear as console errors and fail the tests. About 60 s.
 */

let site: Site
const scratch = scratchFolder('grid')

const listOptions = (page: Page) => page.locator('[role="option"]')
const readPageLabels = (page: Page) =>
  listOptions(page).evaluateAll((all) => all.map((element) => element.getAttribute('aria-label')))

/** Waits until the page is drawn and checks that its canvas contains something dark. */
async function waitUntilDrawn(option: Locator): Promise<void> {
  const canvas = option.locator('canvas[data-drawn]')
  await canvas.waitFor()
  const darkest = await canvas.evaluate(async (canvasElement: HTMLCanvasElement) => {
    const bitmap = await createImageBitmap(canvasElement)
    const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d')
    context?.drawImage(bitmap, 0, 0)
    return context?.getImageData(0, 0, bitmap.width, bitmap.height).data.reduce((a, b) => Math.min(a, b), 255)
  })
  assert.ok(Number(darkest) < 120, `the darkest pixel of the page is ${darkest}`)
}

async function openGrid(
  page: Page,
  file: string,
  label: string | RegExp = /^Choose (a file|files)$/,
): Promise<void> {
  await page.getByLabel(label).setInputFiles(file)
  await listOptions(page).first().waitFor()
}

async function downloadResult(page: Page, name: RegExp): Promise<string> {
  const link = page.getByRole('link', { name })
  // On a busy machine, the first job waits for its engine to start.
  await link.waitFor({ timeout: 150_000 })
  const [download] = await Promise.all([page.waitForEvent('download'), link.click()])
  const path = join(scratch, download.suggestedFilename())
  writeFileSync(path, await readDownload(download))
  return path
}

const run = (program: string, ...args: readonly string[]) => execFileSync(program, args, { encoding: 'utf8' })
const readPdfWords = (path: string) => run('pdftotext', path, '-').match(/\w+/g) ?? []
const countPages = (path: string) => Number(run('qpdf', '--show-npages', path))
const readRotations = (path: string) =>
  [...run('pdfinfo', '-l', '99', path).matchAll(/rot:\s+(\d+)/g)].map((match) => match[1])

/** A PDF with `count` pages, which repeats the pages of the fixture. */
function createPdf(count: number): string {
  const path = join(scratch, `${count}.pdf`)
  const chosenPages = Array.from({ length: count }, (_, at) => String((at % 3) + 1)).join(',')
  run('qpdf', '--empty', '--pages', fixture('three-pages.pdf'), chosenPages, '--', path)
  return path
}

/** The fixture with a large unused stream in an incremental update (ISO 32000-2, 7.5.6). */
function createLargePdf(bytes: number): string {
  const path = join(scratch, 'heavy.pdf')
  const oldPdf = readFileSync(fixture('three-pages.pdf'))
  const text = oldPdf.toString('latin1')
  const root = /\/Root (\d+ \d+ R)/.exec(text)?.[1]
  const start = /startxref\s+(\d+)/.exec(text)?.[1]
  const head = Buffer.from(`\n900 0 obj\n<< /Length ${bytes} >>\nstream\n`)
  const tail = '\nendstream\nendobj\n'
  const at = oldPdf.length + head.length + bytes + tail.length
  const table = `xref\n900 1\n${String(oldPdf.length + 1).padStart(10, '0')} 00000 n \n`
  const trailer = `trailer\n<< /Size 901 /Root ${root} /Prev ${start} >>\nstartxref\n${at}\n%%EOF\n`
  writeFileSync(path, Buffer.concat([oldPdf, head, Buffer.alloc(bytes), Buffer.from(tail + table + trailer)]))
  return path
}

/** One page per text, with predefined CMaps and fonts that are not embedded, so the reader must supply both. */
function createAsianPdf(texts: readonly { script: string; encoding: string; bytes: Buffer }[]): string {
  const pages = texts.flatMap(({ script, encoding, bytes }, at) => {
    const content = `BT /F 60 Tf 20 60 Td <${bytes.toString('hex')}> Tj ET`
    const cidSystemInfo = `/CIDSystemInfo << /Registry (Adobe) /Ordering (${script}) /Supplement 2 >>`
    const flags = '/Flags 4 /FontBBox [0 -120 1000 880] /ItalicAngle 0 /Ascent 880 /Descent -120 /StemV 80'
    const descriptor = `<< /Type /FontDescriptor /FontName /Song ${flags} /CapHeight 700 >>`
    const font = `<< /Type /Font /Subtype /CIDFontType0 /BaseFont /Song ${cidSystemInfo} /FontDescriptor ${descriptor} >>`
    return [
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 200] /Contents ${at * 3 + 4} 0 R /Resources << /Font << /F ${at * 3 + 5} 0 R >> >> >>`,
      `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
      `<< /Type /Font /Subtype /Type0 /BaseFont /Song-${encoding} /Encoding /${encoding} /DescendantFonts [${font}] >>`,
    ]
  })
  const kids = texts.map((_, at) => `${at * 3 + 3} 0 R`).join(' ')
  const tree = `<< /Type /Pages /Kids [${kids}] /Count ${texts.length} >>`
  const objects = ['<< /Type /Catalog /Pages 2 0 R >>', tree, ...pages]
  const body = objects.map((object, at) => `${at + 1} 0 obj\n${object}\nendobj\n`).join('')
  const path = join(scratch, 'asian.pdf')
  // Without a cross-reference table, readers search for the objects themselves.
  writeFileSync(path, `%PDF-1.7\n${body}trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\n%%EOF\n`)
  return path
}

const getPixels = (canvas: Locator) =>
  canvas.evaluate(async (canvasElement: HTMLCanvasElement) => {
    const bitmap = await createImageBitmap(canvasElement)
    const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d')
    context?.drawImage(bitmap, 0, 0)
    return context?.getImageData(0, 0, bitmap.width, bitmap.height).data.join() ?? ''
  })

describe('the page grid', () => {
  before(async () => {
    site = await openSite()
  })
  after(() => site.close())

  test('the page grid reorders, rotates, removes and splits pages by keyboard only', () =>
    visit({ site, path: '/tools/organize-pdf' }, async (page) => {
      await openGrid(page, createPdf(5))
      const button = page.getByRole('button', { name: 'Organize pages' })
      assert.ok(await button.isDisabled())
      await tabTo(page, listOptions(page).first())
      await waitUntilDrawn(listOptions(page).first())
      await press(page, 'Alt+ArrowRight', 'Alt+ArrowRight')
      assert.deepEqual(await readPageLabels(page), ['Page 2', 'Page 3', 'Page 1', 'Page 4', 'Page 5'])
      assert.equal(
        await page.evaluate(() => document.activeElement?.getAttribute('aria-label')),
        'Page 1',
        'the moved page keeps the focus',
      )
      await press(page, 'Alt+ArrowLeft', 'r', 'Home', 's', 'End', 'Delete')
      const expectedPages = [
        'Page 2, split after this page',
        'Page 1, rotated by 90°',
        'Page 3',
        'Page 4',
        'Page 5, removed',
      ]
      assert.deepEqual(await readPageLabels(page), expectedPages)
      await press(
        page,
        'Delete',
        'Delete',
        'l',
        'l',
        'r',
        'r',
        'Home',
        'Shift+ArrowRight',
        'Shift+ArrowRight',
      )
      assert.deepEqual(await readPageLabels(page), expectedPages)
      await page.getByText('3 of 5 selected').waitFor()
      await press(page, 'Escape', 'Control+a')
      await page.getByText('5 of 5 selected').waitFor()
      await press(page, 'Escape', 'ArrowLeft')
      await page.getByText('0 of 5 selected').waitFor()
      await tabTo(page, button)
      await press(page, 'Enter')
      const zip = await downloadResult(page, /\.zip$/)
      run('unzip', '-o', '-q', zip, '-d', scratch)
      const filenames = ['page-001.pdf', 'pages-002-004.pdf'].filter((name) =>
        run('unzip', '-l', zip).includes(name),
      )
      assert.equal(filenames.length, 2, run('unzip', '-l', zip))
      const [firstPart = '', secondPart = ''] = filenames.map((name) => join(scratch, name))
      const allWords = readPdfWords(createPdf(3))
      const each = allWords.length / 3
      assert.deepEqual(readPdfWords(firstPart), allWords.slice(each, 2 * each))
      // Pages 1, 3 and 4; page 4 repeats page 1.
      assert.deepEqual(readPdfWords(secondPart), [
        ...allWords.slice(0, each),
        ...allWords.slice(2 * each),
        ...allWords.slice(0, each),
      ])
      assert.deepEqual(readRotations(secondPart), ['90', '0', '0'])
    }))

  test('the page grid moves several pages by dragging, and splits at a click', () =>
    visit({ site, path: '/tools/organize-pdf' }, async (page) => {
      await openGrid(page, createPdf(6))
      const findSheet = (index: number) => listOptions(page).nth(index)
      await waitUntilDrawn(findSheet(5))
      await findSheet(4).click()
      await findSheet(5).click()
      await findSheet(4).dragTo(findSheet(0), { targetPosition: { x: 5, y: 60 } })
      assert.deepEqual((await readPageLabels(page)).join(), 'Page 5,Page 6,Page 1,Page 2,Page 3,Page 4')
      await page.getByRole('button', { name: 'Select none' }).click()
      await findSheet(0).dragTo(findSheet(3), { targetPosition: { x: 120, y: 60 } })
      assert.deepEqual((await readPageLabels(page)).join(), 'Page 6,Page 1,Page 2,Page 5,Page 3,Page 4')
      await findSheet(1).locator('.sheet-cut').click()
      await page.getByText('2 files').waitFor()
      assert.equal(await findSheet(1).getAttribute('aria-label'), 'Page 1, split after this page')
      await page.getByRole('button', { name: 'Reset' }).click()
      assert.deepEqual((await readPageLabels(page)).join(), 'Page 1,Page 2,Page 3,Page 4,Page 5,Page 6')
    }))

  test('the page grid selects pages of a file to merge, and files are reordered by dragging', () =>
    visit({ site, path: '/tools/merge' }, async (page) => {
      const files = ['report.pdf', 'three-pages.pdf'].map(fixture)
      await page.getByLabel('Choose two or more files').setInputFiles(files)
      const getRow = (name: string) => page.locator('.tool-files > li', { hasText: name })
      await getRow('three-pages.pdf').getByRole('button', { name: 'Pick pages' }).click()
      await waitUntilDrawn(listOptions(page).nth(2))
      await listOptions(page).nth(0).click()
      await listOptions(page).nth(2).click()
      await listOptions(page).nth(2).focus()
      await press(page, 'Escape', 'Space', 'Alt+ArrowUp', 'Alt+ArrowUp', 'ArrowRight', 'Space')
      assert.equal(await getRow('three-pages.pdf').getByRole('textbox').inputValue(), '3,1')
      const name = getRow('three-pages.pdf').locator('.tool-file-name')
      await name.dragTo(getRow('report.pdf').locator('.tool-file-name'))
      await page.locator('.tool-files > li:first-child', { hasText: 'three-pages.pdf' }).waitFor()
      await page.getByRole('button', { name: 'Merge files' }).click()
      const path = await downloadResult(page, /\.pdf$/)
      const [alpha = '', , gamma = ''] = readPdfWords(fixture('three-pages.pdf'))
      assert.deepEqual(readPdfWords(path).slice(0, 2), [gamma, alpha])
    }))

  test('the page grid draws only the visible pages of a 500-page PDF, with few DOM nodes', () =>
    visit({ site, path: '/tools/extract-pdf-pages' }, async (page) => {
      await openGrid(page, createPdf(500))
      await waitUntilDrawn(listOptions(page).first())
      const countNodes = () => page.evaluate(() => document.querySelectorAll('*').length)
      assert.ok((await countNodes()) <= 3000)
      assert.ok((await page.locator('.sheet canvas').count()) < 80)
      await listOptions(page).first().focus()
      await press(page, 'End')
      await waitUntilDrawn(listOptions(page).last())
      assert.equal(
        await listOptions(page).first().locator('canvas').count(),
        0,
        'pages out of view are released',
      )
      assert.ok((await countNodes()) <= 3000)
      // Typing a range selects the pages.
      await page.getByLabel('Selected pages', { exact: true }).fill('498-last, 3')
      await page.getByText('4 of 500 selected').waitFor()
      await page.getByRole('button', { name: 'Extract pages' }).click()
      assert.equal(countPages(await downloadResult(page, /\.pdf$/)), 4)
    }))

  test('the page grid draws Asian text with fonts and encodings that are not embedded', () =>
    visit({ site, path: '/tools/organize-pdf' }, async (page) => {
      const japaneseText = {
        script: 'Japan1',
        encoding: '90ms-RKSJ-H',
        bytes: Buffer.from('93fa967b', 'hex'),
      }
      const file = createAsianPdf([
        japaneseText,
        { script: 'Japan1', encoding: 'UniJIS-UTF16-H', bytes: Buffer.from('65e5672c', 'hex') },
        { ...japaneseText, bytes: Buffer.from('938c8b9e', 'hex') },
        { script: 'GB1', encoding: 'UniGB-UCS2-H', bytes: Buffer.from('4e2d6587', 'hex') },
        { script: 'CNS1', encoding: 'ETen-B5-V', bytes: Buffer.from('a4a4a4e5', 'hex') },
        { script: 'Korea1', encoding: 'KSCms-UHC-H', bytes: Buffer.from('c7d1b1db', 'hex') },
      ])
      await openGrid(page, file)
      for (let at = 0; at < 6; at++) await waitUntilDrawn(listOptions(page).nth(at))
      const [firstPixels, samePixels, otherPixels] = await Promise.all(
        [0, 1, 2].map((at) => getPixels(listOptions(page).nth(at).locator('canvas'))),
      )
      assert.ok(firstPixels === samePixels, 'the same text in two encodings looks the same')
      assert.ok(firstPixels !== otherPixels, 'other text looks different')
    }))

  test('the page grid asks once for the password of a protected PDF', () =>
    visit({ site, path: '/tools/rotate-pdf' }, async (page) => {
      await page.getByLabel(/^Choose (a file|files)$/).setInputFiles(fixture('needs-password.pdf'))
      const grid = page.getByRole('region', { name: 'Pages' })
      await grid.getByLabel('Password').fill('wrong')
      await press(page, 'Enter')
      await grid.getByRole('alert').waitFor()
      await grid.getByLabel('Password').fill(password)
      await press(page, 'Enter')
      await listOptions(page).first().waitFor()
      assert.equal(await page.getByLabel('Password', { exact: true }).count(), 0)
      await listOptions(page).first().focus()
      await press(page, 'r')
      await page.getByRole('button', { name: 'Rotate pages' }).click()
      const path = await downloadResult(page, /\.pdf$/)
      assert.match(run('pdfinfo', '-upw', password, path), /Page rot:\s+90/)
    }))

  test('a PDF too large for the browser is drawn by the service and not uploaded again', () =>
    visit({ site, path: '/tools/organize-pdf' }, async (page) => {
      await page.getByLabel(/^Choose (a file|files)$/).setInputFiles(createLargePdf(101_000_000))
      const uploads: string[] = []
      page.on('request', (request) => {
        if (request.method() === 'PUT') uploads.push(request.url())
      })
      await page.getByRole('button', { name: 'Show pages from the server' }).click()
      await listOptions(page).locator('img').first().waitFor()
      assert.equal(await listOptions(page).count(), 3)
      const sentCount = uploads.length
      await listOptions(page).first().focus()
      await press(page, 'Delete', 'End', 'r')
      await page.getByRole('button', { name: 'Organize pages' }).click()
      const path = await downloadResult(page, /\.pdf$/)
      assert.deepEqual(readRotations(path), ['0', '90'])
      assert.equal(uploads.length, sentCount)
    }))

  test('a corrupt PDF is reported, first by the page and then by the service', () =>
    visit({ site, path: '/tools/organize-pdf' }, async (page) => {
      const file = {
        name: 'broken.pdf',
        mimeType: 'application/pdf',
        buffer: Buffer.from('%PDF-1.7 no more'),
      }
      await page.getByLabel(/^Choose (a file|files)$/).setInputFiles(file)
      await page.getByText('cannot be previewed in the browser').waitFor()
      await page.getByRole('button', { name: 'Show pages from the server' }).click()
      await page.getByRole('alert').waitFor()
    }))

  const appearances = [
    { name: 'light', context: { colorScheme: 'light', viewport: { width: 1280, height: 900 } } },
    { name: 'dark', context: { colorScheme: 'dark', viewport: { width: 1280, height: 900 } } },
    { name: 'phone', context: { viewport: { width: 375, height: 740 } } },
    { name: 'german', lang: 'de', context: { viewport: { width: 1280, height: 900 } } },
    { name: 'mirrored', lang: 'mirrored', context: { viewport: { width: 900, height: 900 } } },
  ] as const
  for (const { name, context, ...look } of appearances)
    test(`the page grid is readable and accessible: ${name}`, () => {
      const lang = 'lang' in look ? look.lang : 'en'
      const path = `/tools/organize-pdf?lang=${lang}`
      return visit({ site, path, context: { ...context, reducedMotion: 'reduce' } }, async (page) => {
        const input = page.locator('input[type="file"]')
        await input.setInputFiles(createPdf(8))
        await waitUntilDrawn(listOptions(page).nth(3))
        await listOptions(page).nth(1).focus()
        await press(page, 'r', 'ArrowRight', 'Delete', 'ArrowRight', 's', 'Shift+ArrowRight')
        if (screenshotFolder)
          await page.screenshot({ path: join(screenshotFolder, `grid-${name}.png`), fullPage: true })
        assert.deepEqual(await findAxeViolations(page), [])
        assert.deepEqual(await page.evaluate(findLayoutProblems, 24), [])
        // Removed pages are faint on purpose; they are images, not text.
        assert.deepEqual(await page.evaluate(findLowContrastTexts), [])
        const [key, from] = lang === 'mirrored' ? ['ArrowLeft', 'Home'] : ['ArrowRight', 'Home']
        await press(page, from, key)
        assert.equal(await page.evaluate(() => document.activeElement?.getAttribute('data-page')), '2')
      })
    })
})

const screenshotFolder = process.env['SHOTS']
const password = 'secret'
