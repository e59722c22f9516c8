import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { after, before } from '../hooks.ts'
import { findAxeViolations } from './axe.ts'
import { chooseFiles, findFileCard, fixture, openSite, readPayload, type Site, visit } from './browser.ts'
import { checkAppearance, saveScreenshot } from './check-appearance.ts'
import { tabTo } from './keyboard.ts'
import { findLayoutProblems } from './layout-checks.ts'

/** The page at 200 % zoom, with forced colors, and from right to left. About 60 s. */

let site: Site
before(async () => {
  site = await openSite()
})
after(() => site.close())

const noMotion = { viewport: { width: 1280, height: 900 }, reducedMotion: 'reduce' } as const
/** The viewport of a 1280 × 900 window at 200 % zoom. */
const zoomedContext = { ...noMotion, viewport: { width: 640, height: 450 }, deviceScaleFactor: 2 } as const
const visitAt = (path: string, context: BrowserContextOptions, act: (page: Page) => Promise<void>) =>
  visit({ site, path, context }, act)

const sections = [
  ...['/', '/batch', '/tools', '/tools/merge', '/pipelines', '/history', '/formats/docx'],
  ...['/webhooks', '/workflows', '/usage', '/status', '/account', '/docs'],
]

const waitUntilLoaded = (page: Page) =>
  page.waitForFunction(() => {
    const text = document.querySelector('main')?.textContent ?? ''
    return document.querySelector('main h1') !== null && !/Loading/.test(text)
  })

async function addFiles(page: Page): Promise<void> {
  await chooseFiles(page, await readPayload(fixture('corners.png')), await readPayload(fixture('video.mp4')))
  const card = findFileCard(page, 'video.mp4')
  await card.getByRole('radio', { name: 'GIF' }).check()
  await card.getByText('Options', { exact: true }).click()
  await card.getByLabel('Start', { exact: true }).waitFor()
}

/** Returns header links that overlap each other. */
const findOverlappingLinks = () => {
  const elements = [...document.querySelectorAll('header a, header summary')].filter((element) =>
    element.checkVisibility(),
  )
  const doOverlap = (a: DOMRect, b: DOMRect) =>
    a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom
  return elements.flatMap((element, visitAt) =>
    elements
      .slice(visitAt + 1)
      .filter((other) => doOverlap(element.getBoundingClientRect(), other.getBoundingClientRect()))
      .map((other) => `${element.textContent} and ${other.textContent}`),
  )
}

describe('pages at 200 % zoom', () => {
  for (const path of sections)
    test(`${path} fits the window at 200 % zoom`, () =>
      visitAt(path, zoomedContext, async (page) => {
        await waitUntilLoaded(page)
        assert.deepEqual(await page.evaluate(findOverlappingLinks), [])
        await checkAppearance(page, `zoomed${path.replaceAll('/', '-')}`)
      }))

  test('files and their options fit the window at 200 % zoom', () =>
    visitAt('/', zoomedContext, async (page) => {
      await addFiles(page)
      await checkAppearance(page, 'zoomed-files')
    }))
})

test('with forced colors, selected, focused and primary controls are distinguishable', () =>
  visitAt('/', { ...noMotion, forcedColors: 'active' }, async (page) => {
    assert.equal(await page.evaluate(() => matchMedia('(forced-colors: active)').matches), true)
    await addFiles(page)
    const card = findFileCard(page, 'video.mp4')
    const getStyle = (name: string) =>
      card.locator('.chip', { hasText: name }).evaluate((chip) => {
        const { borderColor, borderWidth, outlineStyle, backgroundColor } = getComputedStyle(
          chip.querySelector('span') ?? chip,
        )
        return { edge: `${borderWidth} ${borderColor}`, outlineStyle, backgroundColor }
      })
    const [chosenStyle, otherStyle] = [await getStyle('GIF'), await getStyle('WEBM')]
    assert.notDeepEqual(
      [chosenStyle.edge, chosenStyle.backgroundColor],
      [otherStyle.edge, otherStyle.backgroundColor],
      'not by font weight alone',
    )
    const gif = card.getByRole('radio', { name: 'GIF' })
    await tabTo(page, gif)
    assert.equal((await getStyle('GIF')).outlineStyle, 'solid')
    for (const button of await page.locator('.button.primary').all()) {
      const width = await button.evaluate((element) =>
        Number.parseFloat(getComputedStyle(element).borderTopWidth),
      )
      assert.ok(width >= 1, `${await button.textContent()} has a border`)
    }
    assert.deepEqual(await findAxeViolations(page), [])
    await saveScreenshot(page, 'forced-files')
  }))

/** Returns texts without the brackets that the pseudo-locale puts around texts of a catalog; ignores names and code. */
const findTextsOutsideCatalogs = () => {
  const foundProblems: string[] = []
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const parent = node.parentElement
    if (!parent?.checkVisibility() || parent.closest('bdi, code, pre, option, script, style, .logo, header'))
      continue
    const block =
      parent.closest('p, h1, h2, h3, li, label, button, a, legend, summary, dt, dd, th, td') ?? parent
    const text = node.textContent?.trim() ?? ''
    if (/\p{L}{3}/u.test(text) && !/[⟦⟧]/.test(block.textContent ?? '')) foundProblems.push(text)
  }
  return foundProblems
}

describe('in a right-to-left language, every text comes from a catalog', () => {
  for (const path of ['/batch', '/pipelines'])
    test(`every text on ${path} comes from a catalog in a right-to-left language`, () =>
      visitAt(`${path}?lang=mirrored`, noMotion, async (page) => {
        await waitUntilLoaded(page)
        assert.equal(await page.evaluate(() => document.documentElement.dir), 'rtl')
        if (path === '/pipelines') {
          await page.locator('main select').first().selectOption('md')
          await page.locator('main select').nth(1).selectOption('to:pdf')
          await page.locator('main details').first().waitFor()
        }
        assert.deepEqual(await page.evaluate(findTextsOutsideCatalogs), [])
        const code = await page
          .locator('pre')
          .evaluateAll((elements) => elements.map((element) => getComputedStyle(element).direction))
        assert.ok(
          code.every((direction) => direction === 'ltr') && code.length >= (path === '/pipelines' ? 1 : 0),
        )
        await checkAppearance(page, `mirrored${path.replace('/', '-')}`)
        await page.setViewportSize({ width: 375, height: 740 })
        assert.deepEqual(await page.evaluate(findLayoutProblems, 20), [])
        await saveScreenshot(page, `mirrored-phone${path.replace('/', '-')}`)
      }))
})
