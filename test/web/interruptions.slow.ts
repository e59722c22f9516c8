import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { test } from 'node:test'
import type { BrowserContext, Page } from 'playwright-core'
import { after, before } from '../hooks.ts'
import { scratchFolder } from '../support/scratch-folder.ts'
import { startService, type TestService } from '../support/service.ts'
import { waitUntil } from '../support/wait-until.ts'
import {
  chooseFiles,
  downloadFromCard,
  findFileCard,
  fixture,
  launchBrowser,
  readPayload,
  visit,
} from './browser.ts'

/**
 * A page that stays open: the connection drops, the service is killed, a second tab is open, and results expire. The
 * uploaded file has 400 MB; `UPLOAD_MB=6144 npm run test:slow -- test/web/interruptions.slow.ts` uploads 6 GB, which
 * takes minutes. About 30 s.
 */

const megabytes = Number(process.env['UPLOAD_MB'] ?? 400)
const dataDir = scratchFolder('perils-data')
const scratch = scratchFolder('perils')
let service: TestService
const browser = await launchBrowser('chromium-headless-shell')

before(async () => {
  service = await startService({}, dataDir)
})
after(async () => {
  await browser.close()
  await service.end()
})

const site = () => ({ browser, url: service.url, dataDir, close: async () => {} })
const visitPage = (act: (page: Page) => Promise<void>) =>
  visit({ site: site() }, async (page) => {
    // On a busy machine, the first job waits for its engine to start.
    page.context().setDefaultTimeout(150_000)
    await act(page)
  })

/** A sparse file with a hole of `bytes` bytes between head and tail; the hole takes no disk space. */
async function writeSparseFile(
  name: string,
  headAndTail: readonly [Buffer, Buffer],
  bytes: number,
): Promise<string> {
  const path = join(scratch, name)
  const [head, end] = headAndTail
  const file = await open(path, 'w')
  await file.write(head)
  await file.write(end, 0, end.length, head.length + bytes)
  await file.close()
  return path
}

/** A video followed by a box of free space (ISO 14496-12, 8.1.2). */
function createLargeVideo(bytes: number): Promise<string> {
  const box = Buffer.alloc(16)
  box.writeUInt32BE(1)
  box.write('free', 4)
  box.writeBigUInt64BE(BigInt(box.length + bytes + 1), 8)
  const head = Buffer.concat([readFileSync(fixture('video.mp4')), box])
  return writeSparseFile('large.mp4', [head, Buffer.from([0])], bytes)
}

/** A PDF with a large unused stream in an incremental update (ISO 32000-2, 7.5.6). */
function createLargePdf(bytes: number): Promise<string> {
  const oldPdf = readFileSync(fixture('three-pages.pdf'))
  const text = oldPdf.toString('latin1')
  const root = /\/Root (\d+ \d+ R)/.exec(text)?.[1]
  const start = /startxref\s+(\d+)/.exec(text)?.[1]
  const head = Buffer.from(`\n900 0 obj\n<< /Length ${bytes} >>\nstream\n`)
  const end = '\nendstream\nendobj\n'
  const at = oldPdf.length + head.length + bytes + end.length
  const table = `xref\n900 1\n${String(oldPdf.length + 1).padStart(10, '0')} 00000 n \n`
  const trailer = `trailer\n<< /Size 901 /Root ${root} /Prev ${start} >>\nstartxref\n${at}\n%%EOF\n`
  return writeSparseFile(
    'large.pdf',
    [Buffer.concat([oldPdf, head]), Buffer.from(end + table + trailer)],
    bytes,
  )
}

/** Counts how many times the storage accepted each part, by part number. */
function trackUploadedParts(context: BrowserContext): Map<string, number> {
  const uploadedParts = new Map<string, number>()
  context.on('response', (response) => {
    const number = new URL(response.url()).searchParams.get('partNumber')
    if (response.request().method() !== 'PUT' || !number || response.status() !== 200) return
    uploadedParts.set(number, (uploadedParts.get(number) ?? 0) + 1)
  })
  return uploadedParts
}

async function chooseLarge(page: Page, path: string): Promise<void> {
  const [dialog] = await Promise.all([
    page.waitForEvent('filechooser'),
    page
      .getByRole('button', { name: /^Choose/ })
      .first()
      .click(),
  ])
  await dialog.setFiles(path)
}

