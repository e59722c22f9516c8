import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { after, before, describe, test } from 'node:test'
import { findAxeViolations } from './axe.ts'
import { chooseFiles, fixture, openSite, readPayload, type Site, visit } from './browser.ts'

/** Several images become one PDF. */

let site: Site
before(async () => {
  site = await openSite()
})
after(() => site.close())

const run = (program: string, ...args: readonly string[]) => execFileSync(program, [...args]).toString()

describe('combining images into one PDF', () => {
  test('combining images into a PDF uses the chosen page size and order', () =>
    visit({ site }, async (page) => {
      // The only JPEG is the second file, but the first by name.
      await chooseFiles(
        page,
        await readPayload(fixture('corners.png'), 'page 10.png'),
        await readPayload(fixture('corners.jpg'), 'page 2.jpg'),
      )
      await page
        .getByRole('group', { name: 'Convert all 2 images to' })
        .getByRole('button', { name: 'PDF' })
        .click()
      await page.getByText('Page size, margins and order').click()
      const bar = page.locator('.combine')
      await bar.getByLabel('Page size').selectOption('A5')
      await bar.getByLabel('Order of the pages').selectOption('By name')
      assert.deepEqual(await findAxeViolations(page), [])
      await bar.getByLabel('Distance from the edge').fill('10mm')
      await bar.getByRole('button', { name: 'Combine 2 images into one PDF' }).press('Enter')
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('link', { name: 'Download images.pdf' }).click(),
      ])
      const path = await download.path()
      assert.match(run('pdfinfo', path), /Pages: +2\n.*Page size: +595\.\d+ x 419\.\d+ pts/s)
      const images = run('pdfimages', '-list', path).split('\n').slice(2)
      assert.match(images[0] ?? '', / jpeg /, 'page 2 comes before page 10')
      assert.doesNotMatch(images[1] ?? '', / jpeg /)
    }))

  test('the button Combine is shown only while all images have a format that can be combined', () =>
    visit({ site }, async (page) => {
      const combineButton = page.getByRole('button', { name: /^Combine / })
      await chooseFiles(
        page,
        await readPayload(fixture('corners.png')),
        await readPayload(fixture('corners.jpg')),
      )
      await page
        .getByRole('group', { name: 'Convert all 2 images to' })
        .getByRole('button', { name: 'PDF' })
        .click()
      await combineButton.waitFor()
      await chooseFiles(page, await readPayload(fixture('corners.svg')))
      const answer = page.waitForResponse((response) => response.url().includes('from=svg&operation=merge'))
      await page
        .getByRole('group', { name: 'Convert all 3 images to' })
        .getByRole('button', { name: 'PDF' })
        .click()
      await answer
      await combineButton.waitFor({ state: 'detached' })
      await page.getByRole('button', { name: 'Remove corners.svg' }).press('Enter')
      await combineButton.waitFor()
    }))
})
