import assert from 'node:assert/strict'
import { test } from 'node:test'
import { after, before } from '../hooks.ts'
import { openDriveServer } from '../transfer/drive-server.ts'
import { bytesOf, cardOf, downloadFrom, openSite, type Site, visit } from './browser.ts'
import { looksRight } from './check-appearance.ts'

/** Files from a drive, by a real browser that is led there and back. The drive speaks as the real ones do. A quarter of a minute. */

let drive: Awaited<ReturnType<typeof openDriveServer>>
let site: Site
before(async () => {
  drive = await openDriveServer()
  site = await openSite({
    DRIVES: JSON.stringify({ dropbox: drive.settings.dropbox }),
    OUTGOING_ALLOW: '127.0.0.0/8,::1/128',
  })
})
after(async () => {
  await site.close()
  drive.close()
})

const still = { viewport: { width: 1280, height: 900 }, reducedMotion: 'reduce' } as const

test('a file of a drive is found, fetched by the service and converted', async () => {
  // To the drive and back is a way past another host, which no page may ask by itself.
  const context = await site.browser.newContext({ ...still, acceptDownloads: true })
  context.setDefaultTimeout(45_000)
  try {
    const page = await context.newPage()
    await page.goto(site.url)
    await page.getByText('Folder or address').click()
    await page.getByRole('button', { name: 'From Dropbox' }).waitFor()
    assert.equal(await page.getByRole('button', { name: /^From / }).count(), 1, 'only what is set up')
    await page.getByRole('button', { name: 'From Dropbox' }).click()
    await page.getByRole('heading', { name: 'Files in Dropbox' }).waitFor()
    assert.equal(new URL(page.url()).search, '?drive=dropbox')
    await page.getByRole('button', { name: 'Folder/' }).click()
    await page.getByText('Inner.txt').waitFor()
    await page.getByRole('button', { name: 'Back' }).click()
    await page.getByRole('button', { name: 'Folder/' }).waitFor()
    await page.getByRole('searchbox').fill('Notes')
    await page.keyboard.press('Enter')
    await page.getByLabel('Notes.txt').check()
    await looksRight(page, 'drive')
    await page.getByRole('button', { name: 'Take 1 file' }).click()
    const card = cardOf(page, 'Notes.txt')
    await card.getByRole('combobox').fill('html')
    await card.getByRole('combobox').press('Enter')
    await card.getByRole('button', { name: 'Convert to HTML' }).click()
    assert.match((await bytesOf(await downloadFrom(page, 'Notes.txt'))).toString(), /hello from a drive/)
    await page.getByText('Folder or address').click()
    await page.getByRole('button', { name: 'From Dropbox' }).click()
    await page.getByRole('button', { name: 'Folder/' }).waitFor()
    await page.getByRole('button', { name: 'Disconnect' }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    assert.equal(await page.evaluate(() => localStorage.getItem('connection of dropbox')), null)
  } finally {
    await context.close()
  }
})

test('a drive that was not agreed to says so, and none is shown that nobody set up', () =>
  visit({ site, path: '/convert?drive=dropbox&error=access_denied', context: still }, async (page) => {
    await page.getByText('The drive was not connected: it was not agreed to.').waitFor()
    await looksRight(page, 'drive-refused')
    await page.getByRole('button', { name: 'Connect' }).waitFor()
    await page.keyboard.press('Escape')
    await page.waitForURL((url) => url.search === '')
  }))
