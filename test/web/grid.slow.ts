import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { after, before } from '../hooks.ts'
import { scratchFolder } from '../scratch-folder.ts'
import { faultsByAxe } from './axe.ts'
import { bytesOf, fixture, openSite, type Site, visit } from './browser.ts'
import { press, tabTo } from './keyboard.ts'
import { misfits, weakContrasts } from './layout-checks.ts'

/**
 * Pages of PDFs as pictures, in a real browser: by keys alone, by dragging, with many pages, and where the browser cannot
 * draw them. The pages are under their own policy: what it forbids would be an error in the console. About a minute.
 */

let site: Site
const scratch = scratchFolder('grid')

const options = (page: Page) => page.locator('[role="option"]')
const names = (page: Page) =>
  options(page).evaluateAll((all) => all.map((one) => one.getAttribute('aria-label')))

/** A page is drawn when something dark is on its canvas. */
async function drawn(option: Locator): Promise<void> {
  const canvas = option.locator('canvas[data-drawn]')
  await canvas.waitFor()
  const darkest = await canvas.evaluate(async (picture: HTMLCanvasElement) => {
    const bitmap = await createImageBitmap(picture)
    const pen = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d')
    pen?.drawImage(bitmap, 0, 0)
    return pen?.getImageData(0, 0, bitmap.width, bitmap.height).data.reduce((a, b) => Math.min(a, b), 255)
  })
  assert.ok(Number(darkest) < 120, `the darkest of the page is ${darkest}`)
}

async function openGrid(page: Page, file: string, label = 'Choose files'): Promise<void> {
  await page.getByLabel(label).setInputFiles(file)
  await options(page).first().waitFor()
}

async function result(page: Page, name: RegExp): Promise<string> {
  const link = page.getByRole('link', { name })
  // On a busy machine the first job waits for its engine to start.
  await link.waitFor({ timeout: 150_000 })
  const [download] = await Promise.all([page.waitForEvent('download'), link.click()])
  const path = join(scratch, download.suggestedFilename())
  writeFileSync(path, await bytesOf(download))
  return path
}

const run = (program: string, ...args: readonly string[]) => execFileSync(program, args, { encoding: 'utf8' })
const wordsOf = (path: string) => run('pdftotext', path, '-').match(/\w+/g) ?? []
const pagesOf = (path: string) => Number(run('qpdf', '--show-npages', path))
const rotations = (path: string) =>
  [...run('pdfinfo', '-l', '99', path).matchAll(/rot:\s+(\d+)/g)].map((one) => one[1])

/** The pages of the fixture, one after the other, until there are so many. */
function manyPages(count: number): string {
  const path = join(scratch, `${count}.pdf`)
  const taken = Array.from({ length: count }, (_, at) => String((at % 3) + 1)).join(',')
  run('qpdf', '--empty', '--pages', fixture('three-pages.pdf'), taken, '--', path)
  return path
}

/** The fixture with so many bytes that nobody sees, as an update at its end (ISO 32000-2, 7.5.6). */
function heavy(bytes: number): string {
  const path = join(scratch, 'heavy.pdf')
  const old = readFileSync(fixture('three-pages.pdf'))
  const text = old.toString('latin1')
  const root = /\/Root (\d+ \d+ R)/.exec(text)?.[1]
  const start = /startxref\s+(\d+)/.exec(text)?.[1]
  const head = Buffer.from(`\n900 0 obj\n<< /Length ${bytes} >>\nstream\n`)
  const tail = '\nendstream\nendobj\n'
  const at = old.length + head.length + bytes + tail.length
  const table = `xref\n900 1\n${String(old.length + 1).padStart(10, '0')} 00000 n \n`
  const trailer = `trailer\n<< /Size 901 /Root ${root} /Prev ${start} >>\nstartxref\n${at}\n%%EOF\n`
  writeFileSync(path, Buffer.concat([old, head, Buffer.alloc(bytes), Buffer.from(tail + table + trailer)]))
  return path
}

