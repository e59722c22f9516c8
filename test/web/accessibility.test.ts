import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { cardOf, choose, downloadFrom, fixture, openSite, payload, type Site, visit } from './browser.ts'
import { misfits, weakContrasts } from './layout-checks.ts'

let site: Site

const visitPage = (context: BrowserContextOptions, act: (page: Page) => Promise<void>) =>
  visit({ site, context }, act)

const wide = { width: 1440, height: 900 }

/** Brings the page through its states and looks at it in each of them. */
async function throughStates(page: Page, look: (state: string) => Promise<void>): Promise<void> {
  await page.locator('#kinds li').first().waitFor()
  await look('empty')
  const long = 'a rather long name of a file that somebody kept for years without ever renaming it'
  const { buffer } = await payload(fixture('corners.png'))
  await choose(page, { name: `${long}.png`, mimeType: '', buffer }, await payload(fixture('letter.docx')))
  const card = cardOf(page, `${long}.png`)
  await card.getByText('Options').click()
  await look('ready')
  const search = card.getByRole('combobox', { name: 'All formats that it can become' })
  await search.fill('e')
  await look('search')
  await search.press('Escape')
  // Answers held back keep the page in states that would else be over too soon.
  await page.route('**/v1/convert', () => {}, { times: 1 })
  await card.getByRole('button', { name: /^Convert to/ }).click()
  await card.getByText('Checking the file').waitFor()
  await look('busy')
  await choose(page, { name: 'broken.png', mimeType: '', buffer: buffer.subarray(0, 60) })
  await cardOf(page, 'broken.png')
    .getByRole('button', { name: /^Convert to/ })
    .click()
  await cardOf(page, 'broken.png').getByRole('alert').waitFor()
  await choose(page, {
    name: `${long}.gif`,
    mimeType: '',
    buffer: (await payload(fixture('animated.gif'))).buffer,
  })
  await cardOf(page, `${long}.gif`)
    .getByRole('button', { name: /^Convert to/ })
    .click()
  await downloadFrom(page, `${long}.gif`)
  await look('done and refused')
}

