import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { findAxeViolations } from './axe.ts'
import { dropOrPaste, findFileCard, fixture, openSite, readPayload, type Site, visit } from './browser.ts'

/** Texts of the service in another language than English. */

let site: Site
before(async () => {
  site = await openSite()
})
after(() => site.close())

describe('the page in German', () => {
  test('the German page names formats in German, on cards, in the format list and under Formats', () =>
    visit({ site, path: '/?lang=de' }, async (page) => {
      await dropOrPaste(page, 'drop', await readPayload(fixture('letter.docx')))
      const card = findFileCard(page, 'letter.docx')
      await card.getByText('Word-Dokument').waitFor()
      await card.getByRole('combobox').fill('reiner')
      await card.getByRole('option', { name: 'Reiner Text' }).waitFor()
      await page.goto(`${site.url}/formats`)
      await page.getByTitle('Kommagetrennte Werte').waitFor()
      assert.equal(await page.getByTitle('Comma-separated values').count(), 0)
    }))

  test('the German page explains a warning in German, and shows the English text of the service on request', () =>
    visit({ site, path: '/?lang=de&to=jpg' }, async (page) => {
      await dropOrPaste(page, 'drop', await readPayload(fixture('alpha.png')))
      const card = findFileCard(page, 'alpha.png')
      await card.locator('[data-primary]').click()
      await card.getByText('Durchsichtige Bereiche haben jetzt eine Farbe').waitFor()
      const sentence = card.locator('[lang=en]')
      assert.equal(await sentence.isVisible(), false)
      await card.locator('.warnings summary').click()
      assert.match((await sentence.textContent()) ?? '', /Transparent parts became white/)
      assert.deepEqual(await findAxeViolations(page), [])
    }))

  test('the German page shows the numbers of a warning in the German text', () =>
    visit({ site, path: '/?lang=de&to=png' }, async (page) => {
      const images = ['a.png', 'b.png'].map((name) => `<image href="${name}" width="9" height="9"/>`)
      const drawing = `<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9">${images.join('')}</svg>`
      const buffer = Buffer.from(drawing)
      await dropOrPaste(page, 'drop', { name: 'a.svg', mimeType: 'image/svg+xml', buffer })
      const card = findFileCard(page, 'a.svg')
      await card.locator('[data-primary]').click()
      await card.getByText('2 Links oder verlinkte Dateien fehlen im Ergebnis.').waitFor()
    }))

  test('the German page marks texts of the service without a translation as English', () =>
    visit({ site, path: '/docs?lang=de&operation=postV1Convert' }, async (page) => {
      await page.locator('h2[lang=en]').getByText('Convert a file').waitFor()
      assert.ok((await page.locator('nav a > span[lang=en]').count()) > 100)
      await page.goto(site.url)
      // The code of a newer service, whose texts this page does not have.
      await page.route('**/v1/convert', async (route) => {
        const response = await route.fetch()
        const envelope = { success: false, error: { code: 'NEWER', message: 'Something newer.' } }
        await route.fulfill({ response, status: 409, json: envelope })
      })
      await dropOrPaste(page, 'drop', await readPayload(fixture('alpha.png')))
      const card = findFileCard(page, 'alpha.png')
      await card.locator('[data-primary]').click()
      assert.equal(await card.getByText('Something newer.').getAttribute('lang'), 'en')
    }))
})
