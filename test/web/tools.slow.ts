import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { after, before } from '../hooks.ts'
import { scratchFolder } from '../support/scratch-folder.ts'
import { findAxeViolations } from './axe.ts'
import { fixture, openSite, readDownload, type Site, visit } from './browser.ts'

/** Tools and history in a real browser, partly by keyboard only. About 30 s. */

let site: Site
before(async () => {
  site = await openSite()
})
after(() => site.close())

const screenshotFolder = process.env['SHOTS']

/** Checks for axe violations and saves a screenshot if `SHOTS` is set. */
async function checkAppearance(page: Page, name: string): Promise<void> {
  if (screenshotFolder) await page.screenshot({ path: join(screenshotFolder, `${name}.png`), fullPage: true })
  assert.deepEqual(await findAxeViolations(page), [], name)
}

test('a tool is found by search, and two PDFs are merged in the order set by keyboard', () =>
  visit({ site, path: '/tools' }, async (page) => {
    await page.getByRole('heading', { name: 'Tools' }).waitFor()
    await checkAppearance(page, 'tools')
    await page.getByRole('searchbox').fill('combine pdfs')
    await page.getByText('1 tool', { exact: true }).waitFor()
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Merge files' }).waitFor()
    const button = page.getByRole('button', { name: 'Merge files' })
    await page.getByLabel('Choose two or more files').setInputFiles([fixture('report.pdf')])
    assert.ok(await button.isDisabled())
    await page.getByLabel('Choose two or more files').setInputFiles([fixture('three-pages.pdf')])
    await page.getByRole('button', { name: 'Move three-pages.pdf up' }).focus()
    await page.keyboard.press('Enter')
    await page.getByText('What happens to the bookmarks').waitFor()
    await checkAppearance(page, 'merge')
    await button.click()
    const link = page.getByRole('link', { name: /\.pdf$/ })
    const [download] = await Promise.all([page.waitForEvent('download'), link.click()])
    const path = join(scratchFolder('merged'), 'merged.pdf')
    await writeFile(path, await readDownload(download))
    const pages = Number(execFileSync('qpdf', ['--show-npages', path], { encoding: 'utf8' }))
    const pageCount = Number(
      execFileSync('qpdf', ['--show-npages', fixture('report.pdf')], { encoding: 'utf8' }),
    )
    assert.equal(pages, pageCount + 3)
    const readText = (file: string) => execFileSync('pdftotext', ['-l', '1', file, '-'], { encoding: 'utf8' })
    assert.equal(readText(path), readText(fixture('three-pages.pdf')))
    await checkAppearance(page, 'merged')

    await page.getByRole('link', { name: 'Details' }).click()
    await page.getByRole('heading', { name: 'Tasks' }).waitFor()
    await page.getByText('merge', { exact: true }).waitFor()
    await checkAppearance(page, 'job')
    await page.getByRole('link', { name: 'All jobs' }).click()
    await page.getByRole('checkbox').first().check()
    await checkAppearance(page, 'history')
    const [zip] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download as ZIP' }).click(),
    ])
    assert.match(zip.suggestedFilename(), /\.zip$/)
    await page.getByRole('button', { name: 'Delete this job' }).click()
    await page.getByRole('button', { name: 'Delete this job' }).click()
    await page.getByText('report.pdf').waitFor({ state: 'detached' })
  }))

test('on a tool page, an invalid option is shown at its field, and the chosen files are kept', () =>
  visit({ site, path: '/tools/split-pdf?lang=de' }, async (page) => {
    await page.getByRole('heading', { name: 'PDF teilen' }).waitFor()
    // With several files there is no page grid, only the field for page ranges.
    const names = ['three-pages.pdf', 'report.pdf']
    await page.getByLabel('Dateien auswählen').setInputFiles(names.map(fixture))
    const pages = page.locator('[data-option="pages"]')
    await pages.fill('nonsense')
    await page.getByRole('button', { name: 'PDF teilen' }).click()
    // The field is marked, and nothing is uploaded.
    await page.locator('[data-option="pages"][aria-invalid="true"]:focus').waitFor()
    await checkAppearance(page, 'wrong')
    assert.equal(await page.getByText('Wird hochgeladen').count(), 0)
    for (const name of names) assert.equal(await page.getByText(name).count(), 1)
    assert.equal(await pages.inputValue(), 'nonsense')
  }))

test('the tool and history pages in right-to-left layout fit on a phone screen', () =>
  visit(
    { site, path: '/tools?lang=mirrored', context: { viewport: { width: 360, height: 740 } } },
    async (page) => {
      for (const path of ['/tools', '/tools/merge', '/history']) {
        await page.goto(new URL(`${path}?lang=mirrored`, site.url).href)
        await page.getByRole('heading', { level: 1 }).waitFor()
        await checkAppearance(page, `phone${path.replaceAll('/', '-')}`)
        const wide = await page.evaluate(() => document.documentElement.scrollWidth)
        assert.ok(wide <= 360, `${path} is ${wide} px wide`)
      }
    },
  ))