/** Most of the time a test waits, so three of them share the machine. */
describe('how the page looks and sounds', { concurrency: 3 }, () => {
  before(async () => {
    site = await openSite()
  })
  after(async () => {
    await site.close()
  })

  test('on a wide screen, and on a narrow phone', (t) =>
    // Without motion colors change at once.
    visitPage({ viewport: wide, reducedMotion: 'reduce' }, async (page) => {
      const line = await page.context().newCDPSession(page)
      await throughStates(page, async (state) => {
        for (const colorScheme of ['light', 'dark'] as const)
          await t.test(`${state}: every ${colorScheme} text is easy to read`, async () => {
            await page.emulateMedia({ colorScheme })
            assert.deepEqual(await page.evaluate(weakContrasts), [])
            const paper = await page.evaluate(
              () => getComputedStyle(document.documentElement).backgroundColor,
            )
            const brightness = Number(/\d+/.exec(paper)?.[0])
            assert.ok(colorScheme === 'dark' ? brightness < 60 : brightness > 200, paper)
          })

        await t.test(`${state}: the list stands beside the way in, and stays in sight`, async () => {
          assert.deepEqual(await page.evaluate(misfits, 24), [])
          const [way, list] = await Promise.all([
            page.locator('.add').boundingBox(),
            page.locator('.work').boundingBox(),
          ])
          assert.ok(way && list && way.x + way.width < list.x)
        })

        await t.test(
          `${state}: every control has a name and every picture a text or none to tell`,
          async () => {
            const { nodes } = await line.send('Accessibility.getFullAXTree')
            const told = nodes.filter(({ ignored }) => !ignored)
            const isFocusable = (node: (typeof nodes)[number]) =>
              node.properties?.some(({ name, value }) => name === 'focusable' && value.value === true)
            const nameless = told.filter(
              (node) => isFocusable(node) && node.role?.value !== 'RootWebArea' && !node.name?.value,
            )
            assert.deepEqual(
              nameless.map(({ role }) => role?.value),
              [],
            )
            const roles = told.map(({ role }) => role?.value)
            for (const landmark of ['banner', 'main', 'navigation', 'status'])
              assert.ok(roles.includes(landmark), landmark)
            assert.equal(await page.getByRole('heading', { level: 1 }).count(), 1)
            assert.equal(await page.locator('img:not([alt])').count(), 0)
          },
        )

        await t.test(`${state}: on a phone nothing is cut off and everything can be hit`, async () => {
          await line.send('Emulation.setTouchEmulationEnabled', { enabled: true })
          await page.setViewportSize({ width: 360, height: 740 })
          assert.equal(await page.evaluate(() => matchMedia('(pointer: coarse)').matches), true)
          assert.deepEqual(await page.evaluate(misfits, 32), [])
          await page.setViewportSize(wide)
          await line.send('Emulation.setTouchEmulationEnabled', { enabled: false })
        })
      })
      const bars = await page.getByRole('progressbar').evaluateAll((all) => all.map((bar) => bar.ariaLabel))
      assert.ok(bars.length > 0 && bars.every((name) => name), 'each bar says what it measures')
    }))

  test('the button for all files is as wide as its words where no format is for all of them', () =>
    visitPage({}, async (page) => {
      await choose(page, await payload(fixture('corners.png')), await payload(fixture('cover.mp3')))
      const start = page.getByRole('button', { name: 'Convert all' })
      await start.waitFor()
      assert.equal(await page.getByRole('combobox', { name: /^Format for/ }).count(), 0)
      const width = (await start.boundingBox())?.width ?? 0
      assert.ok(width > 80 && width < 160, `${width} px`)
    }))

  test('who wants no motion gets none', () =>
    visitPage({ reducedMotion: 'reduce' }, async (page) => {
      const moving = () =>
        page.evaluate(
          () =>
            [...document.querySelectorAll('*')].filter((element) => {
              const style = getComputedStyle(element)
              return Number.parseFloat(style.transitionDuration) > 0 || style.animationName !== 'none'
            }).length,
        )
      assert.equal(await moving(), 0)
      await page.emulateMedia({ reducedMotion: 'no-preference' })
      assert.ok((await moving()) > 0, 'there is motion to leave out')
    }))

  test('what happens is told to who cannot see it', () =>
    visitPage({}, async (page) => {
      await page.evaluate(() => {
        const heard: string[] = []
        const said = document.querySelector('[aria-live="polite"]')
        if (said)
          new MutationObserver(() => heard.push(said.textContent ?? '')).observe(said, { childList: true })
        Object.assign(window, { heard })
      })
      await choose(page, await payload(fixture('corners.png')))
      await cardOf(page, 'corners.png')
        .getByRole('button', { name: /^Convert to/ })
        .click()
      await downloadFrom(page, 'corners.png')
      // What happens within some seconds is said at once.
      await page.waitForFunction(() =>
        (window as unknown as { heard: string[] }).heard.join().includes('is converted'),
      )
      const heard = await page.evaluate(() => (window as unknown as { heard: string[] }).heard.join('\n'))
      assert.match(heard, /corners\.png is added/)
      assert.match(heard, /corners\.png: Uploading/)
      assert.match(heard, /corners\.png is converted: corners\.jpg, \d+\sbytes, can be downloaded/)
    }))

  test('the list of formats is searched, walked and left by keys', () =>
    visitPage({}, async (page) => {
      await choose(page, await payload(fixture('letter.docx')))
      const box = page.getByRole('combobox')
      const active = () =>
        box.evaluate(
          (field) => document.getElementById(field.getAttribute('aria-activedescendant') ?? '')?.textContent,
        )
      await box.press('ArrowDown')
      assert.equal(await box.getAttribute('aria-expanded'), 'true')
      const first = await active()
      assert.ok(first)
      await box.press('ArrowUp')
      assert.notEqual(await active(), first, 'it goes round to the last')
      await box.press('Home')
      assert.equal(await active(), first)
      await box.fill('.ODT')
      assert.match((await active()) ?? '', /^ODT/, 'the best match is at hand')
      await box.fill('qqq')
      await page.getByRole('status').getByText('It cannot become “qqq”.').waitFor()
      await box.press('Enter')
      assert.equal(
        await page.getByRole('button', { name: 'Cancel' }).count(),
        0,
        'a wrong word starts nothing',
      )
      await box.press('Escape')
      assert.equal(await box.inputValue(), '')
      assert.equal(await box.getAttribute('aria-expanded'), 'false')
    }))

  test('the page names its files, each is packed and kept for ever, and no script but them runs', async () => {
    const page = await fetch(site.url)
    const policy = page.headers.get('content-security-policy') ?? ''
    assert.match(policy, /default-src 'none'; script-src 'self';/)
    assert.match(policy, /form-action 'self'.*require-trusted-types-for 'script'/)
    assert.doesNotMatch(policy, /unsafe|\*/)
    const named = [...(await page.text()).matchAll(/"(\/web\/[\w-]+\.js)"/g)].map(([, path = '']) => path)
    assert.ok(named.length >= 2, 'the chunk of the section does not wait for the script that needs it')
    for (const path of named) {
      const response = await fetch(site.url + path, { headers: { 'accept-encoding': 'br' } })
      assert.equal(response.status, 200, path)
      assert.equal(response.headers.get('content-encoding'), 'br')
      assert.match(response.headers.get('cache-control') ?? '', /immutable/)
    }
  })

  test('without scripts the page has one way in, which converts', () =>
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

  test('the reference page shows the endpoints and asks nobody else', () =>
    visit({ site, path: '/docs', context: { colorScheme: 'dark' } }, async (page) => {
      const links = page.locator('.contents a[href*="operation="]')
      await links.first().waitFor()
      // What the service sends has a page of its own.
      const { paths } = (await (await fetch(`${site.url}/v1/openapi.json`)).json()) as {
        paths: Record<string, Record<string, unknown>>
      }
      const operations = Object.values(paths).flatMap((path) =>
        Object.keys(path).filter((key) => ['get', 'post', 'put', 'patch', 'delete'].includes(key)),
      )
      assert.equal(await links.count(), operations.length)
    }))
})
