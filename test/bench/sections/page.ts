import { execFile } from 'node:child_process'
import { copyFile, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { type Browser, chromium, type Page } from 'playwright-core'
import { startService } from '../../support/service.ts'
import type { Section } from '../section.ts'

// Measures a first visit, and whether the page stays responsive with many files, in Debian's Chromium.

/** Throttling as in the developer tools: slow 4G, and a CPU slowed down four times. */
const slow4g = { latency: 150, downloadThroughput: (1.6 * 1e6) / 8, uploadThroughput: (0.75 * 1e6) / 8 }
const slowdown = 4
/** Other load only makes a page slower, so the best of several attempts counts. */
const slowVisitCount = 5
const actionAttempts = 3
const fileCount = 500

const fixture = (name: string) => new URL(`../../fixtures/${name}`, import.meta.url).pathname
const axeSource = new URL('../../../node_modules/axe-core/axe.min.js', import.meta.url)

export const page: Section = {
  name: 'page',
  about: 'the web page: a first visit with a slow connection, 500 files, a PDF of 500 pages, accessibility',
  run: async ({ report }) => {
    const service = await startService({})
    const browser = await chromium.launch({
      executablePath: '/usr/bin/chromium-headless-shell',
      args: ['--no-sandbox', '--disable-gpu'],
    })
    try {
      // The first request builds the page.
      await fetch(service.url)
      report.title('The page')
      const page = await browser.newPage({ viewport: { width: 390, height: 844 } })
      const { bytes, chunks, requests, scripts } = await measureFirstVisit(page, service.url)
      const kb = (size: number) => size / 1000
      report.figure({ what: 'first visit, gzipped', value: kb(bytes), unit: 'kB', aim: { most: 56 } })
      report.figure({ what: 'requests of it', value: requests, unit: '', aim: { most: 9 } })
      report.figure({ what: 'largest chunk', value: kb(Math.max(...chunks)), unit: 'kB', aim: { most: 25 } })
      report.figure({ what: 'scripts of it', value: kb(scripts), unit: 'kB' })
      const visits: SlowVisit[] = []
      for (let visit = 0; visit < slowVisitCount; visit++)
        visits.push(await measureSlowVisit(browser, service.url))
      const paintMs = Math.min(...visits.map((visit) => visit.paintMs))
      const shift = Math.max(...visits.map((visit) => visit.shift))
      report.figure({ what: 'first paint, slow 4G', value: paintMs, unit: 'ms', aim: { most: 800 } })
      report.figure({ what: 'layout shift', value: shift * 1000, unit: '‰', aim: { most: 20 } })
      const loadTaskMs = Math.min(...visits.map((visit) => visit.maxTaskMs))
      // Without a target: most of it is the browser's own work, such as its first layout.
      report.figure({ what: 'longest task, slow visit', value: loadTaskMs, unit: 'ms' })
      const attempts: LongestTask[] = []
      for (let attempt = 0; attempt < actionAttempts; attempt++)
        attempts.push(await withCommonActions(await browser.newPage(), service.url))
      const actions = attempts.reduce((best, attempt) =>
        attempt.maxTaskMs < best.maxTaskMs ? attempt : best,
      )
      for (const [label, { maxTaskMs, nodes }] of [
        ['common actions', actions],
        [`${fileCount} files`, await withManyFiles(page)],
        [`${fileCount} pages of a PDF`, await withManyPages(await browser.newPage(), service.url)],
      ] as const) {
        report.figure({ what: `longest task, ${label}`, value: maxTaskMs, unit: 'ms', aim: { most: 50 } })
        report.figure({ what: `nodes, ${label}`, value: nodes, unit: '', aim: { most: 3000 } })
      }
      for (const path of ['/', '/formats', '/status', '/nothing-here']) {
        const pageWithoutCsp = await browser.newPage({ bypassCSP: true })
        await pageWithoutCsp.goto(service.url + path, { waitUntil: 'networkidle' })
        const violations = await runAxe(pageWithoutCsp)
        report.figure({
          what: `axe, ${path}`,
          value: violations.length,
          unit: '',
          aim: { most: 0 },
          remark: violations.join(),
        })
        await pageWithoutCsp.close()
      }
    } finally {
      await browser.close()
      await service.stop()
    }
  },
}

/** Evaluated in the page; a string, because this file is type-checked without DOM types. */
const paintAndShiftScript = `(async () => {
  const entries = (type) => new Promise((resolve) => {
    new PerformanceObserver((list) => resolve(list.getEntries())).observe({ type, buffered: true })
    setTimeout(() => resolve([]), 500)
  })
  const paint = (await entries('paint')).find(({ name }) => name === 'first-contentful-paint')
  const shift = (await entries('layout-shift')).reduce((sum, { value }) => sum + value, 0)
  const maxTaskMs = Math.max(0, ...(await entries('longtask')).map(({ duration }) => duration))
  return { paintMs: paint?.startTime ?? 1e9, shift, maxTaskMs }
})()`
const inputScript = `document.body.append(Object.assign(document.createElement('input'), {
  type: 'file', id: 'handed', multiple: true, hidden: true,
}))`
const dropFilesScript = `(() => {
  const dataTransfer = new DataTransfer()
  for (const file of document.querySelector('#handed').files) dataTransfer.items.add(file)
  document.querySelector('#handed').remove()
  document.body.dispatchEvent(new DragEvent('drop', { bubbles: true, cancelable: true, dataTransfer }))
})()`
const nodes = `document.querySelectorAll('*').length`

async function measureFirstVisit(page: Page, url: string) {
  const responses: { path: string; size: number; isScript: boolean }[] = []
  const measurements: Promise<void>[] = []
  page.on('response', (response) => {
    const path = new URL(response.url()).pathname
    if (response.url().startsWith('data:')) return
    const measure = async () => {
      const size = gzipSync(await response.body()).length
      responses.push({ path, size, isScript: path.endsWith('.js') })
    }
    measurements.push(measure())
  })
  await page.goto(url, { waitUntil: 'networkidle' })
  await Promise.all(measurements)
  const scripts = responses.filter(({ isScript }) => isScript).map(({ size }) => size)
  const sum = (sizes: readonly number[]) => sizes.reduce((total, size) => total + size, 0)
  return {
    bytes: sum(responses.map(({ size }) => size)),
    requests: responses.length,
    chunks: scripts,
    scripts: sum(scripts),
  }
}

interface SlowVisit {
  readonly paintMs: number
  readonly shift: number
  /** Time of the longest task of more than 50 ms, with the slow processor; otherwise 0. */
  readonly maxTaskMs: number
}

async function measureSlowVisit(browser: Browser, url: string): Promise<SlowVisit> {
  const page = await browser.newPage({ viewport: { width: 390, height: 844 } })
  const line = await page.context().newCDPSession(page)
  await line.send('Network.enable')
  await line.send('Network.emulateNetworkConditions', { offline: false, ...slow4g })
  await line.send('Emulation.setCPUThrottlingRate', { rate: slowdown })
  await page.goto(url, { waitUntil: 'networkidle' })
  const visit = await page.evaluate<SlowVisit>(paintAndShiftScript)
  await page.close()
  return visit
}

/** Opens the page, converts an image with another width, and looks at other sections. */
const withCommonActions = (page: Page, url: string): Promise<LongestTask> =>
  measureLongestTask(page, async () => {
    await page.goto(url, { waitUntil: 'networkidle' })
    const [dialog] = await Promise.all([
      page.waitForEvent('filechooser'),
      page.getByRole('button', { name: 'Choose files' }).click(),
    ])
    await dialog.setFiles(fixture('corners.png'))
    await page.getByText('Options', { exact: true }).click()
    await page.getByRole('spinbutton', { name: 'Width' }).fill('20')
    await page.getByRole('button', { name: /^Convert to/ }).click()
    await page.getByRole('link', { name: /^Download/ }).waitFor({ timeout: 120_000 })
    for (const path of ['tools', 'formats', 'history'])
      await page.goto(`${url}/${path}`, { waitUntil: 'networkidle' })
  })

interface LongestTask {
  readonly maxTaskMs: number
  readonly nodes: number
}

async function withManyFiles(page: Page): Promise<LongestTask> {
  const folder = await mkdtemp(join(tmpdir(), 'mutabor-many-'))
  try {
    const paths = Array.from({ length: fileCount }, (_, at) => join(folder, `${at}.png`))
    for (const path of paths) await copyFile(fixture('corners.png'), path)
    // Select the files before tracing, because the time that the browser takes to find them does not count.
    await page.evaluate(inputScript)
    await page.locator('#handed').setInputFiles(paths)
    return await measureLongestTask(page, async () => {
      await page.evaluate(dropFilesScript)
      await page.getByText(`${fileCount} files ready`).first().waitFor()
    })
  } finally {
    await rm(folder, { recursive: true })
  }
}

/** Opens the pages in the grid, selects and rotates all of them, and scrolls to another part. */
async function withManyPages(page: Page, url: string): Promise<LongestTask> {
  const folder = await mkdtemp(join(tmpdir(), 'mutabor-many-'))
  try {
    const path = join(folder, 'many.pdf')
    const pages = Array.from({ length: fileCount }, (_, at) => [
      fixture('three-pages.pdf'),
      `${(at % 3) + 1}`,
    ])
    await promisify(execFile)('qpdf', ['--empty', '--pages', ...pages.flat(), '--', path])
    await page.goto(`${url}/tools/organize-pdf`)
    const input = page.locator('input[type=file]')
    await input.waitFor({ state: 'attached' })
    const drawnSheets = page.locator('.sheet canvas[data-drawn]')
    return await measureLongestTask(page, async () => {
      await input.setInputFiles(path)
      await drawnSheets.nth(8).waitFor()
      await page.getByRole('button', { name: 'Select all' }).click()
      await page.getByRole('button', { name: 'Rotate right' }).click()
      await page
        .getByRole('option')
        .nth(fileCount - 1)
        .click()
      await page
        .getByRole('option')
        .nth(fileCount - 1)
        .locator('canvas[data-drawn]')
        .waitFor()
    })
  } finally {
    await rm(folder, { recursive: true })
  }
}

interface TraceEvent {
  readonly name: string
  readonly pid: number
  readonly tid: number
  /** CPU time in microseconds. */
  readonly tdur?: number
  readonly args: { readonly name?: string }
}

/**
 * Returns the CPU time of the longest task of the page's main thread during an action; wall time would depend on other
 * load.
 */
async function measureLongestTask(page: Page, act: () => Promise<void>): Promise<LongestTask> {
  const browser = page.context().browser()
  if (!browser) throw new Error('the page has no browser')
  await browser.startTracing(page, { categories: ['toplevel'] })
  await act()
  await page.waitForTimeout(1500)
  const { traceEvents }: { traceEvents: readonly TraceEvent[] } = JSON.parse(
    String(await browser.stopTracing()),
  )
  const threads = traceEvents.filter(({ name, args }) => name === 'thread_name' && args.name === mainThread)
  const tasks = traceEvents.filter(({ pid, tid }) =>
    threads.some((thread) => thread.pid === pid && thread.tid === tid),
  )
  const maxTaskMs = Math.max(...tasks.map(({ tdur = 0 }) => tdur)) / 1000
  return { maxTaskMs, nodes: await page.evaluate<number>(nodes) }
}
const mainThread = 'CrRendererMain'

async function runAxe(page: Page): Promise<string[]> {
  await page.addScriptTag({ content: await readFile(axeSource, 'utf8') })
  return page.evaluate<string[]>('axe.run().then(({ violations }) => violations.map(({ id }) => id))')
}
