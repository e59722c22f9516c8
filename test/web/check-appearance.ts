import assert from 'node:assert/strict'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { findAxeViolations } from './axe.ts'
import { findLayoutProblems, findLowContrastTexts } from './layout-checks.ts'

/** Folder for screenshots to look at; none are taken without it. */
const screenshotFolder = process.env['SHOTS']

export async function saveScreenshot(page: Page, name: string): Promise<void> {
  if (screenshotFolder) await page.screenshot({ path: join(screenshotFolder, `${name}.png`), fullPage: true })
}

/** Checks that the current page has no axe violations, is readable in light and dark mode, and fits the window. */
export async function checkAppearance(page: Page, name: string): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    await saveScreenshot(page, `${name}-${colorScheme}`)
    assert.deepEqual(await findAxeViolations(page), [], `${name}, ${colorScheme}`)
    assert.deepEqual(await page.evaluate(findLowContrastTexts), [], `${name}, ${colorScheme}`)
  }
  assert.deepEqual(await page.evaluate(findLayoutProblems, 20), [], name)
}
