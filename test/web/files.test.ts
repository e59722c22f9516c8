import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import {
  chooseFiles,
  downloadFromCard,
  findFileCard,
  fixture,
  openSite,
  readDownload,
  readPayload,
  type Site,
  visit,
} from './browser.ts'

let site: Site

const visitPage = (act: (page: Page) => Promise<void>) => visit({ site }, act)

/** Chooses a file with this name and converts it to the default target. */
async function convert(page: Page, name: string, buffer?: Buffer) {
  const file = buffer ? { name, mimeType: '', buffer } : await readPayload(fixture(name))
  await chooseFiles(page, file)
  const card = findFileCard(page, name)
  await card.getByRole('button', { name: /^Convert to/ }).click()
  return card
}

/** The tests spend most of their time waiting, so three run at a time. */
describe('files on the page', { concurrency: 3 }, () => {
  before(async () => {
    site = await openSite()
  })
  after(async () => {
    await site.close()
  })

  test('leaving the page during an upload asks for confirmation', () =>
    visitPage(async (page) => {
      await page.route('**/s3/**', () => {})
      const card = await convert(page, 'corners.png')
      await card.getByText('Uploading', { exact: true }).waitFor()
      const [question] = await Promise.all([
        page.waitForEvent('dialog'),
        page.close({ runBeforeUnload: true }),
      ])
      assert.equal(question.type(), 'beforeunload')
      await question.accept()
    }))

  test('a long file list is a table that renders only the visible rows', () =>
    visitPage(async (page) => {
      const { buffer } = await readPayload(fixture('corners.png'))
      const manyImages = Array.from({ length: 300 }, (_, at) => ({ name: `${at}.png`, mimeType: '', buffer }))
      await chooseFiles(page, ...manyImages)
      await page.getByText('300 files ready').waitFor()
      const table = page.getByRole('table', { name: 'Files' })
      assert.equal(await table.getAttribute('aria-rowcount'), '301')
      assert.ok((await page.getByRole('row').count()) < 60)
      assert.ok((await page.evaluate(() => document.querySelectorAll('*').length)) < 3000)
      await page.evaluate(() => window.scrollTo(0, document.body.scrollHeight))
      await page.getByRole('cell', { name: '299.png', exact: true }).waitFor()
      await page.evaluate(() => window.scrollTo(0, 0))
      await page.getByRole('button', { name: 'Clear list' }).click()
      await page.getByRole('button', { name: 'Undo' }).click()
      await table.waitFor()
    }))

  test('an invalid option is shown at its field and nothing is uploaded', () =>
    visitPage(async (page) => {
      const sentRequests: string[] = []
      page.on('request', (request) => {
        const { pathname } = new URL(request.url())
        if (request.method() === 'PUT' || /presign|convert$/.test(pathname)) sentRequests.push(pathname)
      })
      await chooseFiles(page, await readPayload(fixture('video.mp4')))
      const card = findFileCard(page, 'video.mp4')
      await card.getByRole('radio', { name: 'GIF' }).check()
      await card.getByText('Options', { exact: true }).click()
      const start = card.getByLabel('Start', { exact: true })
      await start.fill('abc')
      await card.getByRole('button', { name: 'Convert to GIF' }).click()
      await card.locator('[data-option="start"][aria-invalid="true"]').waitFor()
      assert.equal(await page.evaluate(() => document.activeElement?.getAttribute('data-option')), 'start')
      assert.equal(await start.isVisible(), true)
      assert.deepEqual(sentRequests, [])
    }))

  test('the default target of a transparent PNG is WEBP, and waiting files keep their options after a reload', () =>
    visitPage(async (page) => {
      await chooseFiles(page, await readPayload(fixture('alpha.png')))
      const card = findFileCard(page, 'alpha.png')
      await card.getByRole('radio', { name: 'WEBP', checked: true }).waitFor()
      await card.getByText('Options', { exact: true }).click()
      await card.getByRole('spinbutton', { name: 'Width' }).fill('20')
      await page.reload()
      await card.getByRole('button', { name: 'Convert to WEBP' }).waitFor()
      await card.getByText('Options', { exact: true }).click()
      assert.equal(await card.getByRole('spinbutton', { name: 'Width' }).inputValue(), '20')
    }))

  test('targets chosen for individual files survive a reload', () =>
    visitPage(async (page) => {
      const files = [
        { name: 'letter.docx', to: 'ODT' },
        { name: 'owner-password.pdf', to: 'PNG' },
      ]
      await chooseFiles(page, ...(await Promise.all(files.map(({ name }) => readPayload(fixture(name))))))
      const target = (name: string, to: string, checked?: boolean) =>
        findFileCard(page, name).getByRole('radio', { name: to, exact: true, ...(checked && { checked }) })
      for (const { name, to } of files) await target(name, to).check()
      await page.reload()
      for (const { name, to } of files) await target(name, to, true).waitFor()
    }))

  test('files of different formats have their own default target, and one button sets the target of all documents', () =>
    visitPage(async (page) => {
      const names = ['letter.docx', 'owner-password.pdf']
      await chooseFiles(page, ...(await Promise.all(names.map((name) => readPayload(fixture(name))))))
      const findRadio = (name: string, to: string) =>
        findFileCard(page, name).getByRole('radio', { name: to, exact: true, checked: true })
      await findRadio('letter.docx', 'PDF').waitFor()
      await findRadio('owner-password.pdf', 'DOCX').waitFor()
      const bar = page.getByRole('group', { name: 'Convert all 2 documents to' })
      await bar.getByRole('button', { name: 'TXT' }).click()
      for (const name of names) await findRadio(name, 'TXT').waitFor()
      assert.equal(await bar.getByRole('button', { pressed: true }).textContent(), 'TXT')
    }))

  test('failed files can be shown alone, and are not counted as ready', () =>
    visitPage(async (page) => {
      const { buffer } = await readPayload(fixture('corners.png'))
      const goodFiles = Array.from({ length: 6 }, (_, at) => ({ name: `${at}.png`, mimeType: '', buffer }))
      const brokenFile = { name: 'broken.png', mimeType: '', buffer: buffer.subarray(0, 60) }
      await chooseFiles(page, ...goodFiles, brokenFile)
      await page.getByRole('button', { name: 'Convert all' }).click()
      await page.getByText('6 of 7 converted, 1 failed').waitFor()
      assert.equal(await page.getByText(/ready$/).isVisible(), false)
      await page.getByRole('button', { name: '1 failed' }).click()
      assert.equal(await page.getByRole('row').count(), 2)
      await page.getByRole('row', { name: /broken\.png/ }).waitFor()
      await page.getByRole('button', { name: 'Next problem' }).click()
      await page.getByRole('dialog').getByText('broken.png').first().waitFor()
    }))

  test('two images are combined into one PDF with two pages', () =>
    visitPage(async (page) => {
      await chooseFiles(
        page,
        await readPayload(fixture('corners.png')),
        await readPayload(fixture('corners.jpg')),
      )
      const bar = page.getByRole('group', { name: 'Convert all 2 images to' })
      await bar.getByRole('button', { name: 'PDF' }).click()
      await page.getByRole('button', { name: 'Combine 2 images into one PDF' }).click()
      const download = await downloadFromCard(page, '2 images')
      assert.equal(download.suggestedFilename(), 'images.pdf')
      const pages = (await readDownload(download)).toString('latin1').match(/\/Type\s*\/Page\b/g)
      assert.equal(pages?.length, 2)
      assert.equal(await page.getByRole('article').count(), 1)
    }))

  test('the format search also finds tools and experimental targets, and marks experimental targets', () =>
    visitPage(async (page) => {
      await chooseFiles(page, await readPayload(fixture('owner-password.pdf')))
      const card = findFileCard(page, 'owner-password.pdf')
      await card.getByRole('combobox').fill('excel')
      await card.getByRole('option', { name: /^XLSX .*experimental$/ }).waitFor()
      await card.getByRole('combobox').fill('word')
      const rows = await card.getByRole('option').allTextContents()
      assert.match(rows[0] ?? '', /^DOCX/)
      for (const [word, name] of [
        ['ocr', 'Recognize text (OCR)'],
        ['split', 'Split PDF'],
      ] as const) {
        await card.getByRole('combobox').first().fill(word)
        await card.getByRole('option', { name }).waitFor()
      }
      await card.getByRole('combobox').first().press('Enter')
      await card.getByRole('radio', { name: 'Split PDF', checked: true }).waitFor()
      await card.getByRole('button', { name: 'Split PDF' }).click()
      await card
        .getByRole('link', { name: /^Download/ })
        .first()
        .waitFor()
    }))

  test('visitors cannot see the files of other visitors', () =>
    visitPage(async (page) => {
      await convert(page, 'corners.png')
      await downloadFromCard(page, 'corners.png')
      await visitPage(async (otherPage) => {
        await otherPage.waitForResponse((response) => response.url().includes('/v1/jobs'))
        await otherPage.locator('#kinds li').first().waitFor()
        assert.equal(await otherPage.getByRole('article').count(), 0)
      })
    }))

  test('a result can be shared by link and QR code, and its conversion can be repeated with another file', () =>
    visitPage(async (page) => {
      const card = await convert(page, 'corners.png')
      const url = await card.getByRole('link', { name: /^Download/ }).getAttribute('href')
      await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
      await card.getByText('Share and more').click()
      await card.getByRole('button', { name: 'Copy link' }).click()
      await card.getByRole('button', { name: 'Link copied.' }).waitFor()
      assert.equal(await page.evaluate(() => navigator.clipboard.readText()), url)
      await card.getByRole('button', { name: 'QR code' }).click()
      const qrCode = card.getByRole('img', { name: /^QR code with the link to corners/ })
      await qrCode.waitFor()
      assert.ok(((await qrCode.boundingBox())?.width ?? 0) < 300, 'it does not fill the card')
      const [dialog] = await Promise.all([
        page.waitForEvent('filechooser'),
        card.getByRole('button', { name: 'Do the same with another file' }).click(),
      ])
      await dialog.setFiles(fixture('alpha.png'))
      const target = (name: string) =>
        downloadFromCard(page, name).then((download) => download.suggestedFilename().split('.')[1])
      assert.equal(await target('alpha.png'), await target('corners.png'))
    }))

  test('a file name with markup, quotes and emoji is shown literally', () =>
    visitPage(async (page) => {
      const name = '<img src=x onerror=alert(1)> "ça" 🦢.png'
      const { buffer } = await readPayload(fixture('corners.png'))
      const card = await convert(page, name, buffer)
      await card.getByRole('link', { name: /^Download/ }).waitFor()
      assert.equal(await card.getByRole('heading').textContent(), name)
      assert.equal(await page.locator('img[src=x]').count(), 0)
    }))
})
