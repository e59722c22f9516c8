import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { findAxeViolations } from './axe.ts'
import { chooseFiles, findFileCard, fixture, openSite, readPayload, type Site, visit } from './browser.ts'

/** The comparison of an image with its result. */

let site: Site
before(async () => {
  site = await openSite()
})
after(() => site.close())

test('the line of the before/after preview follows the pointer and the arrow keys, and the preview can be zoomed', () =>
  visit({ site, context: { reducedMotion: 'reduce' } }, async (page) => {
    await chooseFiles(page, await readPayload(fixture('corners.png')))
    const card = findFileCard(page, 'corners.png')
    await card.getByRole('button', { name: /^Convert to/ }).click()
    await card.getByRole('button', { name: /^Preview/ }).click()
    const slider = page.getByRole('slider', { name: 'Before and after' })
    await slider.waitFor()
    const area = page.locator('.compared-area')
    const box = await area.boundingBox()
    assert.ok(box && box.height > 100)
    await page.mouse.move(box.x + box.width / 2, box.y + 50)
    await page.mouse.down()
    await page.mouse.move(box.x + box.width * 0.2, box.y + 50)
    await page.mouse.up()
    assert.equal(await slider.inputValue(), '20')
    await slider.press('ArrowRight')
    assert.match((await page.locator('.compared-line').getAttribute('style')) ?? '', /left: 21%/)
    assert.match((await area.locator('img').last().getAttribute('style')) ?? '', /79%/)
    await page.getByLabel('Zoom').selectOption('200%')
    // The fixture is 40 × 30 pixels.
    assert.deepEqual(await area.evaluate((element) => [element.clientWidth, element.clientHeight]), [80, 60])
    assert.deepEqual(await findAxeViolations(page), [])
  }))
