import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { copyFile, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import type { Page } from 'playwright-core'
import { after, before } from '../hooks.ts'
import { scratchFolder } from '../scratch-folder.ts'
import { fixture, openSite, type Site, visit } from './browser.ts'
import { looksRight } from './check-appearance.ts'

/** A folder in, its tree out, and what failed once more, in a real browser. Half a minute. */

const run = promisify(execFile)
const folder = scratchFolder('mutabor-batch')

let site: Site
before(async () => {
  site = await openSite()
})
after(() => site.close())

const still = { viewport: { width: 1280, height: 900 }, reducedMotion: 'reduce' } as const
const phone = { ...still, viewport: { width: 375, height: 740 }, locale: 'de-DE' } as const

/** Six pictures in three folders, two of them of one name; one is broken. */
async function album(): Promise<string> {
  const top = join(folder, 'album')
  for (const below of ['summer/süd', 'winter']) await mkdir(join(top, below), { recursive: true })
  for (const path of [
    'cover.png',
    'summer/one.png',
    'summer/süd/one.png',
    'winter/one.png',
    'winter/two.png',
  ])
    await copyFile(fixture('corners.png'), join(top, path))
  await writeFile(join(top, 'winter/broken.png'), 'no picture')
  return top
}

async function chooseFolder(page: Page, name: string): Promise<void> {
  const [dialog] = await Promise.all([
    page.waitForEvent('filechooser'),
    page.getByRole('button', { name, exact: true }).click(),
  ])
  await dialog.setFiles(await album())
}

async function namesInZip(page: Page, name: RegExp): Promise<string[]> {
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name }).click(),
  ])
  assert.equal(download.suggestedFilename(), 'album.zip')
  const { stdout } = await run('unzip', ['-Z1', await download.path()], { env: { LC_ALL: 'C.UTF-8' } })
  return stdout
    .split('\n')
    .filter((line) => line !== '' && line !== 'manifest.json')
    .toSorted()
}

const tree = ['cover', 'summer/one', 'summer/süd/one', 'winter/one', 'winter/two']

test('a folder comes back as a ZIP of the same tree, and only what failed is tried again', () =>
  visit({ site, path: '/batch', context: still }, async (page) => {
    await page.getByRole('heading', { name: 'Convert a folder' }).waitFor()
    await page.getByText('How it goes').waitFor()
    await looksRight(page, 'batch-empty')
    await chooseFolder(page, 'Choose a folder')
    await page.getByText('6 files in 4 folders').click()
    const together = page.getByRole('group', { name: 'All files that are ready' })
    await together.getByRole('combobox').fill('webp')
    await together.getByRole('combobox').press('Enter')
    await looksRight(page, 'batch-ready')
    await together.getByRole('button', { name: 'Convert all' }).click()
    await page.getByText('5 of 6 done, 1 failed', { exact: true }).waitFor()
    assert.deepEqual(
      await namesInZip(page, /^Download all 5/),
      tree.map((path) => `album/${path}.webp`),
    )
    await looksRight(page, 'batch-done')
    const made: string[] = []
    page.on('request', (request) => {
      if (/\/v1\/(convert|jobs\/[^/]+\/retry)$/.test(request.url())) made.push(request.url())
    })
    await page.getByRole('button', { name: 'Try the failed one again' }).click()
    await page.getByText('5 of 6 done, 1 under way', { exact: true }).waitFor()
    await page.getByText('5 of 6 done, 1 failed', { exact: true }).waitFor()
    assert.equal(made.length, 1)
  }))

test('the folders of what is done are known after a reload', () =>
  visit({ site, path: '/batch', context: phone }, async (page) => {
    await chooseFolder(page, 'Ordner wählen')
    await page.getByRole('button', { name: 'Alle umwandeln' }).click()
    await page.getByText('5 von 6 fertig, 1 fehlgeschlagen', { exact: true }).waitFor()
    await looksRight(page, 'batch-phone')
    await page.reload()
    await page.getByText('6 Dateien in 4 Ordnern').waitFor()
    const names = await namesInZip(page, /^Alle 5 als ZIP/)
    assert.deepEqual(
      names.map((name) => name.replace(/\.\w+$/, '')),
      tree.map((path) => `album/${path}`),
    )
  }))

test('a dropped folder keeps its tree, and a file beside it stands among all files', () =>
  visit({ site, path: '/batch', context: still }, async (page) => {
    const line = await page.context().newCDPSession(page)
    const files = [await album(), fixture('plain.txt')]
    for (const type of ['dragEnter', 'dragOver', 'drop'] as const)
      await line.send('Input.dispatchDragEvent', {
        ...{ type, x: 200, y: 200 },
        data: { items: [], files, dragOperationsMask: 1 },
      })
    await page.getByText('6 files in 4 folders').waitFor()
    await page.getByText('One more file came without a folder.').waitFor()
    await page.getByRole('link', { name: 'See all files' }).click()
    await page.getByRole('row').filter({ hasText: 'plain.txt' }).waitFor()
    await page.getByRole('row').filter({ hasText: 'album/summer/süd/one.png' }).waitFor()
  }))
