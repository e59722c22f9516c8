import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { groupIds, groups, type ToolId } from '../../functions/web/sections/tools/tools.ts'
import { after, before } from '../hooks.ts'
import { findAxeViolations } from './axe.ts'
import { fixture, openSite, type Site, visit } from './browser.ts'
import { press, tabTo } from './keyboard.ts'

/** Every tool used by keyboard only, from its URL to its result, without axe violations. About 60 s. */

let site: Site

interface Scenario {
  readonly files: readonly string[]
  /** Keys to press in the page grid. */
  readonly pages?: readonly string[]
  /** Texts to type, by option. */
  readonly typed?: Readonly<Record<string, string>>
}

const pdf = ['three-pages.pdf']

const scenarios: Readonly<Record<ToolId, Scenario>> = {
  'organize-pdf': { files: pdf, pages: ['r', 'ArrowRight', 'Delete'] },
  'split-pdf': { files: pdf, pages: ['s'] },
  'extract-pdf-pages': { files: pdf, pages: ['Space', 'End', 'Space'] },
  'remove-pdf-pages': { files: pdf, pages: ['Delete'] },
  'reorder-pdf-pages': { files: pdf, pages: ['Alt+ArrowRight'] },
  'rotate-pdf': { files: pdf, pages: ['r'] },
  'crop-pdf': { files: pdf, pages: ['Space'], typed: { marginTop: '10mm' } },
  'ocr-pdf': { files: pdf },
  'add-watermark-pdf': { files: pdf, pages: ['End', 'Space'], typed: { watermarkText: 'Draft' } },
  'add-page-numbers-pdf': { files: pdf },
  'edit-pdf-metadata': { files: pdf, typed: { title: 'Pages' } },
  'extract-pdf-images': { files: ['report.pdf'] },
  'pdf-info': { files: pdf },
  'encrypt-pdf': { files: pdf, typed: { password: 'secret' } },
  'decrypt-pdf': { files: ['owner-password.pdf'] },
  'redact-pdf': { files: pdf, typed: { terms: 'alpha' } },
  'sanitize-pdf': { files: pdf },
  'flatten-pdf': { files: pdf },
  'compress-pdf': { files: ['report.pdf'] },
  'grayscale-pdf': { files: ['report.pdf'] },
  'remove-blank-pages-pdf': { files: pdf },
  'linearize-pdf': { files: pdf },
  'repair-pdf': { files: pdf },
  'to-pdfa': { files: pdf },
  merge: { files: ['tone.mp3', 'tone.wav'] },
  compress: { files: ['corners.jpg'] },
  thumbnail: { files: ['corners.png'] },
  watermark: { files: ['corners.png'], typed: { watermarkText: 'Draft' } },
  metadata: { files: ['corners.jpg'] },
  archive: { files: ['plain.txt', 'table.csv'] },
  extract: { files: ['two-files.tar.lz4'] },
}

async function chooseByKeys(page: Page, files: readonly string[]): Promise<void> {
  await tabTo(page, page.locator('main input[type="file"]'))
  const [dialog] = await Promise.all([page.waitForEvent('filechooser'), page.keyboard.press('Enter')])
  await dialog.setFiles(files.map(fixture))
}

const field = (page: Page, option: string): Locator => page.locator(`[data-option="${option}"]`)

async function runTool(page: Page, tool: ToolId): Promise<void> {
  const { files, pages, typed = {} } = scenarios[tool]
  await page.goto(new URL(`/tools/${tool}`, site.url).href)
  await page.getByRole('heading', { level: 1 }).waitFor()
  await chooseByKeys(page, files)
  if (pages) {
    await page.locator('[role="option"]').first().waitFor()
    await tabTo(page, page.locator('[role="option"]').first())
    await press(page, ...pages)
  }
  for (const [option, text] of Object.entries(typed)) {
    await field(page, option).waitFor({ state: 'attached' })
    if (!(await field(page, option).isVisible())) {
      await tabTo(page, page.locator('main summary'))
      await press(page, 'Enter')
    }
    await tabTo(page, field(page, option))
    await page.keyboard.type(text)
  }
  const button = page.locator('main button[type="submit"]:enabled')
  await button.waitFor()
  assert.deepEqual(await findAxeViolations(page), [], `${tool}, before`)
  await tabTo(page, button)
  await press(page, 'Enter')
  const end = page.locator('.tool-result a, main [role="alert"]').first()
  await end.waitFor()
  assert.equal(await page.getByRole('alert').allTextContents().then(String), '', tool)
  await tabTo(page, page.locator('.tool-result a').first())
  assert.deepEqual(await findAxeViolations(page), [], `${tool}, after`)
}

describe('tools by keyboard only', { concurrency: 2 }, () => {
  before(async () => {
    site = await openSite()
  })
  after(() => site.close())

  for (const group of groupIds)
    test(`the tools of the group ${group} can be used by keyboard only`, async (t) =>
      visit({ site, path: '/tools' }, async (page) => {
        // Engines take long to start for the first time on a busy machine.
        page.setDefaultTimeout(150_000)
        for (const tool of groups[group])
          await t.test(`the tool ${tool} can be used by keyboard only`, () => runTool(page, tool))
      }))
})
