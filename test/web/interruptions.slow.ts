import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { test } from 'node:test'
import type { BrowserContext, Page } from 'playwright-core'
import { after, before } from '../hooks.ts'
import { scratchFolder } from '../scratch-folder.ts'
import { startService, type TestService } from '../service.ts'
import { until } from '../wait-until.ts'
import { fileCard, chooseFiles, downloadFrom, fixture, launchBrowser, filePayload, visit } from './browser.ts'

/**
 * What happens to a page that stays open: lines are cut, the service is killed, it is in two tabs, and time passes. The
 * file that is sent has 400 MB; `UPLOAD_MB=6144 npm run test:slow -- test/web/interruptions.slow.ts` sends 6 GB, in some minutes.
 * Half a minute.
 */

const megabytes = Number(process.env['UPLOAD_MB'] ?? 400)
const dataDir = scratchFolder('perils-data')
const scratch = scratchFolder('perils')
let service: TestService
const browser = await launchBrowser()

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
    // On a busy machine the first job waits for its engine to start.
    page.context().setDefaultTimeout(150_000)
    await act(page)
  })

/** A file with so many bytes between two pieces of it, which stand nowhere on the disk. */
async function writeSparseFile(name: string, headAndTail: readonly [Buffer, Buffer], bytes: number): Promise<string> {
  const path = join(scratch, name)
  const [head, end] = headAndTail
  const file = await open(path, 'w')
  await file.write(head)
  await file.write(end, 0, end.length, head.length + bytes)
  await file.close()
  return path
}

/** A film with a box of free space behind it (ISO 14496-12, 8.1.2). */
function createLargeVideo(bytes: number): Promise<string> {
  const box = Buffer.alloc(16)
  box.writeUInt32BE(1)
  box.write('free', 4)
  box.writeBigUInt64BE(BigInt(box.length + bytes + 1), 8)
  const head = Buffer.concat([readFileSync(fixture('film.mp4')), box])
  return writeSparseFile('large.mp4', [head, Buffer.from([0])], bytes)
}

/** A PDF with a stream that nobody sees: an update at its end (ISO 32000-2, 7.5.6). */
function createLargePdf(bytes: number): Promise<string> {
  const old = readFileSync(fixture('three-pages.pdf'))
  const text = old.toString('latin1')
  const root = /\/Root (\d+ \d+ R)/.exec(text)?.[1]
  const start = /startxref\s+(\d+)/.exec(text)?.[1]
  const head = Buffer.from(`\n900 0 obj\n<< /Length ${bytes} >>\nstream\n`)
  const end = '\nendstream\nendobj\n'
  const at = old.length + head.length + bytes + end.length
  const table = `xref\n900 1\n${String(old.length + 1).padStart(10, '0')} 00000 n \n`
  const trailer = `trailer\n<< /Size 901 /Root ${root} /Prev ${start} >>\nstartxref\n${at}\n%%EOF\n`
  return writeSparseFile('large.pdf', [Buffer.concat([old, head]), Buffer.from(end + table + trailer)], bytes)
}

/** Parts that the storage has taken, by number. */
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

test('an upload goes on where it was after two cuts, a kill of the service and a reload', () =>
  visitPage(async (page) => {
    const context = page.context()
    const uploadedParts = trackUploadedParts(context)
    const waitForMoreParts = (parts: number) => {
      const wanted = uploadedParts.size + parts
      return until(() => uploadedParts.size >= wanted, `${wanted} parts are there`, 300)
    }
    const path = await createLargeVideo(megabytes * 1e6)
    await chooseLarge(page, path)
    const card = fileCard(page, 'large.mp4')
    await card.getByRole('radio', { name: 'MP3' }).check()
    await card.getByRole('button', { name: 'Convert to MP3' }).click()
    await waitForMoreParts(3)

    await context.setOffline(true)
    await card.getByText('it goes on by itself').waitFor()
    await context.setOffline(false)
    await waitForMoreParts(3)

    await service.kill()
    await card.getByText('it goes on by itself').waitFor()
    service = await startService({ PORT: new URL(service.url).port }, dataDir)
    await waitForMoreParts(3)

    page.once('dialog', (dialog) => void dialog.accept())
    await page.reload()
    await card.getByText(/of .* are there/).waitFor()
    const [dialog] = await Promise.all([
      page.waitForEvent('filechooser'),
      card.getByRole('button', { name: /^Choose/ }).click(),
    ])
    await dialog.setFiles(path)
    await card.getByRole('link', { name: /^Download/ }).waitFor({ timeout: 600_000 })
    assert.equal((await downloadFrom(page, 'large.mp4')).suggestedFilename(), 'large.mp3')
    const again = [...uploadedParts].filter(([, times]) => times > 1)
    assert.deepEqual(again, [], `of ${uploadedParts.size} parts`)
  }))

