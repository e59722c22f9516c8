import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { openSite, type Site, visit } from './browser.ts'
import { checkAppearance } from './check-appearance.ts'

/** The switch between light, dark and the colors of the device. */

let site: Site
before(async () => {
  site = await openSite()
})
after(() => site.close())

const isDark = (page: Page) =>
  page.evaluate(() => {
    const [red = '255'] = /\d+/.exec(getComputedStyle(document.documentElement).backgroundColor) ?? []
    return Number(red) < 60
  })

const choose = async (page: Page, name: string) => {
  await page.locator('.menu summary').click()
  await page.getByRole('group', { name: 'Appearance' }).getByRole('radio', { name }).check()
}

describe('the theme switch', () => {
  test('the theme follows the device if no theme was chosen', () =>
    visit({ site, context: { colorScheme: 'dark', reducedMotion: 'reduce' } }, async (page) => {
      assert.equal(await isDark(page), true)
      await page.locator('.menu summary').click()
      assert.equal(await page.getByRole('radio', { name: 'System' }).isChecked(), true)
      await checkAppearance(page, 'theme-switch')
      await page.emulateMedia({ colorScheme: 'light' })
      assert.equal(await isDark(page), false)
    }))

  test('the chosen theme is remembered and applied before any script runs', () =>
    visit({ site, context: { colorScheme: 'light' } }, async (page) => {
      await choose(page, 'Dark')
      assert.equal(await isDark(page), true)
      await page.reload()
      assert.equal(await isDark(page), true)
      await page.locator('.menu summary').click()
      assert.equal(await page.getByRole('radio', { name: 'Dark' }).isChecked(), true)
      await page.route('**/*.js', (route) => route.abort())
      await page.goto(`${site.url}/formats`)
      assert.equal(await page.locator('html').getAttribute('data-theme'), 'dark')
      assert.equal(await isDark(page), true)
    }))

  test('the arrow keys switch the theme back to the colors of the device', () =>
    visit({ site, context: { colorScheme: 'light' } }, async (page) => {
      await choose(page, 'Dark')
      await page.keyboard.press('ArrowDown')
      assert.equal(await page.getByRole('radio', { name: 'System' }).isChecked(), true)
      assert.equal(await isDark(page), false)
      await page.reload()
      assert.equal(await isDark(page), false)
    }))

  test('an unknown theme in the cookie counts as no theme', async () => {
    const reply = await fetch(site.url, { headers: { cookie: 'theme="><script>' } })
    assert.match(await reply.text(), /data-theme="system"/)
  })
})
