import assert from 'node:assert/strict'
import type { Locator, Page } from 'playwright-core'

/** Presses Tab until the focus is there, as somebody without a mouse does. */
export async function tabTo(page: Page, to: Locator): Promise<void> {
  await to.waitFor()
  const isThere = () => to.evaluate((element) => element === document.activeElement)
  for (let presses = 0; !(await isThere()); presses++) {
    assert.ok(presses < 60, `no Tab leads to ${to}`)
    await page.keyboard.press('Tab')
  }
}

export async function press(page: Page, ...keys: readonly string[]): Promise<void> {
  for (const key of keys) await page.keyboard.press(key)
}