test('a file that the workers of its target cannot hold is told so before a byte is sent', () =>
  visitPage(async (page) => {
    const requestedPaths: string[] = []
    page.on('request', (request) => requestedPaths.push(new URL(request.url()).pathname))
    // A small file with the same wish says nothing of a large one.
    for (const path of [fixture('three-pages.pdf'), await createLargePdf(4.5 * 1024 ** 3)]) {
      await chooseLarge(page, path)
      const card = fileCard(page, basename(path))
      await card.getByRole('radio', { name: 'TXT' }).check()
      await card.getByRole('button', { name: 'Convert to TXT' }).click()
      const end = basename(path) === 'large.pdf' ? card.getByRole('alert') : downloadLink(page, basename(path))
      await end.waitFor()
    }
    const message = await fileCard(page, 'large.pdf').getByRole('alert').textContent()
    assert.match(message ?? '', /4609 MiB; this conversion accepts at most 4096 MiB/)
    assert.deepEqual(
      requestedPaths.filter((path) => path.startsWith('/v1/uploads/')),
      ['/v1/uploads/presign'],
    )
  }))

const downloadLink = (page: Page, name: string) => fileCard(page, name).getByRole('link', { name: /^Download/ })

test('two tabs show the same files, one of them sends each, and both learn of the end', () =>
  visitPage(async (page) => {
    const made: string[] = []
    const context = page.context()
    context.on('request', (request) => {
      if (request.url().endsWith('/v1/convert')) made.push(request.url())
    })
    await chooseFiles(page, await filePayload(fixture('corners.png')))
    await fileCard(page, 'corners.png')
      .getByRole('button', { name: /^Convert to/ })
      .waitFor()
    const other = await context.newPage()
    await other.goto(service.url)
    const press = (tab: Page) =>
      fileCard(tab, 'corners.png')
        .getByRole('button', { name: /^Convert to/ })
        .click()
    const held = Promise.withResolvers<void>()
    await page.route('**/s3/**', async (route) => {
      await held.promise
      await route.continue()
    })
    await Promise.all([page.waitForRequest('**/s3/**'), press(page)])
    await press(other)
    await fileCard(other, 'corners.png').getByRole('alert').getByText('Another tab').waitFor()
    held.resolve()
    for (const tab of [page, other]) await downloadLink(tab, 'corners.png').waitFor()
    for (const tab of [page, other]) assert.equal(await tab.getByRole('article').count(), 1)
    assert.equal(made.length, 1)
    await fileCard(other, 'corners.png')
      .getByRole('button', { name: /^Delete/ })
      .click()
    await fileCard(page, 'corners.png').waitFor({ state: 'detached' })
  }))

test('without a line it waits, and goes on when there is one', () =>
  visitPage(async (page) => {
    const context = page.context()
    await chooseFiles(page, await filePayload(fixture('letter.docx')))
    const card = fileCard(page, 'letter.docx')
    const start = card.getByRole('button', { name: /^Convert to/ })
    await start.waitFor()
    await context.setOffline(true)
    await start.click()
    await card.getByText('it goes on by itself').waitFor()
    const accepted = page.waitForResponse('**/v1/convert')
    await context.setOffline(false)
    await accepted
    await context.setOffline(true)
    await card.getByText('The service does not answer').waitFor()
    await context.setOffline(false)
    await downloadFrom(page, 'letter.docx')
  }))

test('when the time of a result is over, its card says so and offers to convert again', () =>
  visitPage(async (page) => {
    await page.clock.install()
    await chooseFiles(page, await filePayload(fixture('corners.png')))
    const card = fileCard(page, 'corners.png')
    await card.getByRole('button', { name: /^Convert to/ }).click()
    await downloadLink(page, 'corners.png').waitFor()
    // As the sweeper of the service does it then.
    await page.evaluate(async () => {
      const { data } = await (await fetch('/v1/jobs')).json()
      for (const { jobId } of data.jobs) await fetch(`/v1/jobs/${jobId}`, { method: 'DELETE' })
    })
    await page.clock.fastForward('24:01:00')
    await card.getByRole('alert').getByText('The time for which the result was kept is over').waitFor()
    assert.equal(await downloadLink(page, 'corners.png').count(), 0)
    // The clock of this visitor is a day ahead now, which ends nothing.
    await card.getByRole('button', { name: /^Convert to/ }).click()
    await downloadLink(page, 'corners.png').waitFor()
    const requestedPaths = page.waitForResponse('**/v1/status/**')
    await page.clock.fastForward('01:01')
    await requestedPaths
    assert.equal(await downloadLink(page, 'corners.png').count(), 1)
  }))
