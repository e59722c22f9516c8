import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { BrowserContextOptions, Page } from 'playwright-core'
import {
  chooseFiles,
  downloadFromCard,
  findFileCard,
  fixture,
  openSite,
  readPayload,
  type Site,
  visit,
} from './browser.ts'
import { findLayoutProblems, findLowContrastTexts } from './layout-checks.ts'

let site: Site

const visitPage = (context: BrowserContextOptions, act: (page: Page) => Promise<void>) =>
  visit({ site, context }, act)

const wide = { width: 1440, height: 900 }

/** Takes the page through its states and calls `check` in each. */
async function forEachState(page: Page, check: (state: string) => Promise<void>): Promise<void> {
  await page.locator('#kinds li').first().waitFor()
  await check('empty')
  const long = 'a rather long file name that has been kept for years without ever being shortened at all'
  const { buffer } = await readPayload(fixture('corners.png'))
  await chooseFiles(
    page,
    { name: `${long}.png`, mimeType: '', buffer },
    await readPayload(fixture('letter.docx')),
  )
  const card = findFileCard(page, `${long}.png`)
  await card.getByText('Options').click()
  await check('ready')
  const formatSearch = card.getByRole('combobox', { name: 'All available formats' })
  await formatSearch.fill('e')
  await check('search')
  await formatSearch.press('Escape')
  // Delayed replies keep the page in states that would otherwise end too soon.
  await page.route('**/v1/convert', () => {}, { times: 1 })
  await card.getByRole('button', { name: /^Convert to/ }).click()
  await card.getByText('Checking the file').waitFor()
  await check('busy')
  await chooseFiles(page, { name: 'broken.png', mimeType: '', buffer: buffer.subarray(0, 60) })
  await findFileCard(page, 'broken.png')
    .getByRole('button', { name: /^Convert to/ })
    .click()
  await findFileCard(page, 'broken.png').getByRole('alert').waitFor()
  await chooseFiles(page, {
    name: `${long}.gif`,
    mimeType: '',
    buffer: (await readPayload(fixture('animated.gif'))).buffer,
  })
  await findFileCard(page, `${long}.gif`)
    .getByRole('button', { name: /^Convert to/ })
    .click()
  await downloadFromCard(page, `${long}.gif`)
  await check('done and refused')
}

