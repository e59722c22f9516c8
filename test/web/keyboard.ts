import assert from 'node:assert/strict'
import type { Locator, Page } from 'playwright-core'

/** Presses Tab until the element has the focus, as a keyboard user does. */
export async function tabTo(page: Page, to: Locator): Promise<void> {
  await to.waitFor()
  const hasFocus = () => to.evaluate((element) => element === document.activeElement)
  for (let presses = 0; !(await hasFocus()); presses++) {
    assert.ok(presses < 60, `Tab does not reach ${to}`)
    await page.keyboard.press('Tab')
  }
}

export async function press(page: Page, ...keys: readonly string[]): Promise<void> {
  for (const key of keys) await page.keyboard.press(key)
}
