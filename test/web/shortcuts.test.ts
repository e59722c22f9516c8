import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { findAxeViolations } from './axe.ts'
import { chooseFiles, findFileCard, fixture, openSite, readPayload, type Site, visit } from './browser.ts'

/** Shortcuts with single keys, and options that the page remembers. */

let site: Site
before(async () => {
  site = await openSite()
})
after(() => site.close())

const readCorners = async (name: string) => readPayload(fixture('corners.png'), name)

describe('keyboard shortcuts', () => {
  test('single keys add files, convert, download and undo', () =>
    visit({ site }, async (page) => {
      await page.locator('#kinds, .popular').first().waitFor()
      const [dialog] = await Promise.all([page.waitForEvent('filechooser'), page.keyboard.press('a')])
      await dialog.setFiles([await readCorners('corners.png')])
      const card = findFileCard(page, 'corners.png')
      await card.getByRole('button', { name: /^Convert to/ }).waitFor()
      await page.keyboard.press('c')
      await card.getByRole('link', { name: /^Download/ }).waitFor()
      const downloads: string[] = []
      page.on('download', (download) => downloads.push(download.suggestedFilename()))
      // Held down, the key downloads only once.
      await Promise.all([page.waitForEvent('download'), page.keyboard.down('d')])
      await page.keyboard.down('d')
      await page.keyboard.up('d')
      await chooseFiles(page, await readCorners('other.png'))
      const otherCard = findFileCard(page, 'other.png')
      await otherCard.getByRole('button', { name: 'Remove other.png' }).press('Enter')
      await otherCard.waitFor({ state: 'hidden' })
      await page.keyboard.press('u')
      await otherCard.waitFor()
      // Removes the card again and presses the key as on a Cyrillic keyboard, whose keys type other letters.
      await otherCard.getByRole('button', { name: 'Remove other.png' }).press('Enter')
      await otherCard.waitFor({ state: 'hidden' })
      await page.evaluate(() =>
        document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'г', code: 'KeyU', bubbles: true })),
      )
      await otherCard.waitFor()
      // In text fields, the keys type characters.
      await page.getByText('From a folder or link').click()
      await page.getByLabel('Link to a file (URL)').pressSequentially('u?c')
      assert.equal(await page.getByLabel('Link to a file (URL)').inputValue(), 'u?c')
      assert.equal(await page.getByRole('dialog').count(), 0)
      assert.deepEqual(downloads, ['corners.jpg'])
    }))

  test('the key “?” lists the keyboard shortcuts, and the shortcuts can be turned off', () =>
    visit({ site, context: { reducedMotion: 'reduce' } }, async (page) => {
      await page.locator('#kinds, .popular').first().waitFor()
      await page.keyboard.press('?')
      const sheet = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
      await sheet.getByText('Convert everything that is ready').waitFor()
      assert.deepEqual(await findAxeViolations(page), [])
      const shortcuts = page.locator('[aria-keyshortcuts]')
      assert.ok((await shortcuts.count()) > 0)
      await sheet.getByRole('checkbox').uncheck()
      assert.equal(await shortcuts.count(), 0, 'screen readers announce none')
      await page.keyboard.press('Escape')
      await sheet.waitFor({ state: 'hidden' })
      await page.keyboard.press('?')
      assert.equal(await sheet.count(), 0)
      await page.locator('.menu summary').click()
      await page.getByRole('button', { name: 'Keyboard shortcuts' }).click()
      assert.equal(await sheet.getByRole('checkbox').isChecked(), false)
    }))
})

describe('options of a card', () => {
  const width = (page: Page, name: string) =>
    findFileCard(page, name).getByRole('spinbutton', { name: 'Width' })
  const add = async (page: Page, name: string) => {
    await chooseFiles(page, await readCorners(name))
    await findFileCard(page, name).locator('details.options > summary').click()
  }
  const findSameAsLastTime = (page: Page) => findFileCard(page, 'second.png').getByText('Same as last time')
  const chooseWebp = (page: Page) =>
    findFileCard(page, 'second.png').getByRole('radio', { name: 'WEBP' }).check()
  /** Adds two files, and checks that the second file gets the options of the first. */
  const addTwoFiles = async (page: Page) => {
    await add(page, 'first.png')
    await width(page, 'first.png').fill('41')
    await add(page, 'second.png')
    assert.equal(await width(page, 'second.png').inputValue(), '41')
    await findSameAsLastTime(page).waitFor()
  }

  test('the page remembers options for each pair of formats', () =>
    visit({ site }, async (page) => {
      await addTwoFiles(page)
      // Another target has options of its own.
      await chooseWebp(page)
      await findSameAsLastTime(page).waitFor({ state: 'hidden' })
    }))

  test('the page does not remember option texts that users typed', () =>
    visit({ site }, async (page) => {
      const addWatermark = async (name: string) => {
        await chooseFiles(page, await readCorners(name))
        const formatSearch = findFileCard(page, name).getByRole('combobox', { name: 'All available formats' })
        await formatSearch.fill('watermark')
        await formatSearch.press('Enter')
        return findFileCard(page, name).getByRole('textbox', { name: 'Text', exact: true })
      }
      await (await addWatermark('first.png')).fill('confidential')
      await findFileCard(page, 'first.png').getByLabel('Position', { exact: true }).selectOption('Center')
      const secondCard = await addWatermark('second.png')
      await findSameAsLastTime(page).waitFor()
      assert.equal(await secondCard.inputValue(), '')
      const storedText = await page.evaluate(() => JSON.stringify(localStorage))
      assert.doesNotMatch(storedText, /confidential/)
    }))

  test('options set for all files are kept when the target changes', () =>
    visit({ site }, async (page) => {
      await addTwoFiles(page)
      const all = page.locator('.group-options')
      await all.locator('summary').first().click()
      await all.getByRole('spinbutton', { name: 'Width' }).fill('55')
      await findSameAsLastTime(page).waitFor({ state: 'hidden' })
      await chooseWebp(page)
      assert.equal(await width(page, 'second.png').inputValue(), '55')
    }))
})
