import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { test } from 'node:test'
import puppeteer, { type Browser, type ElementHandle, type Page } from 'puppeteer-core'
import { after, before } from '../hooks.ts'
import { scratchFolder } from '../support/scratch-folder.ts'
import { startService, type TestService } from '../support/service.ts'
import { waitUntil } from '../support/wait-until.ts'
import { fixture } from './browser.ts'

/** The main paths through the page in Debian's Firefox ESR, driven by WebDriver BiDi. About 15 s. */

const homeFolder = scratchFolder('firefox')
const waitMs = 60_000
let service: TestService
let browser: Browser

before(async () => {
  service = await startService()
  browser = await puppeteer.launch({
    browser: 'firefox',
    executablePath: '/usr/bin/firefox-esr',
    // Firefox keeps caches outside its profile.
    env: { ...process.env, HOME: homeFolder },
    extraPrefsFirefox: {
      'browser.download.dir': homeFolder,
      'browser.download.folderList': 2,
      'browser.download.always_ask_before_handling_new_types': false,
      // Otherwise Firefox opens saved files, and the page is hidden.
      'browser.helperApps.neverAsk.saveToDisk': 'image/webp,image/gif,application/pdf',
      'browser.download.viewableInternally.enabledTypes': '',
      'intl.accept_languages': 'en',
    },
  })
})
after(async () => {
  await browser.close()
  await service.stop()
})

/** Opens the page as a new visitor, runs `act`, and checks that the page kept to its policy and only used this host. */
async function visit(act: (page: Page) => Promise<void>): Promise<void> {
  const context = await browser.createBrowserContext()
  const page = await context.newPage()
  page.setDefaultTimeout(waitMs)
  const violations: string[] = []
  page.on('pageerror', (error) => violations.push(String(error)))
  page.on('request', (request) => {
    const { protocol, origin } = new URL(request.url())
    if (protocol.startsWith('http') && origin !== new URL(service.url).origin) violations.push(request.url())
  })
  await page.evaluateOnNewDocument(() => {
    document.addEventListener('securitypolicyviolation', ({ effectiveDirective, blockedURI }) => {
      throw new Error(`refused by ${effectiveDirective}: ${blockedURI}`)
    })
    // The driver closes each file dialog before it sets the files, which is not a cancellation.
    HTMLInputElement.prototype.addEventListener = function (kind: string, ...args: unknown[]) {
      if (kind !== 'cancel') Reflect.apply(EventTarget.prototype.addEventListener, this, [kind, ...args])
    }
  })
  try {
    await page.goto(service.url)
    // A file dropped before the script runs would replace the page.
    await page.locator('#kinds li').wait()
    await act(page)
    assert.deepEqual(violations, [])
  } finally {
    await context.close()
  }
}

const findButton = (page: Page, name: string) => page.locator(`::-p-aria([name="${name}"][role="button"])`)
const link = (page: Page, name: string) => page.locator(`::-p-aria([name="${name}"][role="link"])`)
const waitForText = (page: Page, text: string) => page.locator(`::-p-text(${text})`).wait()

async function drop(page: Page, path: string): Promise<void> {
  const base64 = (await readFile(path)).toString('base64')
  await page.evaluate(
    ({ name, base64 }) => {
      const data = new DataTransfer()
      data.items.add(new File([Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))], name))
      for (const type of ['dragenter', 'dragover', 'drop'])
        document
          .querySelector('h1')
          ?.dispatchEvent(new DragEvent(type, { bubbles: true, cancelable: true, dataTransfer: data }))
    },
    { name: basename(path), base64 },
  )
}

async function choose(page: Page, path: string): Promise<void> {
  const [dialog] = await Promise.all([page.waitForFileChooser(), findButton(page, 'Choose files').click()])
  await dialog.accept([path])
}

async function readDownloaded(name: string): Promise<Buffer> {
  const path = join(homeFolder, name)
  const readBytes = () => readFile(path).catch(() => Buffer.alloc(0))
  await waitUntil(async () => (await readBytes()).length > 0, `${name} is downloaded`, 60)
  return readBytes()
}

test('Firefox converts a dropped image to WebP, downloads it and lists it in the history', () =>
  visit(async (page) => {
    await drop(page, fixture('corners.png'))
    await page.locator('.chip ::-p-text(WEBP)').click()
    await findButton(page, 'Convert to WEBP').click()
    await page.locator('article a[download]').click()
    assert.match((await readDownloaded('corners.webp')).toString('latin1', 0, 12), /^RIFF.{4}WEBP$/s)
    await link(page, 'History').click()
    await page.locator('tbody ::-p-text(corners.png)').click()
    await waitForText(page, 'Tasks')
    assert.match(page.url(), /\/history\/job_/)
    await page.goBack()
    await waitForText(page, 'corners.png')
  }))

test('Firefox does not upload a video while an option is invalid, and converts it once the option is fixed', () =>
  visit(async (page) => {
    const sentRequests: string[] = []
    page.on('request', (request) => {
      const { pathname } = new URL(request.url())
      if (request.method() === 'PUT' || /presign|convert$/.test(pathname)) sentRequests.push(pathname)
    })
    await choose(page, fixture('video.mp4'))
    await page.locator('.chip ::-p-text(GIF)').click()
    await page.locator('summary ::-p-text(Options)').click()
    await page.locator('[data-option="start"]').fill('abc')
    await findButton(page, 'Convert to GIF').click()
    const violations = (await page.waitForSelector(
      '[data-option="start"][aria-invalid="true"]:focus',
    )) as ElementHandle
    assert.ok(await violations.isVisible())
    assert.deepEqual(sentRequests, [])
    await page.locator('[data-option="start"]').fill('0:00.2')
    await findButton(page, 'Convert to GIF').click()
    await page.locator('article a[download]').click()
    assert.match((await readDownloaded('video.gif')).toString('latin1', 0, 6), /^GIF89a$/)
    assert.ok(sentRequests.length > 0)
  }))

test('Firefox draws the pages of a PDF and extracts a page that was selected by keyboard', () =>
  visit(async (page) => {
    await page.goto(new URL('/tools/extract-pdf-pages', service.url).href)
    const input = (await page.waitForSelector('main input[type="file"]')) as ElementHandle<HTMLInputElement>
    await input.uploadFile(fixture('three-pages.pdf'))
    await page.locator('[role="option"] canvas[data-drawn]').wait()
    await page.focus('[role="option"]')
    await page.keyboard.press(' ')
    await findButton(page, 'Extract pages').click()
    await page.locator('.tool-result a').click()
    assert.match((await readDownloaded('three-pages-pages-1.pdf')).toString('latin1', 0, 5), /^%PDF-$/)
  }))
