import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { type Browser, type BrowserContextOptions, chromium, type Download, type Page } from 'playwright-core'
import { startService } from '../support/service.ts'

/** Launches Debian's headless shell, which also converts web pages, or the complete browser, which has a PDF viewer. */
export function launchBrowser(name: 'chromium-headless-shell' | 'chromium'): Promise<Browser> {
  return chromium.launch({
    executablePath: `/usr/bin/${name}`,
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

/** Starts the service and a browser; if one fails to start, the other is stopped. */
export async function openSite(
  environment: Record<string, string> = {},
  browserName: Parameters<typeof launchBrowser>[0] = 'chromium-headless-shell',
): Promise<Site> {
  const service = await startService(environment)
  try {
    const browser = await launchBrowser(browserName)
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

/**
 * Messages that the browser itself logs for 4xx responses or a lost connection; how the page reacts is tested
 * elsewhere.
 */
const isBrowserMessage = (line: string) =>
  line.startsWith('Failed to load resource') ||
  /^WebSocket connection to .*: net::ERR_(INTERNET_DISCONNECTED|CONNECTION_REFUSED)$/.test(line)

/** Records what a page must not do: send requests to other hosts, or fail silently. */
class PageMonitor {
  readonly #origin: string
  readonly #violations: string[] = []

  constructor(page: Page, origin: string) {
    this.#origin = origin
    page.on('request', (request) => this.#check(request.url()))
    page.on('websocket', (socket) => this.#check(socket.url()))
    page.on('pageerror', (error) => this.#violations.push(`uncaught: ${error.message}`))
    page.on('console', (message) => {
      if (message.type() === 'error' && !isBrowserMessage(message.text()))
        this.#violations.push(`console: ${message.text()}`)
    })
  }

  #check(url: string): void {
    const { protocol, origin } = new URL(url)
    // The chrome schemes belong to the browser's PDF viewer.
    if (['blob:', 'data:', 'chrome:', 'chrome-extension:'].includes(protocol)) return
    if (origin.replace(/^ws/, 'http') !== this.#origin) this.#violations.push(`request: ${url}`)
  }

  verify(): void {
    assert.deepEqual(this.#violations, [])
  }
}

export interface Visit {
  readonly site: Site
  /** Path on the site; `/` by default. */
  readonly path?: string
  readonly context?: BrowserContextOptions
}

/** Opens the page as a new visitor, runs `act`, and then checks that the page broke no rule. */
export async function visit(
  { site: { browser, url }, path = '/', context = {} }: Visit,
  act: (page: Page) => Promise<void>,
): Promise<void> {
  const openedContext = await browser.newContext({ acceptDownloads: true, ...context })
  openedContext.setDefaultTimeout(45_000)
  try {
    const page = await openedContext.newPage()
    const monitor = new PageMonitor(page, new URL(url).origin)
    // The first listener enables the interception of file dialogs, which must be active before a test presses a key.
    page.on('filechooser', () => {})
    await page.goto(new URL(path, url).href)
    await act(page)
    monitor.verify()
  } finally {
    await openedContext.close()
  }
}

export const fixture = (name: string) => new URL(`../fixtures/${name}`, import.meta.url).pathname

export interface Payload {
  readonly name: string
  readonly mimeType: string
  readonly buffer: Buffer
}

export async function readPayload(path: string, name = basename(path), mimeType = ''): Promise<Payload> {
  return { name, mimeType, buffer: await readFile(path) }
}

/** Chooses files with the button and the file dialog, as a user does. */
export async function chooseFiles(page: Page, ...files: readonly Payload[]): Promise<void> {
  const [dialog] = await Promise.all([
    page.waitForEvent('filechooser'),
    page.getByRole('button', { name: 'Choose files' }).click(),
  ])
  await dialog.setFiles([...files])
}

/** Passes files to the page with a `drop` or `paste` event. */
export async function dropOrPaste(
  page: Page,
  kind: 'drop' | 'paste',
  ...files: readonly Payload[]
): Promise<void> {
  const filesData = files.map(({ name, mimeType, buffer }) => ({
    name,
    mimeType,
    base64: buffer.toString('base64'),
  }))
  await page.evaluate(
    ({ kind, given: filesData }) => {
      const data = new DataTransfer()
      for (const { name, mimeType, base64 } of filesData) {
        const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
        data.items.add(new File([bytes], name, { type: mimeType }))
      }
      const eventOptions = { bubbles: true, cancelable: true }
      if (kind === 'paste') {
        document.body.dispatchEvent(new ClipboardEvent('paste', { ...eventOptions, clipboardData: data }))
        return
      }
      const title = document.querySelector('h1')
      for (const type of ['dragenter', 'dragover', 'drop']) {
        title?.dispatchEvent(new DragEvent(type, { ...eventOptions, dataTransfer: data }))
      }
    },
    { kind, given: filesData },
  )
}

/** The card of a file. */
export const findFileCard = (page: Page, name: string) => page.getByRole('article', { name, exact: true })

export async function readDownload(download: Download): Promise<Buffer> {
  return readFile(await download.path())
}

/** Clicks the download button of a card. */
export async function downloadFromCard(page: Page, name: string): Promise<Download> {
  const link = findFileCard(page, name).getByRole('link', { name: /^Download/ })
  const [download] = await Promise.all([page.waitForEvent('download'), link.click()])
  return download
}

/** Colors at some points of an image as decoded by the browser, each as `[red, green, blue]`. */
export function readColorsAt(
  page: Page,
  image: Buffer,
  points: readonly (readonly [x: number, y: number])[],
): Promise<{ width: number; height: number; colors: number[][] }> {
  return page.evaluate(
    async ({ base64, points }) => {
      const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
      const bitmap = await createImageBitmap(new Blob([bytes]))
      const context2d = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d')
      context2d?.drawImage(bitmap, 0, 0)
      const colors = points.map(([x, y]) => [...(context2d?.getImageData(x, y, 1, 1).data ?? [])].slice(0, 3))
      return { width: bitmap.width, height: bitmap.height, colors }
    },
    { base64: image.toString('base64'), points },
  )
}