test('an upload resumes after a lost connection, a crash of the service and a reload', () =>
  visitPage(async (page) => {
    const context = page.context()
    const uploadedParts = trackUploadedParts(context)
    const waitForMoreParts = (partCount: number) => {
      const target = uploadedParts.size + partCount
      return waitUntil(() => uploadedParts.size >= target, `${target} parts are uploaded`, 300)
    }
    const path = await createLargeVideo(megabytes * 1e6)
    await chooseLarge(page, path)
    const card = findFileCard(page, 'large.mp4')
    await card.getByRole('radio', { name: 'MP3' }).check()
    await card.getByRole('button', { name: 'Convert to MP3' }).click()
    await waitForMoreParts(3)

    await context.setOffline(true)
    await card.getByText('Connection lost. Retrying…').waitFor()
    await context.setOffline(false)
    await waitForMoreParts(3)

    await service.kill()
    await card.getByText('Connection lost. Retrying…').waitFor()
    service = await startService({ PORT: new URL(service.url).port }, dataDir)
    await waitForMoreParts(3)

    page.once('dialog', (dialog) => void dialog.accept())
    await page.reload()
    await card.getByText(/Upload paused at/).waitFor()
    const [dialog] = await Promise.all([
      page.waitForEvent('filechooser'),
      card.getByRole('button', { name: /^Choose/ }).click(),
    ])
    await dialog.setFiles(path)
    await card.getByRole('link', { name: /^Download/ }).waitFor({ timeout: 600_000 })
    assert.equal((await downloadFromCard(page, 'large.mp4')).suggestedFilename(), 'large.mp3')
    const repeatedParts = [...uploadedParts].filter(([, times]) => times > 1)
    assert.deepEqual(repeatedParts, [], `of ${uploadedParts.size} parts`)
  }))

test('a file too large for the workers of its target is rejected before it is uploaded', () =>
  visitPage(async (page) => {
    const requestedPaths: string[] = []
    page.on('request', (request) => requestedPaths.push(new URL(request.url()).pathname))
    // The cached check of a small file must not be used for a large one.
    for (const path of [fixture('three-pages.pdf'), await createLargePdf(4.5 * 1024 ** 3)]) {
      await chooseLarge(page, path)
      const card = findFileCard(page, basename(path))
      await card.getByRole('radio', { name: 'TXT' }).check()
      await card.getByRole('button', { name: 'Convert to TXT' }).click()
      const end =
        basename(path) === 'large.pdf' ? card.getByRole('alert') : findDownloadLink(page, basename(path))
      await end.waitFor()
    }
    const message = await findFileCard(page, 'large.pdf').getByRole('alert').textContent()
    assert.match(message ?? '', /4\.8\sGB, but the limit is 4\.3\sGB/)
    assert.deepEqual(
      requestedPaths.filter((path) => path.startsWith('/v1/uploads/')),
      ['/v1/uploads/presign'],
    )
  }))

test('a large file appears once if the page is reloaded while its job is created', () =>
  visitPage(async (page) => {
    await page.goto(service.url)
    // The service creates the job, but the page never learns of it.
    await page.route('**/v1/convert', async (route) => void (await route.fetch()), { times: 1 })
    const creationRequest = page.waitForRequest('**/v1/convert')
    await chooseLarge(page, await createLargeVideo(60e6))
    const card = findFileCard(page, 'large.mp4')
    await card.getByRole('button', { name: /^Convert to/ }).click()
    await creationRequest
    await page.waitForTimeout(2000)
    await page.reload()
    await card.first().waitFor()
    await findDownloadLink(page, 'large.mp4').waitFor()
    assert.equal(await card.count(), 1)
  }))

test('a large file appears once if its job is created only after the page is reloaded', () =>
  visitPage(async (page) => {
    const reloadedEvent = Promise.withResolvers<void>()
    const listedEvent = Promise.withResolvers<void>()
    await page.route(
      '**/v1/convert',
      async (route) => {
        const { url, method, headers, postData } = {
          url: route.request().url(),
          method: route.request().method(),
          headers: await route.request().allHeaders(),
          postData: route.request().postData(),
        }
        await reloadedEvent.promise
        await fetch(url, { method, headers, body: postData })
        listedEvent.resolve()
      },
      { times: 1 },
    )
    const creationRequest = page.waitForRequest('**/v1/convert')
    await chooseLarge(page, await createLargeVideo(60e6))
    const card = findFileCard(page, 'large.mp4')
    await card.getByRole('button', { name: /^Convert to/ }).click()
    await creationRequest
    // The list of jobs is still empty; before the page asks for its job, another request has created it.
    await page.route('**/v1/uploads/multipart/**', async (route) => {
      reloadedEvent.resolve()
      await listedEvent.promise
      await route.continue()
    })
    await page.reload()
    await findDownloadLink(page, 'large.mp4').waitFor()
    assert.equal(await card.count(), 1)
  }))

