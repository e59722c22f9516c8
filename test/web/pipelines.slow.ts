import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import type { Page } from 'playwright-core'
import { after, before } from '../hooks.ts'
import { scratchFolder } from '../scratch-folder.ts'
import { openSite, type Site, visit } from './browser.ts'
import { looksRight } from './check-appearance.ts'

/** Pipelines put together in a real browser, tried, and run as the command that the page gives. Half a minute. */

const run = promisify(execFile)
const folder = scratchFolder('mutabor-pipeline')

let site: Site
before(async () => {
  site = await openSite({ OUTGOING_ALLOW: '127.0.0.0/8' })
})
after(() => site.close())

const still = { viewport: { width: 1280, height: 900 }, reducedMotion: 'reduce' } as const
const phone = { ...still, viewport: { width: 375, height: 740 }, locale: 'de-DE' } as const

const open = (act: (page: Page) => Promise<void>, context: object = still) =>
  visit({ site, path: '/pipelines', context }, act)

/** Markdown to PDF, its pages turned. */
async function twoSteps(page: Page): Promise<void> {
  await page.getByLabel('Format of the file').selectOption('md')
  await page.getByLabel('Add a step after MD').selectOption('to:pdf')
  await page.getByText('MD becomes PDF by').waitFor()
  await page.getByLabel('Add a step after PDF').selectOption('tool:rotate-pdf')
  await page.getByText('PDF becomes PDF by').waitFor()
}

const rotationOf = async (path: string) =>
  Number(/Page rot:\s+(\d+)/.exec((await run('pdfinfo', [path])).stdout)?.[1])

test('steps are checked while they are put together, tried on a file, and run as the command that is shown', () =>
  open(async (page) => {
    const notes = join(folder, 'sample.md')
    await writeFile(notes, '# Hello')
    await page.getByText('Choose the format of the file first.').waitFor()
    await looksRight(page, 'pipelines-empty')
    await twoSteps(page)
    const second = page.getByRole('listitem', { name: '2. Rotate pages' })
    await second.getByText('Options').click()
    await second.getByLabel('Turn', { exact: true }).selectOption('90° clockwise')
    await page.getByText('"rotate"').first().waitFor()
    await looksRight(page, 'pipelines-ready')

    await page.getByLabel('A file to try it with (MD)').setInputFiles(notes)
    await page.getByRole('button', { name: 'Run it once' }).click()
    const link = page.getByRole('link', { name: /\.pdf$/ })
    const [download] = await Promise.all([page.waitForEvent('download'), link.click()])
    assert.equal(await rotationOf(await download.path()), 90)

    const command = await page.getByRole('region', { name: 'As a command' }).textContent()
    const asked = (command ?? '').replace(/^ {2}-H "Authorization[^"]*" /m, '  ')
    const { stdout } = await run('bash', ['-c', asked], { cwd: folder })
    const { data } = JSON.parse(stdout)
    assert.deepEqual([data.status, Object.keys(data.tasks).length], ['completed', 4])
  }))

test('a step that cannot work says why, those after it wait, and keys put them in order', () =>
  open(async (page) => {
    await twoSteps(page)
    const up = page.getByRole('button', { name: 'Up Rotate pages' })
    await up.focus()
    await page.keyboard.press('Enter')
    const first = page.getByRole('listitem', { name: '1. Rotate pages' })
    await first.locator('.problem').waitFor()
    const second = page.getByRole('listitem', { name: '2. Convert to PDF' })
    await second.getByText('It is checked when the step before it works.').waitFor()
    assert.equal(await page.getByRole('button', { name: 'Run it once' }).count(), 0)
    await looksRight(page, 'pipelines-wrong')
    await page.getByRole('button', { name: 'Remove Rotate pages' }).click()
    await page.getByText('MD becomes PDF by').waitFor()
    const only = page.getByRole('listitem', { name: '1. Convert to PDF' })
    await only.getByText('Options').click()
    await only.getByText('More', { exact: true }).click()
    await only.getByLabel('Top margin').fill('a lot')
    await only.getByText('An option is not as expected.').waitFor()
    assert.equal(await only.getByLabel('Top margin').getAttribute('aria-invalid'), 'true')
    await page.reload()
    await page.getByText('An option is not as expected.').waitFor()
  }))

test('with an address it is kept as a workflow', async () => {
  const server = createServer((_, answer) => answer.end('# Hello')).listen(0, '127.0.0.1')
  try {
    await open(async (page) => {
      await twoSteps(page)
      await page.getByText('With an address of the file it can be kept').waitFor()
      const { port } = server.address() as AddressInfo
      await page.getByLabel('Address of the file').fill(`http://127.0.0.1:${port}/report.md`)
      await page.getByRole('button', { name: 'Run it once' }).click()
      await page.getByRole('link', { name: /\.pdf$/ }).waitFor()
      await page.getByLabel('Name', { exact: true }).fill('Every night')
      await page.getByRole('button', { name: 'Keep as a workflow' }).click()
      await page.getByRole('heading', { name: 'Every night' }).waitFor()
      await page.getByText('"operation": "rotate-pdf"').waitFor()
    })
  } finally {
    server.close()
  }
})

test('on a phone in German it fits', () =>
  open(async (page) => {
    await page.getByLabel('Format der Datei').selectOption('pdf')
    await page.getByLabel('Schritt nach PDF hinzufügen').selectOption('tool:rotate-pdf')
    await page.getByText('Aus PDF wird PDF').waitFor()
    await page.getByLabel('Schritt nach PDF hinzufügen').selectOption('tool:thumbnail')
    await page.getByText('Aus PDF wird PNG').waitFor()
    await page.getByText('Optionen').first().click()
    await page.getByText('Drehen', { exact: true }).first().waitFor()
    await looksRight(page, 'pipelines-phone')
  }, phone))
