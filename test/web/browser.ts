import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { type Browser, type BrowserContextOptions, chromium, type Download, type Page } from 'playwright-core'
import { startService } from '../service.ts'

/** Debian's browser: the one that `npm test` installs anyway. */
export function launchBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: '/usr/bin/chromium',
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  })
}

export interface Site {
  readonly browser: Browser
  readonly url: string
  readonly dataDir: string
  close(): Promise<void>
}

/** The service and a browser to visit it with. Neither stays when the other does not start. */
export async function openSite(environment: Record<string, string> = {}): Promise<Site> {
  const service = await startService(environment)
  try {
    const browser = await launchBrowser()
    const close = async () => {
      await browser.close()
      await service.stop()
    }
    return { browser, url: service.url, dataDir: service.dataDir, close }
  } catch (error) {
    await service.stop()
    throw error
  }
}

/** Lines that the browser itself writes for an answer of 4xx or a lost line; what the page makes of it is tested. */
const isOfTheBrowser = (line: string) =>
  line.startsWith('Failed to load resource') ||
  /^WebSocket connection to .*: net::ERR_(INTERNET_DISCONNECTED|CONNECTION_REFUSED)$/.test(line)

/** What a page must not do: ask anybody else, or fail where nobody sees it. */
class Conduct {
  readonly #origin: string
  readonly #wrong: string[] = []

  constructor(page: Page, origin: string) {
    this.#origin = origin
    page.on('request', (request) => this.#check(request.url()))
    page.on('websocket', (socket) => this.#check(socket.url()))
    page.on('pageerror', (error) => this.#wrong.push(`uncaught: ${error.message}`))
    page.on('console', (message) => {
      if (message.type() === 'error' && !isOfTheBrowser(message.text()))
        this.#wrong.push(`console: ${message.text()}`)
    })
  }

  #check(url: string): void {
    const { protocol, origin } = new URL(url)
    // Last what the browser's own viewer of PDFs is made of.
    if (['blob:', 'data:', 'chrome:', 'chrome-extension:'].includes(protocol)) return
    if (origin.replace(/^ws/, 'http') !== this.#origin) this.#wrong.push(`request: ${url}`)
  }

  verify(): void {
    assert.deepEqual(this.#wrong, [])
  }
}

export interface Visit {
  readonly site: Site
  /** Where on the site, `/` when left out. */
  readonly path?: string
  readonly context?: BrowserContextOptions
}

/** Opens the page as somebody new and, after what was done on it, checks its conduct. */
export async function visit(
  { site: { browser, url }, path = '/', context = {} }: Visit,
  act: (page: Page) => Promise<void>,
): Promise<void> {
  const opened = await browser.newContext({ acceptDownloads: true, ...context })
  opened.setDefaultTimeout(45_000)
  try {
    const page = await opened.newPage()
    const conduct = new Conduct(page, new URL(url).origin)
    // Whoever listens first turns the interception on, and a key pressed at that moment may overtake it.
    page.on('filechooser', () => {})
    await page.goto(new URL(path, url).href)
    await act(page)
    conduct.verify()
  } finally {
    await opened.close()
  }
}

export const fixture = (name: string) => new URL(`../fixtures/${name}`, import.meta.url).pathname

export interface Payload {
  readonly name: string
  readonly mimeType: string
  readonly buffer: Buffer
}

export async function payload(path: string, name = basename(path), mimeType = ''): Promise<Payload> {
  return { name, mimeType, buffer: await readFile(path) }
}

/** Through the button and the system's dialog, as a user does. */
export async function choose(page: Page, ...files: readonly Payload[]): Promise<void> {
  const [dialog] = await Promise.all([
    page.waitForEvent('filechooser'),
    page.getByRole('button', { name: 'Choose files' }).click(),
  ])
  await dialog.setFiles([...files])
}

/** Gives files to the page with an event of the browser: `drop` or `paste`. */
export async function give(page: Page, kind: 'drop' | 'paste', ...files: readonly Payload[]): Promise<void> {
  const given = files.map(({ name, mimeType, buffer }) => ({
    name,
    mimeType,
    base64: buffer.toString('base64'),
  }))
  await page.evaluate(
    ({ kind, given }) => {
      const data = new DataTransfer()
      for (const { name, mimeType, base64 } of given) {
        const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0))
        data.items.add(new File([bytes], name, { type: mimeType }))
      }
      const manner = { bubbles: true, cancelable: true }
      if (kind === 'paste') {
        document.body.dispatchEvent(new ClipboardEvent('paste', { ...manner, clipboardData: data }))
        return
      }
      const title = document.querySelector('h1')
      for (const type of ['dragenter', 'dragover', 'drop']) {
        title?.dispatchEvent(new DragEvent(type, { ...manner, dataTransfer: data }))
      }
    },
    { kind, given },
  )
}

/** The card of a file. */
export const cardOf = (page: Page, name: string) => page.getByRole('article', { name, exact: true })

export async function bytesOf(download: Download): Promise<Buffer> {
  return readFile(await download.path())
}

/** Presses the download button of a card. */
export async function downloadFrom(page: Page, name: string): Promise<Download> {
  const link = cardOf(page, name).getByRole('link', { name: /^Download/ })
  const [download] = await Promise.all([page.waitForEvent('download'), link.click()])
  return download
}

/** Colors of some points of a picture, as the browser decodes it: `[red, green, blue]` each. */
export function colorsAt(
  page: Page,
  picture: Buffer,
  points: readonly (readonly [x: number, y: number])[],
): Promise<{ width: number; height: number; colors: number[][] }> {
  return page.evaluate(
    async ({ base64, points }) => {
      const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0))
      const bitmap = await createImageBitmap(new Blob([bytes]))
      const pen = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d')
      pen?.drawImage(bitmap, 0, 0)
      const colors = points.map(([x, y]) => [...(pen?.getImageData(x, y, 1, 1).data ?? [])].slice(0, 3))
      return { width: bitmap.width, height: bitmap.height, colors }
    },
    { base64: picture.toString('base64'), points },
  )
}