const findDownloadLink = (page: Page, name: string) =>
  findFileCard(page, name).getByRole('link', { name: /^Download/ })

test('two tabs show the same files, only one uploads each file, and both show the result', () =>
  visitPage(async (page) => {
    const createRequests: string[] = []
    const context = page.context()
    context.on('request', (request) => {
      if (request.url().endsWith('/v1/convert')) createRequests.push(request.url())
    })
    await chooseFiles(page, await readPayload(fixture('corners.png')))
    await findFileCard(page, 'corners.png')
      .getByRole('button', { name: /^Convert to/ })
      .waitFor()
    const otherPage = await context.newPage()
    await otherPage.goto(service.url)
    const press = (tab: Page) =>
      findFileCard(tab, 'corners.png')
        .getByRole('button', { name: /^Convert to/ })
        .click()
    const upload = Promise.withResolvers<void>()
    await page.route('**/s3/**', async (route) => {
      await upload.promise
      await route.continue()
    })
    await Promise.all([page.waitForRequest('**/s3/**'), press(page)])
    await press(otherPage)
    await findFileCard(otherPage, 'corners.png').getByRole('alert').getByText('Another tab').waitFor()
    upload.resolve()
    for (const tab of [page, otherPage]) await findDownloadLink(tab, 'corners.png').waitFor()
    for (const tab of [page, otherPage]) assert.equal(await tab.getByRole('article').count(), 1)
    assert.equal(createRequests.length, 1)
    await findFileCard(otherPage, 'corners.png')
      .getByRole('button', { name: /^Delete/ })
      .click()
    await findFileCard(page, 'corners.png').waitFor({ state: 'detached' })
  }))

test('while offline, the page waits and resumes when it is online again', () =>
  visitPage(async (page) => {
    const context = page.context()
    await chooseFiles(page, await readPayload(fixture('letter.docx')))
    const card = findFileCard(page, 'letter.docx')
    const start = card.getByRole('button', { name: /^Convert to/ })
    await start.waitFor()
    await context.setOffline(true)
    await start.click()
    await card.getByText('Connection lost. Retrying…').waitFor()
    const acceptedReply = page.waitForResponse('**/v1/convert')
    await context.setOffline(false)
    await acceptedReply
    await context.setOffline(true)
    await card.getByText('Can’t reach the server.').waitFor()
    await context.setOffline(false)
    await downloadFromCard(page, 'letter.docx')
  }))

test('an expired result is reported on its card, which offers to convert the file again', () =>
  visitPage(async (page) => {
    await page.clock.install()
    await chooseFiles(page, await readPayload(fixture('corners.png')))
    const card = findFileCard(page, 'corners.png')
    await card.getByRole('button', { name: /^Convert to/ }).click()
    await findDownloadLink(page, 'corners.png').waitFor()
    // Deletes the jobs, as the service does when results expire.
    await page.evaluate(async () => {
      const { data } = await (await fetch('/v1/jobs')).json()
      for (const { jobId } of data.jobs) await fetch(`/v1/jobs/${jobId}`, { method: 'DELETE' })
    })
    await page.clock.fastForward('24:01:00')
    await card.getByRole('alert').getByText('This result has expired.').waitFor()
    assert.equal(await findDownloadLink(page, 'corners.png').count(), 0)
    // The clock of this visitor is now a day ahead, which must not expire anything.
    await card.getByRole('button', { name: /^Convert to/ }).click()
    await findDownloadLink(page, 'corners.png').waitFor()
    const statusReply = page.waitForResponse('**/v1/status/**')
    await page.clock.fastForward('01:01')
    await statusReply
    assert.equal(await findDownloadLink(page, 'corners.png').count(), 1)
  }))
