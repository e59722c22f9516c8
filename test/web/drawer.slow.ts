import assert from 'node:assert/strict'
import { test } from 'node:test'
import { after, before } from '../hooks.ts'
import { until } from '../wait-until.ts'
import { cardOf, fixture, give, openSite, payload, type Site, visit } from './browser.ts'
import { looksRight } from './check-appearance.ts'

/** Results looked at before they are taken, each kind as a real browser shows it. Half a minute. */

let site: Site
before(async () => {
  site = await openSite()
})
after(() => site.close())

const still = { viewport: { width: 1280, height: 900 }, reducedMotion: 'reduce' } as const

interface Kind {
  readonly file: string
  readonly to: string
  /** True once the browser shows what is in the result. */
  readonly shows: () => boolean
  /** It is drawn by the browser's own viewer, which is a page of its own. */
  readonly viewer?: true
}

const kinds: Readonly<Record<string, Kind>> = {
  picture: {
    ...{ file: 'corners.png', to: 'WEBP' },
    shows: () => document.querySelector<HTMLImageElement>('.drawer img')?.naturalWidth === 40,
  },
  film: {
    ...{ file: 'film.mp4', to: 'WEBM' },
    shows: () => (document.querySelector<HTMLVideoElement>('.drawer video')?.videoWidth ?? 0) > 0,
  },
  sound: {
    ...{ file: 'cover.mp3', to: 'WAV' },
    shows: () => (document.querySelector<HTMLAudioElement>('.drawer audio')?.duration ?? 0) > 0,
  },
  pdf: {
    ...{ file: 'letter.docx', to: 'PDF' },
    // What the browser draws itself is another document, which the page cannot look into.
    shows: () =>
      document.querySelector<HTMLIFrameElement>('.drawer iframe')?.src.startsWith('blob:') === true,
    viewer: true,
  },
  text: {
    ...{ file: 'letter.docx', to: 'TXT' },
    shows: () => document.querySelector('textarea')?.value.includes('alphamarker') === true,
  },
}

for (const [kind, { file, to, shows, viewer }] of Object.entries(kinds))
  test(`a ${kind} is shown in the drawer`, () =>
    visit({ site, context: still }, async (page) => {
      await give(page, 'drop', await payload(fixture(file)))
      const card = cardOf(page, file)
      await card.getByRole('combobox').fill(to.toLowerCase())
      await card.getByRole('combobox').press('Enter')
      await card.getByRole('button', { name: `Convert to ${to}` }).click()
      await card.getByRole('button', { name: /^Preview/ }).click()
      await page.waitForFunction(shows)
      if (viewer) {
        const isUp = () => page.frames().some((frame) => frame.url().startsWith('chrome-extension:'))
        await until(isUp, 'the viewer of PDFs is there', 40)
      }
      await looksRight(page, kind)
      await page.keyboard.press('Escape')
      await page.getByRole('dialog').waitFor({ state: 'detached' })
    }))

test('mirrored, before and after are compared from the same side', () =>
  visit(
    { site, path: '/?lang=mirrored', context: { ...still, viewport: { width: 375, height: 740 } } },
    async (page) => {
      await give(page, 'drop', await payload(fixture('corners.png')))
      await page.locator('.card button[type=submit]').click()
      await page.locator('.done .actions button').first().click()
      const slider = page.getByRole('slider')
      await slider.fill('80')
      assert.match((await page.locator('.drawer img').last().getAttribute('style')) ?? '', /20%/)
      await looksRight(page, 'mirrored')
    },
  ))