/** The tests mostly wait, so three run at a time. */
describe('page appearance and accessibility', { concurrency: 3 }, () => {
  before(async () => {
    site = await openSite()
  })
  after(async () => {
    await site.close()
  })

  test('every state of the page is readable and accessible on a wide screen and on a phone', (t) =>
    // With reduced motion, colors change immediately.
    visitPage({ viewport: wide, reducedMotion: 'reduce' }, async (page) => {
      const devtools = await page.context().newCDPSession(page)
      await forEachState(page, async (state) => {
        for (const colorScheme of ['light', 'dark'] as const)
          await t.test(
            `page state “${state}”: every text has enough contrast in ${colorScheme} mode`,
            async () => {
              await page.emulateMedia({ colorScheme })
              assert.deepEqual(await page.evaluate(findLowContrastTexts), [])
              const pageColor = await page.evaluate(
                () => getComputedStyle(document.documentElement).backgroundColor,
              )
              const brightness = Number(/\d+/.exec(pageColor)?.[0])
              assert.ok(colorScheme === 'dark' ? brightness < 60 : brightness > 200, pageColor)
            },
          )

        await t.test(
          `page state “${state}”: the file list is beside the drop zone, or below it if there are no files`,
          async () => {
            assert.deepEqual(await page.evaluate(findLayoutProblems, 24), [])
            const [dropZone, list] = await Promise.all([
              page.locator('.add').boundingBox(),
              page.locator('.work').boundingBox(),
            ])
            assert.ok(dropZone && list)
            // Without files, the drop zone fills the width above the popular tasks.
            if (state === 'empty') assert.ok(dropZone.width > 1200 && dropZone.y + dropZone.height < list.y)
            else assert.ok(dropZone.x + dropZone.width < list.x)
          },
        )

        await t.test(
          `page state “${state}”: every control has a name and every image an alt attribute`,
          async () => {
            const { nodes } = await devtools.send('Accessibility.getFullAXTree')
            const visibleNodes = nodes.filter(({ ignored }) => !ignored)
            const isFocusable = (node: (typeof nodes)[number]) =>
              node.properties?.some(({ name, value }) => name === 'focusable' && value.value === true)
            const namelessNodes = visibleNodes.filter(
              (node) => isFocusable(node) && node.role?.value !== 'RootWebArea' && !node.name?.value,
            )
            assert.deepEqual(
              namelessNodes.map(({ role }) => role?.value),
              [],
            )
            const roles = visibleNodes.map(({ role }) => role?.value)
            for (const landmark of ['banner', 'main', 'navigation', 'status'])
              assert.ok(roles.includes(landmark), landmark)
            assert.equal(await page.getByRole('heading', { level: 1 }).count(), 1)
            assert.equal(await page.locator('img:not([alt])').count(), 0)
          },
        )

        await t.test(
          `page state “${state}”: on a phone nothing is cut off and every control is large enough`,
          async () => {
            await devtools.send('Emulation.setTouchEmulationEnabled', { enabled: true })
            await page.setViewportSize({ width: 360, height: 740 })
            assert.equal(await page.evaluate(() => matchMedia('(pointer: coarse)').matches), true)
            assert.deepEqual(await page.evaluate(findLayoutProblems, 32), [])
            await page.setViewportSize(wide)
            await devtools.send('Emulation.setTouchEmulationEnabled', { enabled: false })
          },
        )
      })
      const progressBarNames = await page
        .getByRole('progressbar')
        .evaluateAll((all) => all.map((bar) => bar.ariaLabel))
      assert.ok(
        progressBarNames.length > 0 && progressBarNames.every((name) => name),
        'each progress bar has a label',
      )
    }))

  test('the Convert all button is not stretched if the files have no common format', () =>
    visitPage({}, async (page) => {
      await chooseFiles(
        page,
        await readPayload(fixture('corners.png')),
        await readPayload(fixture('cover.mp3')),
      )
      const start = page.getByRole('button', { name: 'Convert all' })
      await start.waitFor()
      assert.equal(await page.getByRole('combobox', { name: /^Format for/ }).count(), 0)
      const width = (await start.boundingBox())?.width ?? 0
      assert.ok(width > 80 && width < 160, `${width} px`)
    }))

  test('reduced motion disables all animations', () =>
    visitPage({ reducedMotion: 'reduce' }, async (page) => {
      const countMovingElements = () =>
        page.evaluate(
          () =>
            [...document.querySelectorAll('*')].filter((element) => {
              const style = getComputedStyle(element)
              return Number.parseFloat(style.transitionDuration) > 0 || style.animationName !== 'none'
            }).length,
        )
      assert.equal(await countMovingElements(), 0)
      await page.emulateMedia({ reducedMotion: 'no-preference' })
      assert.ok((await countMovingElements()) > 0, 'there are animations to disable')
    }))

  test('progress and results are announced to screen readers', () =>
    visitPage({}, async (page) => {
      await page.evaluate(() => {
        const announcements: string[] = []
        const liveRegion = document.querySelector('[aria-live="polite"]')
        if (liveRegion)
          new MutationObserver(() => announcements.push(liveRegion.textContent ?? '')).observe(liveRegion, {
            childList: true,
          })
        Object.assign(window, { announcements })
      })
      await chooseFiles(page, await readPayload(fixture('corners.png')))
      await findFileCard(page, 'corners.png')
        .getByRole('button', { name: /^Convert to/ })
        .click()
      await downloadFromCard(page, 'corners.png')
      // Events within a few seconds are announced together.
      await page.waitForFunction(() =>
        (window as unknown as { announcements: string[] }).announcements.join().includes('ready to download'),
      )
      const announcements = await page.evaluate(() =>
        (window as unknown as { announcements: string[] }).announcements.join('\n'),
      )
      assert.match(announcements, /corners\.png added/)
      assert.match(announcements, /corners\.png: Uploading/)
      assert.match(announcements, /corners\.png converted: corners\.jpg, \d+\sbytes, ready to download/)
    }))

  test('the format list can be searched, navigated and closed by keyboard', () =>
    visitPage({}, async (page) => {
      await chooseFiles(page, await readPayload(fixture('letter.docx')))
      const box = page.getByRole('combobox')
      const getActiveOption = () =>
        box.evaluate(
          (field) => document.getElementById(field.getAttribute('aria-activedescendant') ?? '')?.textContent,
        )
      await box.press('ArrowDown')
      assert.equal(await box.getAttribute('aria-expanded'), 'true')
      const firstActive = await getActiveOption()
      assert.ok(firstActive)
      await box.press('ArrowUp')
      assert.notEqual(await getActiveOption(), firstActive, 'it wraps around to the last')
      await box.press('Home')
      assert.equal(await getActiveOption(), firstActive)
      await box.fill('.ODT')
      assert.match((await getActiveOption()) ?? '', /^ODT/, 'the best match is active')
      await box.fill('qqq')
      await page.getByRole('status').getByText('No format called “qqq” for this file.').waitFor()
      await box.press('Enter')
      assert.equal(
        await page.getByRole('button', { name: 'Cancel' }).count(),
        0,
        'an unknown format starts no conversion',
      )
      await box.press('Escape')
      assert.equal(await box.inputValue(), '')
      assert.equal(await box.getAttribute('aria-expanded'), 'false')
    }))

  test('scripts of the page are compressed and cached forever, and its content security policy allows no other scripts', async () => {
    const page = await fetch(site.url)
    const policy = page.headers.get('content-security-policy') ?? ''
    assert.match(policy, /default-src 'none'; script-src 'self';/)
    assert.match(policy, /form-action 'self'.*require-trusted-types-for 'script'/)
    assert.doesNotMatch(policy, /unsafe|\*/)
    const namedScripts = [...(await page.text()).matchAll(/"(\/web\/[\w-]+\.js)"/g)].map(
      ([, path = '']) => path,
    )
    assert.ok(namedScripts.length >= 2, 'the chunk of the section is preloaded')
    for (const path of namedScripts) {
      const response = await fetch(site.url + path, { headers: { 'accept-encoding': 'br' } })
      assert.equal(response.status, 200, path)
      assert.equal(response.headers.get('content-encoding'), 'br')
      assert.match(response.headers.get('cache-control') ?? '', /immutable/)
    }
  })

  test('without JavaScript the page offers a form that converts', () =>
    visitPage({ javaScriptEnabled: false }, async (page) => {
      assert.equal(await page.locator('#choose, .ways summary').filter({ visible: true }).count(), 0)
      await page.locator('input[name=file]').setInputFiles(fixture('corners.png'))
      await page.locator('input[name=targetFormat]').fill('webp')
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: 'Convert' }).click(),
      ])
      assert.equal(download.suggestedFilename(), 'corners.webp')
    }))

  test('the API reference lists all endpoints and sends no requests to other hosts', () =>
    visit({ site, path: '/docs', context: { colorScheme: 'dark' } }, async (page) => {
      const links = page.locator('.contents a[href*="operation="]')
      await links.first().waitFor()
      // Webhooks and other events have a page of their own.
      const { paths } = (await (await fetch(`${site.url}/v1/openapi.json`)).json()) as {
        paths: Record<string, Record<string, unknown>>
      }
      const operations = Object.values(paths).flatMap((path) =>
        Object.keys(path).filter((key) => ['get', 'post', 'put', 'patch', 'delete'].includes(key)),
      )
      assert.equal(await links.count(), operations.length)
    }))
})