/** A page for each text, in fonts that are in no file, by encodings that are in none either: only what reads it knows them. */
function asianPdf(texts: readonly { script: string; encoding: string; bytes: Buffer }[]): string {
  const pages = texts.flatMap(({ script, encoding, bytes }, at) => {
    const content = `BT /F 60 Tf 20 60 Td <${bytes.toString('hex')}> Tj ET`
    const system = `/CIDSystemInfo << /Registry (Adobe) /Ordering (${script}) /Supplement 2 >>`
    const flags = '/Flags 4 /FontBBox [0 -120 1000 880] /ItalicAngle 0 /Ascent 880 /Descent -120 /StemV 80'
    const descriptor = `<< /Type /FontDescriptor /FontName /Song ${flags} /CapHeight 700 >>`
    const font = `<< /Type /Font /Subtype /CIDFontType0 /BaseFont /Song ${system} /FontDescriptor ${descriptor} >>`
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
  // Readers look for the objects themselves where no table says where they are.
  writeFileSync(path, `%PDF-1.7\n${body}trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\n%%EOF\n`)
  return path
}

const pixels = (canvas: Locator) =>
  canvas.evaluate(async (picture: HTMLCanvasElement) => {
    const bitmap = await createImageBitmap(picture)
    const pen = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d')
    pen?.drawImage(bitmap, 0, 0)
    return pen?.getImageData(0, 0, bitmap.width, bitmap.height).data.join() ?? ''
  })

describe('the grid of pages', () => {
  before(async () => {
    site = await openSite()
  })
  after(() => site.close())

  test('orders, turns, removes and parts pages by keys alone', () =>
    visit({ site, path: '/tools/organize-pdf' }, async (page) => {
      await openGrid(page, manyPages(5))
      const button = page.getByRole('button', { name: 'Organize pages' })
      assert.ok(await button.isDisabled())
      await tabTo(page, options(page).first())
      await drawn(options(page).first())
      await press(page, 'Alt+ArrowRight', 'Alt+ArrowRight')
      assert.deepEqual(await names(page), ['Page 2', 'Page 3', 'Page 1', 'Page 4', 'Page 5'])
      assert.equal(
        await page.evaluate(() => document.activeElement?.getAttribute('aria-label')),
        'Page 1',
        'the page that moved keeps the focus',
      )
      await press(page, 'Alt+ArrowLeft', 'r', 'Home', 's', 'End', 'Delete')
      const wanted = [
        'Page 2, a file ends here',
        'Page 1, turned by 90°',
        'Page 3',
        'Page 4',
        'Page 5, removed',
      ]
      assert.deepEqual(await names(page), wanted)
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
      assert.deepEqual(await names(page), wanted)
      await page.getByText('3 of 5 selected').waitFor()
      await press(page, 'Escape', 'Control+a')
      await page.getByText('5 of 5 selected').waitFor()
      await press(page, 'Escape', 'ArrowLeft')
      await page.getByText('0 of 5 selected').waitFor()
      await tabTo(page, button)
      await press(page, 'Enter')
      const zip = await result(page, /\.zip$/)
      run('unzip', '-o', '-q', zip, '-d', scratch)
      const parts = ['page-001.pdf', 'pages-002-004.pdf'].filter((name) =>
        run('unzip', '-l', zip).includes(name),
      )
      assert.equal(parts.length, 2, run('unzip', '-l', zip))
      const [first = '', second = ''] = parts.map((name) => join(scratch, name))
      const all = wordsOf(manyPages(3))
      const each = all.length / 3
      assert.deepEqual(wordsOf(first), all.slice(each, 2 * each))
      // Pages 1, 3 and 4, of which the last is the first once more.
      assert.deepEqual(wordsOf(second), [
        ...all.slice(0, each),
        ...all.slice(2 * each),
        ...all.slice(0, each),
      ])
      assert.deepEqual(rotations(second), ['90', '0', '0'])
    }))

  test('takes pages by dragging, several at once, and cuts where one clicks', () =>
    visit({ site, path: '/tools/organize-pdf' }, async (page) => {
      await openGrid(page, manyPages(6))
      const at = (place: number) => options(page).nth(place)
      await drawn(at(5))
      await at(4).click()
      await at(5).click()
      await at(4).dragTo(at(0), { targetPosition: { x: 5, y: 60 } })
      assert.deepEqual((await names(page)).join(), 'Page 5,Page 6,Page 1,Page 2,Page 3,Page 4')
      await page.getByRole('button', { name: 'Select none' }).click()
      await at(0).dragTo(at(3), { targetPosition: { x: 120, y: 60 } })
      assert.deepEqual((await names(page)).join(), 'Page 6,Page 1,Page 2,Page 5,Page 3,Page 4')
      await at(1).locator('.sheet-cut').click()
      await page.getByText('It becomes 2 files').waitFor()
      assert.equal(await at(1).getAttribute('aria-label'), 'Page 1, a file ends here')
      await page.getByRole('button', { name: 'As it was' }).click()
      assert.deepEqual((await names(page)).join(), 'Page 1,Page 2,Page 3,Page 4,Page 5,Page 6')
    }))

  test('gives merging some pages of a file, whose row is dragged to its place', () =>
    visit({ site, path: '/tools/merge' }, async (page) => {
      const files = ['report.pdf', 'three-pages.pdf'].map(fixture)
      await page.getByLabel('Choose two or more files').setInputFiles(files)
      const row = (name: string) => page.locator('.tool-files > li', { hasText: name })
      await row('three-pages.pdf').getByRole('button', { name: 'Choose by pictures' }).click()
      await drawn(options(page).nth(2))
      await options(page).nth(0).click()
      await options(page).nth(2).click()
      await options(page).nth(2).focus()
      await press(page, 'Escape', 'Space', 'Alt+ArrowUp', 'Alt+ArrowUp', 'ArrowRight', 'Space')
      assert.equal(await row('three-pages.pdf').getByRole('textbox').inputValue(), '3,1')
      const name = row('three-pages.pdf').locator('.tool-file-name')
      await name.dragTo(row('report.pdf').locator('.tool-file-name'))
      await page.locator('.tool-files > li:first-child', { hasText: 'three-pages.pdf' }).waitFor()
      await page.getByRole('button', { name: 'Merge files' }).click()
      const path = await result(page, /\.pdf$/)
      const [alpha = '', , gamma = ''] = wordsOf(fixture('three-pages.pdf'))
      assert.deepEqual(wordsOf(path).slice(0, 2), [gamma, alpha])
    }))

  test('of five hundred pages draws those in sight, with few nodes', () =>
    visit({ site, path: '/tools/extract-pdf-pages' }, async (page) => {
      await openGrid(page, manyPages(500))
      await drawn(options(page).first())
      const nodes = () => page.evaluate(() => document.querySelectorAll('*').length)
      assert.ok((await nodes()) <= 3000)
      assert.ok((await page.locator('.sheet canvas').count()) < 80)
      await options(page).first().focus()
      await press(page, 'End')
      await drawn(options(page).last())
      assert.equal(await options(page).first().locator('canvas').count(), 0, 'what is out of sight is let go')
      assert.ok((await nodes()) <= 3000)
      // What is typed is selected, and what is selected is written.
      await page.getByLabel('Selected pages', { exact: true }).fill('498-last, 3')
      await page.getByText('4 of 500 selected').waitFor()
      await page.getByRole('button', { name: 'Take pages out' }).click()
      assert.equal(pagesOf(await result(page, /\.pdf$/)), 4)
    }))

  test('draws Asian texts of fonts and encodings that are not in the file', () =>
    visit({ site, path: '/tools/organize-pdf' }, async (page) => {
      const japan = { script: 'Japan1', encoding: '90ms-RKSJ-H', bytes: Buffer.from('93fa967b', 'hex') }
      const file = asianPdf([
        japan,
        { script: 'Japan1', encoding: 'UniJIS-UTF16-H', bytes: Buffer.from('65e5672c', 'hex') },
        { ...japan, bytes: Buffer.from('938c8b9e', 'hex') },
        { script: 'GB1', encoding: 'UniGB-UCS2-H', bytes: Buffer.from('4e2d6587', 'hex') },
        { script: 'CNS1', encoding: 'ETen-B5-V', bytes: Buffer.from('a4a4a4e5', 'hex') },
        { script: 'Korea1', encoding: 'KSCms-UHC-H', bytes: Buffer.from('c7d1b1db', 'hex') },
      ])
      await openGrid(page, file)
      for (let at = 0; at < 6; at++) await drawn(options(page).nth(at))
      const [first, same, other] = await Promise.all(
        [0, 1, 2].map((at) => pixels(options(page).nth(at).locator('canvas'))),
      )
      assert.ok(first === same, 'the same words in two encodings look the same')
      assert.ok(first !== other, 'and others do not')
    }))

  test('asks for the password of a locked PDF, and needs it once', () =>
    visit({ site, path: '/tools/rotate-pdf' }, async (page) => {
      await page.getByLabel('Choose files').setInputFiles(fixture('needs-password.pdf'))
      const grid = page.getByRole('region', { name: 'Pages' })
      await grid.getByLabel('Password').fill('wrong')
      await press(page, 'Enter')
      await grid.getByRole('alert').waitFor()
      await grid.getByLabel('Password').fill(password)
      await press(page, 'Enter')
      await options(page).first().waitFor()
      assert.equal(await page.getByLabel('Password', { exact: true }).count(), 0)
      await options(page).first().focus()
      await press(page, 'r')
      await page.getByRole('button', { name: 'Rotate pages' }).click()
      const path = await result(page, /\.pdf$/)
      assert.match(run('pdfinfo', '-upw', password, path), /Page rot:\s+90/)
    }))

  test('is drawn by the service where the file is too large, which is then not sent again', () =>
    visit({ site, path: '/tools/organize-pdf' }, async (page) => {
      await page.getByLabel('Choose files').setInputFiles(heavy(101_000_000))
      const uploads: string[] = []
      page.on('request', (request) => {
        if (request.method() === 'PUT') uploads.push(request.url())
      })
      await page.getByRole('button', { name: 'Show its pages by the service' }).click()
      await options(page).locator('img').first().waitFor()
      assert.equal(await options(page).count(), 3)
      const sent = uploads.length
      await options(page).first().focus()
      await press(page, 'Delete', 'End', 'r')
      await page.getByRole('button', { name: 'Organize pages' }).click()
      const path = await result(page, /\.pdf$/)
      assert.deepEqual(rotations(path), ['0', '90'])
      assert.equal(uploads.length, sent)
    }))

  test('says so of what is no PDF, and what the service says of it', () =>
    visit({ site, path: '/tools/organize-pdf' }, async (page) => {
      const file = {
        name: 'broken.pdf',
        mimeType: 'application/pdf',
        buffer: Buffer.from('%PDF-1.7 no more'),
      }
      await page.getByLabel('Choose files').setInputFiles(file)
      await page.getByText('cannot be drawn here').waitFor()
      await page.getByRole('button', { name: 'Show its pages by the service' }).click()
      await page.getByRole('alert').waitFor()
    }))

  const looks = [
    { name: 'light', context: { colorScheme: 'light', viewport: { width: 1280, height: 900 } } },
    { name: 'dark', context: { colorScheme: 'dark', viewport: { width: 1280, height: 900 } } },
    { name: 'phone', context: { viewport: { width: 375, height: 740 } } },
    { name: 'german', lang: 'de', context: { viewport: { width: 1280, height: 900 } } },
    { name: 'mirrored', lang: 'mirrored', context: { viewport: { width: 900, height: 900 } } },
  ] as const
  for (const { name, context, ...look } of looks)
    test(`is easy to read and to use: ${name}`, () => {
      const lang = 'lang' in look ? look.lang : 'en'
      const path = `/tools/organize-pdf?lang=${lang}`
      return visit({ site, path, context: { ...context, reducedMotion: 'reduce' } }, async (page) => {
        const input = page.locator('input[type="file"]')
        await input.setInputFiles(manyPages(8))
        await drawn(options(page).nth(3))
        await options(page).nth(1).focus()
        await press(page, 'r', 'ArrowRight', 'Delete', 'ArrowRight', 's', 'Shift+ArrowRight')
        if (shots) await page.screenshot({ path: join(shots, `grid-${name}.png`), fullPage: true })
        assert.deepEqual(await faultsByAxe(page), [])
        assert.deepEqual(await page.evaluate(misfits, 24), [])
        // What is removed is faint on purpose, and the pages are pictures.
        assert.deepEqual(await page.evaluate(weakContrasts), [])
        const [key, from] = lang === 'mirrored' ? ['ArrowLeft', 'Home'] : ['ArrowRight', 'Home']
        await press(page, from, key)
        assert.equal(await page.evaluate(() => document.activeElement?.getAttribute('data-page')), '2')
      })
    })
})

const shots = process.env['SHOTS']
const password = 'secret'
