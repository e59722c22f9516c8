import assert from 'node:assert/strict'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { faultsByAxe } from './axe.ts'
import { misfits, weakContrasts } from './layout-checks.ts'

/** A folder for pictures of what is judged, for people to look at. */
const shots = process.env['SHOTS']

export async function shoot(page: Page, name: string): Promise<void> {
  if (shots) await page.screenshot({ path: join(shots, `${name}.png`), fullPage: true })
}

/** What a page shows now has no fault for axe, is easy to read in light and dark, and fits. */
export async function looksRight(page: Page, name: string): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    await shoot(page, `${name}-${colorScheme}`)
    assert.deepEqual(await faultsByAxe(page), [], `${name}, ${colorScheme}`)
    assert.deepEqual(await page.evaluate(weakContrasts), [], `${name}, ${colorScheme}`)
  }
  assert.deepEqual(await page.evaluate(misfits, 20), [], name)
}
