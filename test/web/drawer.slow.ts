import assert from 'node:assert/strict'
import { test } from 'node:test'
import { after, before } from '../hooks.ts'
import { waitUntil } from '../support/wait-until.ts'
import { dropOrPaste, findFileCard, fixture, openSite, readPayload, type Site, visit } from './browser.ts'
import { checkAppearance } from './check-appearance.ts'

/** Previews of results in a real browser, for each type. About 30 s. */

let site: Site
before(async () => {
  site = await openSite({}, 'chromium')
})
after(() => site.close())

const noMotion = { viewport: { width: 1280, height: 900 }, reducedMotion: 'reduce' } as const

interface Kind {
  readonly file: string
  readonly to: string
  /** True once the browser displays the result. */
  readonly isShown: () => boolean
  /** Set if the browser's own viewer, which is a separate page, displays the result. */
  readonly usesBrowserViewer?: true
}

const kinds: Readonly<Record<string, Kind>> = {
  image: {
    file: 'corners.png',
    to: 'WEBP',
    isShown: () => document.querySelector<HTMLImageElement>('.drawer img')?.naturalWidth === 40,
  },
  video: {
    file: 'video.mp4',
    to: 'WEBM',
    isShown: () => (document.querySelector<HTMLVideoElement>('.drawer video')?.videoWidth ?? 0) > 0,
  },
  audio: {
    file: 'cover.mp3',
    to: 'WAV',
    isShown: () => (document.querySelector<HTMLAudioElement>('.drawer audio')?.duration ?? 0) > 0,
  },
  pdf: {
    file: 'letter.docx',
    to: 'PDF',
    // The browser's viewer is another document, which the page cannot access.
    isShown: () =>
      document.querySelector<HTMLIFrameElement>('.drawer iframe')?.src.startsWith('blob:') === true,
    usesBrowserViewer: true,
  },
  text: {
    file: 'letter.docx',
    to: 'TXT',
    isShown: () => document.querySelector('textarea')?.value.includes('alphamarker') === true,
  },
}

for (const [kind, { file, to, isShown, usesBrowserViewer }] of Object.entries(kinds))
  test(`the drawer previews ${kind} results`, () =>
    visit({ site, context: noMotion }, async (page) => {
      await dropOrPaste(page, 'drop', await readPayload(fixture(file)))
      const card = findFileCard(page, file)
      await card.getByRole('combobox').fill(to.toLowerCase())
      await card.getByRole('combobox').press('Enter')
      await card.getByRole('button', { name: `Convert to ${to}` }).click()
      await card.getByRole('button', { name: /^Preview/ }).click()
      await page.waitForFunction(isShown)
      if (usesBrowserViewer) {
        const isExtensionOpen = () =>
          page.frames().some((frame) => frame.url().startsWith('chrome-extension:'))
        await waitUntil(isExtensionOpen, 'the PDF viewer is open', 40)
      }
      await checkAppearance(page, kind)
      await page.keyboard.press('Escape')
      await page.getByRole('dialog').waitFor({ state: 'detached' })
    }))

test('the before/after slider keeps its direction in right-to-left layout', () =>
  visit(
    { site, path: '/?lang=mirrored', context: { ...noMotion, viewport: { width: 375, height: 740 } } },
    async (page) => {
      await dropOrPaste(page, 'drop', await readPayload(fixture('corners.png')))
      await page.locator('.card button[type=submit]').click()
      await page.locator('.done .actions button').first().click()
      const slider = page.getByRole('slider')
      await slider.fill('80')
      assert.match((await page.locator('.drawer img').last().getAttribute('style')) ?? '', /20%/)
      await checkAppearance(page, 'mirrored')
    },
  ))
