import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { copyFile, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import type { Page } from 'playwright-core'
import { after, before } from '../hooks.ts'
import { scratchFolder } from '../support/scratch-folder.ts'
import { fixture, openSite, type Site, visit } from './browser.ts'
import { checkAppearance } from './check-appearance.ts'

/** Converting a folder in a real browser: the ZIP keeps the folder structure, failed files are retried. About 30 s. */

const run = promisify(execFile)
const folder = scratchFolder('mutabor-batch')

let site: Site
before(async () => {
  site = await openSite()
})
after(() => site.close())

const withoutMotion = { viewport: { width: 1280, height: 900 }, reducedMotion: 'reduce' } as const
const phone = { ...withoutMotion, viewport: { width: 375, height: 740 }, locale: 'de-DE' } as const

/** Six images in nested folders, three with the same name; one is corrupt. */
async function createAlbum(): Promise<string> {
  const top = join(folder, 'album')
  for (const subfolder of ['summer/süd', 'winter']) await mkdir(join(top, subfolder), { recursive: true })
  for (const path of [
    'cover.png',
    'summer/one.png',
    'summer/süd/one.png',
    'winter/one.png',
    'winter/two.png',
  ])
    await copyFile(fixture('corners.png'), join(top, path))
  await writeFile(join(top, 'winter/broken.png'), 'not an image')
  return top
}

async function chooseFolder(page: Page, name: string): Promise<void> {
  const [dialog] = await Promise.all([
    page.waitForEvent('filechooser'),
    page.getByRole('button', { name, exact: true }).click(),
  ])
  await dialog.setFiles(await createAlbum())
}

async function listNamesInZip(page: Page, name: RegExp): Promise<string[]> {
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name }).click(),
  ])
  assert.equal(download.suggestedFilename(), 'album.zip')
  const { stdout } = await run('unzip', ['-Z1', await download.path()], { env: { LC_ALL: 'C.UTF-8' } })
  return stdout
    .split('\n')
    .filter((devtools) => devtools !== '' && devtools !== 'manifest.json')
    .toSorted()
}

const tree = ['cover', 'summer/one', 'summer/süd/one', 'winter/one', 'winter/two']

test('a converted folder is downloaded as a ZIP with the same structure, and only failed files are retried', () =>
  visit({ site, path: '/batch', context: withoutMotion }, async (page) => {
    await page.getByRole('heading', { name: 'Convert a folder' }).waitFor()
    await page.getByText('How it works').waitFor()
    await checkAppearance(page, 'batch-empty')
    await chooseFolder(page, 'Choose a folder')
    await page.getByText('6 files in 4 folders').click()
    const bulkActions = page.getByRole('group', { name: 'All files that are ready' })
    await bulkActions.getByRole('combobox').fill('webp')
    await bulkActions.getByRole('combobox').press('Enter')
    await checkAppearance(page, 'batch-ready')
    await bulkActions.getByRole('button', { name: 'Convert all' }).click()
    await page.getByText('5 of 6 converted, 1 failed', { exact: true }).waitFor()
    assert.deepEqual(
      await listNamesInZip(page, /^Download all 5/),
      tree.map((path) => `album/${path}.webp`),
    )
    await checkAppearance(page, 'batch-done')
    const createRequests: string[] = []
    page.on('request', (request) => {
      if (/\/v1\/(convert|jobs\/[^/]+\/retry)$/.test(request.url())) createRequests.push(request.url())
    })
    await page.getByRole('button', { name: 'Retry failed file' }).click()
    await page.getByText('5 of 6 converted, 1 in progress', { exact: true }).waitFor()
    await page.getByText('5 of 6 converted, 1 failed', { exact: true }).waitFor()
    assert.equal(createRequests.length, 1)
  }))

test('the page remembers the folders of converted files after a reload', () =>
  visit({ site, path: '/batch', context: phone }, async (page) => {
    await chooseFolder(page, 'Ordner wählen')
    await page.getByRole('button', { name: 'Alle umwandeln' }).click()
    await page.getByText('5 von 6 umgewandelt, 1 fehlgeschlagen', { exact: true }).waitFor()
    await checkAppearance(page, 'batch-phone')
    await page.reload()
    await page.getByText('6 Dateien in 4 Ordnern').waitFor()
    const names = await listNamesInZip(page, /^Alle 5 als ZIP/)
    assert.deepEqual(
      names.map((name) => name.replace(/\.\w+$/, '')),
      tree.map((path) => `album/${path}`),
    )
  }))

test('a dropped folder keeps its structure, and a file outside of the folder is in the list of all files', () =>
  visit({ site, path: '/batch', context: withoutMotion }, async (page) => {
    const devtools = await page.context().newCDPSession(page)
    const files = [await createAlbum(), fixture('plain.txt')]
    for (const type of ['dragEnter', 'dragOver', 'drop'] as const)
      await devtools.send('Input.dispatchDragEvent', {
        type,
        x: 200,
        y: 200,
        data: { items: [], files, dragOperationsMask: 1 },
      })
    await page.getByText('6 files in 4 folders').waitFor()
    await page.getByText('1 more file is not in a folder.').waitFor()
    await page.getByRole('link', { name: 'Show all files' }).click()
    await page.getByRole('row').filter({ hasText: 'plain.txt' }).waitFor()
    await page.getByRole('row').filter({ hasText: 'album/summer/süd/one.png' }).waitFor()
  }))
