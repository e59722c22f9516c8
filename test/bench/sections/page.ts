import { copyFile, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { chromium, type Page } from 'playwright-core'
import { startService } from '../../service.ts'
import type { Section } from '../section.ts'

/** What a first visit costs, and whether the page stays quick with many files, in Debian's Chromium. */

/** As the developer tools have it: a slow 4G line, and a processor of a quarter. */
const slow4g = { latency: 150, downloadThroughput: (1.6 * 1e6) / 8, uploadThroughput: (0.75 * 1e6) / 8 }
const slowdown = 4
const manyFiles = 500

const axeSource = new URL('../../../node_modules/axe-core/axe.min.js', import.meta.url)

export const page: Section = {
  name: 'page',
  about: 'the web page: a first visit on a slow line, 500 files, accessibility',
  run: async ({ report }) => {
    const service = await startService({})
    const browser = await chromium.launch({
      executablePath: '/usr/bin/chromium',
      args: ['--no-sandbox', '--disable-gpu'],
    })
    try {
      // The first one to ask has it built.
      await fetch(service.url)
      report.title('The page')
      const visited = await browser.newPage({ viewport: { width: 390, height: 844 } })
      const { bytes, chunks, requests, scripts } = await firstVisit(visited, service.url)
      const kb = (size: number) => size / 1000
      report.figure({ what: 'first visit, gzipped', value: kb(bytes), unit: 'kB', aim: { most: 45 } })
      report.figure({ what: 'requests of it', value: requests, unit: '', aim: { most: 8 } })
      report.figure({ what: 'largest chunk', value: kb(Math.max(...chunks)), unit: 'kB', aim: { most: 25 } })
      report.figure({ what: 'scripts of it', value: kb(scripts), unit: 'kB' })
      const slow = await browser.newPage({ viewport: { width: 390, height: 844 } })
      const { paintMs, shift } = await slowVisit(slow, service.url)
      report.figure({ what: 'first paint, slow 4G', value: paintMs, unit: 'ms', aim: { most: 800 } })
      report.figure({ what: 'layout shift', value: shift * 1000, unit: '‰', aim: { most: 20 } })
      const { longestMs, nodes } = await withManyFiles(visited)
      report.figure({
        what: `longest task, ${manyFiles} files`,
        value: longestMs,
        unit: 'ms',
        aim: { most: 50 },
      })
      report.figure({ what: `nodes, ${manyFiles} files`, value: nodes, unit: '', aim: { most: 3000 } })
      for (const path of ['/', '/formats', '/status', '/nothing-here']) {
        const clear = await browser.newPage({ bypassCSP: true })
        await clear.goto(service.url + path, { waitUntil: 'networkidle' })
        const found = await axe(clear)
        report.figure({
          what: `axe, ${path}`,
          value: found.length,
          unit: '',
          aim: { most: 0 },
          remark: found.join(),
        })
        await clear.close()
      }
    } finally {
      await browser.close()
      await service.stop()
    }
  },
}

/** Run in the page; as text, since what checks this file knows nothing of browsers. */
const paintAndShift = `(async () => {
  const entries = (type) => new Promise((resolve) => {
    new PerformanceObserver((list) => resolve(list.getEntries())).observe({ type, buffered: true })
    setTimeout(() => resolve([]), 500)
  })
  const paint = (await entries('paint')).find(({ name }) => name === 'first-contentful-paint')
  const shift = (await entries('layout-shift')).reduce((sum, { value }) => sum + value, 0)
  return { paintMs: paint?.startTime ?? 1e9, shift }
})()`
const noteTasks = `window.tasks = [0]
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) window.tasks.push(duration)
  }).observe({ type: 'longtask' })`
const makeInput = `document.body.append(Object.assign(document.createElement('input'), {
  type: 'file', id: 'handed', multiple: true, hidden: true,
}))`
const dropThem = `(() => {
  const dataTransfer = new DataTransfer()
  for (const file of document.querySelector('#handed').files) dataTransfer.items.add(file)
  document.querySelector('#handed').remove()
  document.body.dispatchEvent(new DragEvent('drop', { bubbles: true, cancelable: true, dataTransfer }))
})()`
const tasksAndNodes = `({ longestMs: Math.max(...window.tasks), nodes: document.querySelectorAll('*').length })`

async function firstVisit(page: Page, url: string) {
  const answers: { path: string; size: number; isScript: boolean }[] = []
  const waiting: Promise<void>[] = []
  page.on('response', (response) => {
    const path = new URL(response.url()).pathname
    if (response.url().startsWith('data:')) return
    const measure = async () => {
      const size = gzipSync(await response.body()).length
      answers.push({ path, size, isScript: path.endsWith('.js') })
    }
    waiting.push(measure())
  })
  await page.goto(url, { waitUntil: 'networkidle' })
  await Promise.all(waiting)
  const scripts = answers.filter(({ isScript }) => isScript).map(({ size }) => size)
  const sum = (sizes: readonly number[]) => sizes.reduce((all, size) => all + size, 0)
  return {
    bytes: sum(answers.map(({ size }) => size)),
    requests: answers.length,
    chunks: scripts,
    scripts: sum(scripts),
  }
}

async function slowVisit(page: Page, url: string): Promise<{ paintMs: number; shift: number }> {
  const line = await page.context().newCDPSession(page)
  await line.send('Network.enable')
  await line.send('Network.emulateNetworkConditions', { offline: false, ...slow4g })
  await line.send('Emulation.setCPUThrottlingRate', { rate: slowdown })
  await page.goto(url, { waitUntil: 'networkidle' })
  return page.evaluate<{ paintMs: number; shift: number }>(paintAndShift)
}

/** Tasks are as long as this machine makes them; below 50 ms none is told of at all. */
async function withManyFiles(page: Page): Promise<{ longestMs: number; nodes: number }> {
  const folder = await mkdtemp(join(tmpdir(), 'mutabor-many-'))
  try {
    const paths = Array.from({ length: manyFiles }, (_, at) => join(folder, `${at}.png`))
    for (const path of paths) await copyFile(new URL('../../fixtures/corners.png', import.meta.url), path)
    // How long the browser takes to find the files is not the page's: it has them before tasks are noted.
    await page.evaluate(makeInput)
    await page.locator('#handed').setInputFiles(paths)
    await page.evaluate(noteTasks)
    await page.evaluate(dropThem)
    return await tasksWith(page)
  } finally {
    await rm(folder, { recursive: true })
  }
}

async function tasksWith(page: Page): Promise<{ longestMs: number; nodes: number }> {
  await page.getByText(`${manyFiles} files are ready.`).waitFor()
  await page.waitForTimeout(1500)
  return page.evaluate<{ longestMs: number; nodes: number }>(tasksAndNodes)
}

async function axe(page: Page): Promise<string[]> {
  await page.addScriptTag({ content: await readFile(axeSource, 'utf8') })
  return page.evaluate<string[]>('axe.run().then(({ violations }) => violations.map(({ id }) => id))')
}
