import assert from 'node:assert/strict'
import { test } from 'node:test'
import { after, before } from '../hooks.ts'
import { openDriveServer } from '../transfer/drive-server.ts'
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
import { checkAppearance } from './check-appearance.ts'

/**
 * Importing files from a drive and saving results to it in a real browser, including the OAuth redirect; a test server
 * replaces the drive. About 30 s.
 */

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

const noMotion = { viewport: { width: 1280, height: 900 }, reducedMotion: 'reduce' } as const

test('a file in a cloud drive is found, imported and converted on the page', async () => {
  // The redirect to the drive and back visits another host, which `visit` does not allow.
  const context = await site.browser.newContext({ ...noMotion, acceptDownloads: true })
  context.setDefaultTimeout(45_000)
  try {
    const page = await context.newPage()
    await page.goto(site.url)
    await page.getByText('From a folder or link').click()
    await page.getByRole('button', { name: 'From Dropbox' }).waitFor()
    assert.equal(
      await page.getByRole('button', { name: /^From / }).count(),
      1,
      'only configured drives are offered',
    )
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
    await checkAppearance(page, 'drive')
    await page.getByRole('button', { name: 'Add 1 file' }).click()
    const card = findFileCard(page, 'Notes.txt')
    await card.getByRole('combobox').fill('html')
    await card.getByRole('combobox').press('Enter')
    await card.getByRole('button', { name: 'Convert to HTML' }).click()
    assert.match(
      (await readDownload(await downloadFromCard(page, 'Notes.txt'))).toString(),
      /hello from a drive/,
    )
    await page.getByText('From a folder or link').click()
    await page.getByRole('button', { name: 'From Dropbox' }).click()
    await page.getByRole('button', { name: 'Folder/' }).waitFor()
    await page.getByRole('button', { name: 'Disconnect' }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    assert.equal(await page.evaluate(() => localStorage.getItem('connection of dropbox')), null)
  } finally {
    await context.close()
  }
})

test('the page saves one result and all results to a folder of a drive', async () => {
  const context = await site.browser.newContext(noMotion)
  context.setDefaultTimeout(45_000)
  try {
    const page = await context.newPage()
    await page.goto(site.url)
    await chooseFiles(
      page,
      await readPayload(fixture('plain.txt'), 'one.txt'),
      await readPayload(fixture('plain.txt'), 'two.txt'),
    )
    await page.getByRole('button', { name: 'Convert all' }).click()
    const saveAll = page.getByRole('button', { name: 'Save all to Dropbox' })
    await saveAll.waitFor()
    await findFileCard(page, 'one.txt').getByText('Share and more').click()
    await page.getByRole('button', { name: 'Save to Dropbox' }).click()
    // After the consent, the drive redirects the browser back.
    await page.getByRole('heading', { name: 'Save to Dropbox' }).waitFor()
    await page.getByRole('button', { name: 'Folder/' }).click()
    await page.getByText('There are no folders in this folder.').waitFor()
    await checkAppearance(page, 'drive-save')
    await page.getByRole('button', { name: 'Save 1 result here' }).click()
    await page.getByRole('dialog').getByText('Saved to Dropbox.').waitFor()
    await checkAppearance(page, 'drive-saved')
    await page.keyboard.press('Escape')
    await saveAll.click()
    await page.getByRole('button', { name: 'Save 2 results here' }).click()
    await page.getByRole('dialog').getByText('Saved to Dropbox.').waitFor()
    const savedPaths = drive.uploads.files.map(
      ({ parent, name }) => `${parent}/${name.replace(/\.\w+$/, '')}`,
    )
    assert.deepEqual(savedPaths.toSorted(), ['/Folder/one', '/one', '/two'])
  } finally {
    await context.close()
  }
})

test('the page reports that access to a drive was denied', () =>
  visit({ site, path: '/convert?drive=dropbox&error=access_denied', context: noMotion }, async (page) => {
    await page.getByText('The drive was not connected because access was denied.').waitFor()
    await checkAppearance(page, 'drive-refused')
    await page.getByRole('button', { name: 'Connect' }).waitFor()
    await page.keyboard.press('Escape')
    await page.waitForURL((url) => url.search === '')
  }))
