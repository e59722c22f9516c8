import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { after, before } from '../hooks.ts'
import { faultsByAxe } from './axe.ts'
import { cardOf, choose, fixture, openSite, payload, type Site, visit } from './browser.ts'
import { looksRight, shoot } from './check-appearance.ts'
import { tabTo } from './keyboard.ts'
import { misfits } from './layout-checks.ts'

/** The page at 200 %, in colors of the system, and from right to left. A minute. */

let site: Site
before(async () => {
  site = await openSite()
})
after(() => site.close())

const still = { viewport: { width: 1280, height: 900 }, reducedMotion: 'reduce' } as const
/** What a window of 1280 × 900 shows at 200 %. */
const zoomed = { ...still, viewport: { width: 640, height: 450 }, deviceScaleFactor: 2 } as const
const at = (path: string, context: BrowserContextOptions, act: (page: Page) => Promise<void>) =>
  visit({ site, path, context }, act)

const sections = [
  ...['/', '/batch', '/tools', '/tools/merge', '/pipelines', '/history', '/formats/docx'],
  ...['/webhooks', '/workflows', '/usage', '/status', '/account', '/docs'],
]

const isLoaded = (page: Page) =>
  page.waitForFunction(() => {
    const text = document.querySelector('main')?.textContent ?? ''
    return document.querySelector('main h1') !== null && !/Loading/.test(text)
  })

async function withFiles(page: Page): Promise<void> {
  await choose(page, await payload(fixture('corners.png')), await payload(fixture('film.mp4')))
  const card = cardOf(page, 'film.mp4')
  await card.getByRole('radio', { name: 'GIF' }).check()
  await card.getByText('Options', { exact: true }).click()
  await card.getByLabel('Start', { exact: true }).waitFor()
}

/** Ways on that lie on one another. */
const overlaps = () => {
  const all = [...document.querySelectorAll('header a, header summary')].filter((one) =>
    one.checkVisibility(),
  )
  const meet = (a: DOMRect, b: DOMRect) =>
    a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom
  return all.flatMap((one, at) =>
    all
      .slice(at + 1)
      .filter((other) => meet(one.getBoundingClientRect(), other.getBoundingClientRect()))
      .map((other) => `${one.textContent} and ${other.textContent}`),
  )
}

describe('at 200 %', () => {
  for (const path of sections)
    test(`${path} fits`, () =>
      at(path, zoomed, async (page) => {
        await isLoaded(page)
        assert.deepEqual(await page.evaluate(overlaps), [])
        await looksRight(page, `zoomed${path.replaceAll('/', '-')}`)
      }))

  test('files and their options fit', () =>
    at('/', zoomed, async (page) => {
      await withFiles(page)
      await looksRight(page, 'zoomed-files')
    }))
})

test('in colors of the system what is chosen, focused and pressed is told apart', () =>
  at('/', { ...still, forcedColors: 'active' }, async (page) => {
    assert.equal(await page.evaluate(() => matchMedia('(forced-colors: active)').matches), true)
    await withFiles(page)
    const card = cardOf(page, 'film.mp4')
    const drawn = (name: string) =>
      card.locator('.chip', { hasText: name }).evaluate((chip) => {
        const { borderColor, borderWidth, outlineStyle, backgroundColor } = getComputedStyle(
          chip.querySelector('span') ?? chip,
        )
        return { edge: `${borderWidth} ${borderColor}`, outlineStyle, backgroundColor }
      })
    const [chosen, other] = [await drawn('GIF'), await drawn('WEBM')]
    assert.notDeepEqual(
      [chosen.edge, chosen.backgroundColor],
      [other.edge, other.backgroundColor],
      'not by the weight of letters alone',
    )
    const gif = card.getByRole('radio', { name: 'GIF' })
    await tabTo(page, gif)
    assert.equal((await drawn('GIF')).outlineStyle, 'solid')
    for (const button of await page.locator('.button.primary').all()) {
      const width = await button.evaluate((one) => Number.parseFloat(getComputedStyle(one).borderTopWidth))
      assert.ok(width >= 1, `${await button.textContent()} has an edge`)
    }
    assert.deepEqual(await faultsByAxe(page), [])
    await shoot(page, 'forced-files')
  }))

/** Texts that were in no catalogue: letters beside the brackets of the mirrored one, outside of names and of code. */
const unbracketed = () => {
  const found: string[] = []
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const near = node.parentElement
    if (!near?.checkVisibility() || near.closest('bdi, code, pre, option, script, style, .logo, header'))
      continue
    const block = near.closest('p, h1, h2, h3, li, label, button, a, legend, summary, dt, dd, th, td') ?? near
    const text = node.textContent?.trim() ?? ''
    if (/\p{L}{3}/u.test(text) && !/[⟦⟧]/.test(block.textContent ?? '')) found.push(text)
  }
  return found
}

describe('from right to left, every text from a catalogue', () => {
  for (const path of ['/batch', '/pipelines'])
    test(path, () =>
      at(`${path}?lang=mirrored`, still, async (page) => {
        await isLoaded(page)
        assert.equal(await page.evaluate(() => document.documentElement.dir), 'rtl')
        if (path === '/pipelines') {
          await page.locator('main select').first().selectOption('md')
          await page.locator('main select').nth(1).selectOption('to:pdf')
          await page.locator('main details').first().waitFor()
        }
        assert.deepEqual(await page.evaluate(unbracketed), [])
        const code = await page
          .locator('pre')
          .evaluateAll((all) => all.map((one) => getComputedStyle(one).direction))
        assert.ok(
          code.every((direction) => direction === 'ltr') && code.length >= (path === '/pipelines' ? 1 : 0),
        )
        await looksRight(page, `mirrored${path.replace('/', '-')}`)
        await page.setViewportSize({ width: 375, height: 740 })
        assert.deepEqual(await page.evaluate(misfits, 20), [])
        await shoot(page, `mirrored-phone${path.replace('/', '-')}`)
      }),
    )
})
