import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { after, before, test } from 'node:test'
import { findAxeViolations } from './axe.ts'
import { chooseFiles, fixture, openSite, readPayload, type Site, visit } from './browser.ts'

/** Names of results that are downloaded together. */

let site: Site
before(async () => {
  site = await openSite()
})
after(() => site.close())

test('the files in a ZIP of results are named after the pattern that the user typed', () =>
  visit({ site }, async (page) => {
    await chooseFiles(
      page,
      await readPayload(fixture('corners.png'), 'sea.png'),
      await readPayload(fixture('corners.png'), 'hill.png'),
    )
    await page.getByRole('button', { name: 'Convert all' }).click()
    await page.getByRole('button', { name: 'Download all 2 as ZIP' }).waitFor()
    await page.getByRole('button', { name: 'Rename files' }).press('Enter')
    const pattern = page.getByLabel('File names in the ZIP')
    assert.equal(await pattern.inputValue(), '{name}-{n}.{ext}')
    await pattern.fill('walk {n} {name}')
    const hint = (await page.locator('.rename bdi').textContent()) ?? ''
    assert.deepEqual(await findAxeViolations(page), [])
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download all 2 as ZIP' }).click(),
    ])
    const names = execFileSync('unzip', ['-Z1', await download.path()], { encoding: 'utf8' })
      .trim()
      .split('\n')
    assert.deepEqual(
      names.filter((name) => name !== 'manifest.json'),
      hint.split(', '),
    )
    assert.equal(hint, 'walk 1 sea.jpg, walk 2 hill.jpg')
  }))
