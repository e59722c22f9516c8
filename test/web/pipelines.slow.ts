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
import { scratchFolder } from '../support/scratch-folder.ts'
import { openSite, type Site, visit } from './browser.ts'
import { checkAppearance } from './check-appearance.ts'

/** Pipelines built in a real browser, tried, and run with the command that the page shows. About 30 s. */

const run = promisify(execFile)
const folder = scratchFolder('mutabor-pipeline')

let site: Site
before(async () => {
  site = await openSite({ OUTGOING_ALLOW: '127.0.0.0/8' })
})
after(() => site.close())

const noMotion = { viewport: { width: 1280, height: 900 }, reducedMotion: 'reduce' } as const
const phone = { ...noMotion, viewport: { width: 375, height: 740 }, locale: 'de-DE' } as const

const openPipelines = (act: (page: Page) => Promise<void>, context: object = noMotion) =>
  visit({ site, path: '/pipelines', context }, act)

/** Adds two steps: convert Markdown to PDF, and rotate its pages. */
async function addTwoSteps(page: Page): Promise<void> {
  await page.getByLabel('File format').selectOption('md')
  await page.getByLabel('Add a step after MD').selectOption('to:pdf')
  await page.getByText('MD → PDF').waitFor()
  await page.getByLabel('Add a step after PDF').selectOption('tool:rotate-pdf')
  await page.getByText('PDF → PDF').waitFor()
}

const readRotation = async (path: string) =>
  Number(/Page rot:\s+(\d+)/.exec((await run('pdfinfo', [path])).stdout)?.[1])

test('pipeline steps are checked while they are edited, tried on a file, and run as the command shown', () =>
  openPipelines(async (page) => {
    const notesPath = join(folder, 'sample.md')
    await writeFile(notesPath, '# Hello')
    await page.getByText('Choose the file format first.').waitFor()
    await checkAppearance(page, 'pipelines-empty')
    await addTwoSteps(page)
    const secondStep = page.getByRole('listitem', { name: '2. Rotate pages' })
    await secondStep.getByText('Options').click()
    await secondStep.getByLabel('Rotate', { exact: true }).selectOption('90° clockwise')
    await page.getByText('"rotate"').first().waitFor()
    await checkAppearance(page, 'pipelines-ready')

    await page.getByLabel('Choose a test file (MD)').setInputFiles(notesPath)
    await page.getByRole('button', { name: 'Run once' }).click()
    const link = page.getByRole('link', { name: /\.pdf$/ })
    const [download] = await Promise.all([page.waitForEvent('download'), link.click()])
    assert.equal(await readRotation(await download.path()), 90)

    const command = await page.getByRole('region', { name: 'As a command' }).textContent()
    const runnableCommand = (command ?? '').replace(/^ {2}-H "Authorization[^"]*" /m, '  ')
    const { stdout } = await run('bash', ['-c', runnableCommand], { cwd: folder })
    const { data } = JSON.parse(stdout)
    assert.deepEqual([data.status, Object.keys(data.tasks).length], ['completed', 4])
  }))

test('a pipeline step that cannot work shows the reason, and the step after it waits to be checked', () =>
  openPipelines(async (page) => {
    await addTwoSteps(page)
    const up = page.getByRole('button', { name: 'Up Rotate pages' })
    await up.focus()
    await page.keyboard.press('Enter')
    const firstStep = page.getByRole('listitem', { name: '1. Rotate pages' })
    await firstStep.locator('.problem').waitFor()
    const secondStep = page.getByRole('listitem', { name: '2. Convert to PDF' })
    await secondStep.getByText('Checked once the previous step works.').waitFor()
    assert.equal(await page.getByRole('button', { name: 'Run once' }).count(), 0)
    await checkAppearance(page, 'pipelines-wrong')
    await page.getByRole('button', { name: 'Remove Rotate pages' }).click()
    await page.getByText('MD → PDF').waitFor()
    const onlyStep = page.getByRole('listitem', { name: '1. Convert to PDF' })
    await onlyStep.getByText('Options').click()
    await onlyStep.getByText('Advanced', { exact: true }).click()
    await onlyStep.getByLabel('Top margin').fill('a lot')
    await onlyStep.getByText('Please check the options.').waitFor()
    assert.equal(await onlyStep.getByLabel('Top margin').getAttribute('aria-invalid'), 'true')
    await page.reload()
    await page.getByText('Please check the options.').waitFor()
  }))

test('a pipeline with a URL can be saved as a workflow', async () => {
  const server = createServer((_, answer) => answer.end('# Hello')).listen(0, '127.0.0.1')
  try {
    await openPipelines(async (page) => {
      await addTwoSteps(page)
      await page.getByText('Enter a file URL to save').waitFor()
      const { port } = server.address() as AddressInfo
      await page.getByLabel('File URL').fill(`http://127.0.0.1:${port}/report.md`)
      await page.getByRole('button', { name: 'Run once' }).click()
      await page.getByRole('link', { name: /\.pdf$/ }).waitFor()
      await page.getByLabel('Name', { exact: true }).fill('Every night')
      await page.getByRole('button', { name: 'Save as workflow' }).click()
      await page.getByRole('heading', { name: 'Every night' }).waitFor()
      await page.getByText('"operation": "rotate-pdf"').waitFor()
    })
  } finally {
    server.close()
  }
})

test('the pipeline page in German fits on a phone screen', () =>
  openPipelines(async (page) => {
    await page.getByLabel('Dateiformat').selectOption('pdf')
    await page.getByLabel('Schritt nach PDF hinzufügen').selectOption('tool:rotate-pdf')
    await page.getByText('PDF → PDF').waitFor()
    await page.getByLabel('Schritt nach PDF hinzufügen').selectOption('tool:thumbnail')
    await page.getByText('PDF → PNG').waitFor()
    await page.getByText('Optionen').first().click()
    await page.getByText('Drehen', { exact: true }).first().waitFor()
    await checkAppearance(page, 'pipelines-phone')
  }, phone))
