import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { copyFile, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { promisify } from 'node:util'
import type { Page } from 'playwright-core'
import {
  chooseFiles,
  downloadFromCard,
  dropOrPaste,
  findFileCard,
  fixture,
  openSite,
  readColorsAt,
  readDownload,
  readPayload,
  type Site,
  visit,
} from './browser.ts'

const run = promisify(execFile)

let site: Site
let scratch: string

const visitPage = (act: (page: Page) => Promise<void>) => visit({ site }, act)

/** The tests mostly wait, so three run at a time. */
describe('converting on the page', { concurrency: 3 }, () => {
  before(async () => {
    site = await openSite()
    scratch = await mkdtemp(join(tmpdir(), 'mutabor-web-'))
  })
  after(async () => {
    await site.close()
    await rm(scratch, { recursive: true, force: true })
  })

  test('an image dropped on the heading of the page is converted to WebP and downloaded', () =>
    visitPage(async (page) => {
      await dropOrPaste(page, 'drop', await readPayload(fixture('corners.png'), 'corners.png', 'image/png'))
      const card = findFileCard(page, 'corners.png')
      await card.locator('.badge img').waitFor()
      await card.getByRole('radio', { name: 'WEBP' }).check()
      await card.getByRole('button', { name: 'Convert to WEBP' }).click()
      const download = await downloadFromCard(page, 'corners.png')
      assert.equal(download.suggestedFilename(), 'corners.webp')
      const bytes = await readDownload(download)
      assert.equal(bytes.toString('latin1', 8, 12), 'WEBP')
      const points = [
        [5, 5],
        [35, 5],
        [5, 25],
      ] as const
      const { width, height, colors } = await readColorsAt(page, bytes, points)
      assert.deepEqual([width, height], [40, 30])
      const strongestChannels = colors.map((color) => color.indexOf(Math.max(...color)))
      assert.deepEqual(
        strongestChannels,
        [0, 1, 2],
        `red, green and blue corners, got ${JSON.stringify(colors)}`,
      )
      assert.match(
        (await card.locator('.sizes').textContent()) ?? '',
        new RegExp(`after\\s*${bytes.length}\\sbytes`),
      )
    }))

  test('a Word document converts to PDF using only the keyboard', () =>
    visitPage(async (page) => {
      const press = (key: string) => page.keyboard.press(key)
      const getFocusedText = () => page.evaluate(() => document.activeElement?.textContent?.trim() ?? '')
      for (let pressCount = 0; (await getFocusedText()) !== 'Choose files'; pressCount++) {
        assert.ok(pressCount < 16, 'the button must come early in the tab order')
        await press('Tab')
      }
      const [dialog] = await Promise.all([page.waitForEvent('filechooser'), press('Enter')])
      await dialog.setFiles(fixture('letter.docx'))
      const card = findFileCard(page, 'letter.docx')
      const getChosenValue = () =>
        page.evaluate(() => (document.activeElement as HTMLInputElement | null)?.value)
      await card.getByRole('radio', { name: 'PDF' }).waitFor()
      assert.equal(await getChosenValue(), 'pdf', 'the target has the focus, and the default is chosen')
      await press('ArrowRight')
      assert.notEqual(await getChosenValue(), 'pdf')
      await press('Tab')
      await page.keyboard.type('portable doc')
      await press('Enter')
      assert.equal(await getFocusedText(), 'Convert to PDF')
      await press('Enter')
      const link = card.getByRole('link', { name: 'Download letter.pdf' })
      await link.waitFor()
      assert.match(await getFocusedText(), /^Download/, 'the focus moves to the next action of the card')
      await card.getByText('All 4\u00a0words kept.').waitFor()
      const [download] = await Promise.all([page.waitForEvent('download'), press('Enter')])
      const { stdout } = await run('pdftotext', [await download.path(), '-'])
      assert.match(stdout, /alphamarker in a letter/)
      await page.getByRole('link', { name: 'History' }).click()
      await page.getByRole('link', { name: 'letter.docx' }).click()
      await page.getByRole('heading', { name: 'Tasks' }).waitFor()
      await page.getByText('All 4\u00a0words kept.').waitFor()
    }))

  test('a double click on the button converts the file only once', () =>
    visitPage(async (page) => {
      let jobCount = 0
      page.on('request', (request) => {
        if (request.method() === 'POST' && request.url().endsWith('/v1/convert')) jobCount++
      })
      await chooseFiles(page, await readPayload(fixture('corners.png')))
      const card = findFileCard(page, 'corners.png')
      await card.getByRole('button', { name: /^Convert to/ }).dblclick()
      await card.getByRole('link', { name: /^Download/ }).waitFor()
      assert.equal(await card.getByRole('alert').count(), 0)
      assert.equal(jobCount, 1)
    }))

  test('progress from the service is shown as text and never decreases', () =>
    visitPage(async (page) => {
      const video = await createLongVideo('progress.mp4', 60)
      const devtools = await page.context().newCDPSession(page)
      await devtools.send('Network.emulateNetworkConditions', {
        offline: false,
        latency: 0,
        downloadThroughput: -1,
        uploadThroughput: (2 * video.buffer.length) / 3,
      })
      await chooseFiles(page, video)
      const card = findFileCard(page, 'progress.mp4')
      await card.getByRole('radio', { name: 'WEBM' }).check()
      await page.evaluate(() => {
        const seenTexts: string[] = []
        const recordProgressText = () =>
          seenTexts.push(document.querySelector('.progress-words')?.textContent ?? '')
        new MutationObserver(recordProgressText).observe(document.body, {
          childList: true,
          subtree: true,
          characterData: true,
        })
        Object.assign(window, { seenTexts })
      })
      await card.getByRole('button', { name: 'Convert to WEBM' }).click()
      await card.getByRole('link', { name: /^Download/ }).waitFor()
      const seenTexts = await page.evaluate(() => (window as unknown as { seenTexts: string[] }).seenTexts)
      const uploads = seenTexts.filter((words) => words.startsWith('Uploading'))
      assert.ok(
        new Set(uploads).size >= 3,
        `upload progress in bytes, got ${JSON.stringify([...new Set(uploads)])}`,
      )
      const percents = seenTexts.flatMap((words) => /\d+(?=%)/.exec(words)?.map(Number) ?? [])
      assert.deepEqual(
        percents,
        percents.toSorted((a, b) => a - b),
      )
      assert.ok(
        percents.some((percent) => percent > 0 && percent < 100),
        `a percentage between 0 and 100, got ${[...new Set(percents)]}`,
      )
    }))

  test('cancelling stops the job and leaves the file ready for another try', () =>
    visitPage(async (page) => {
      await chooseFiles(page, await createLongVideo('long.mp4', 1000))
      const card = findFileCard(page, 'long.mp4')
      await card.getByRole('radio', { name: 'WEBM' }).check()
      await card.getByRole('button', { name: 'Convert to WEBM' }).click()
      await card.getByText(/^(Converting|Encoding)$/).waitFor()
      await card.getByRole('button', { name: 'Cancel' }).click()
      await card.getByText('Cancelled.').waitFor()
      assert.equal(await card.getByRole('radio', { name: 'WEBM' }).isChecked(), true)
      assert.deepEqual(await listJobStatuses(page), ['cancelled'])
      await page.reload()
      await card.getByText('Target format: WEBM').waitFor()
      const [dialog] = await Promise.all([
        page.waitForEvent('filechooser'),
        card.getByRole('button', { name: 'Choose the file again' }).click(),
      ])
      await dialog.setFiles(join(scratch, 'long.mp4'))
      await page.getByRole('radio', { name: 'WEBM', checked: true }).waitFor()
      await page.getByRole('button', { name: 'Remove long.mp4' }).click()
      await card.getByRole('button', { name: 'Delete' }).click()
      await card.waitFor({ state: 'detached' })
      assert.deepEqual(await listJobStatuses(page), [], 'a deleted job does not reappear after a reload')
    }))

  test('a running job is followed again after a reload', () =>
    visitPage(async (page) => {
      await chooseFiles(page, await createLongVideo('video.mp4', 160))
      const card = findFileCard(page, 'video.mp4')
      await card.getByRole('radio', { name: 'WEBM' }).check()
      await card.getByRole('button', { name: 'Convert to WEBM' }).click()
      await card.getByRole('progressbar', { name: 'Conversion of video.mp4' }).waitFor()
      await page.waitForRequest('**/v1/status/**')
      const frames: string[] = []
      const statusRequests: string[] = []
      page.on('websocket', (socket) =>
        socket.on('framereceived', ({ payload: text }) => frames.push(String(text))),
      )
      page.on('request', (request) => {
        if (request.url().includes('/v1/status/')) statusRequests.push(request.url())
      })
      await page.reload()
      assert.equal(
        (await readDownload(await downloadFromCard(page, 'video.mp4'))).toString('hex', 0, 4),
        '1a45dfa3',
      )
      const hasReceived = (name: string) => frames.some((text) => text.includes(name))
      // On a busy machine, the page may poll and see the end before the frame arrives.
      for (let pollsLeft = 100; pollsLeft > 0 && !hasReceived('job.completed'); pollsLeft--)
        await page.waitForTimeout(100)
      assert.ok(
        hasReceived('job.progress') && hasReceived('job.completed'),
        frames.map((text) => text.slice(0, 80)).join(),
      )
      assert.ok(
        statusRequests.length <= 8,
        `the page gets events and only polls at the beginning and the end, not ${statusRequests.length} times`,
      )
    }))

  test('a dropped folder adds its files, including those in subfolders', () =>
    visitPage(async (page) => {
      const folder = join(scratch, 'album')
      await mkdir(join(folder, 'more'), { recursive: true })
      await copyFile(fixture('corners.png'), join(folder, 'one.png'))
      await copyFile(fixture('corners.jpg'), join(folder, 'more', 'two.jpg'))
      const devtools = await page.context().newCDPSession(page)
      for (const type of ['dragEnter', 'dragOver', 'drop'] as const) {
        const data = { items: [], files: [folder, fixture('plain.txt')], dragOperationsMask: 1 }
        await devtools.send('Input.dispatchDragEvent', { type, x: 200, y: 200, data })
      }
      await findFileCard(page, 'two.jpg').waitFor()
      const names = await page.getByRole('article').getByRole('heading').allTextContents()
      assert.deepEqual(names.toSorted(), ['one.png', 'plain.txt', 'two.jpg'])
    }))

  test('cancelling during the upload creates no job', () =>
    visitPage(async (page) => {
      // The upload is never answered, so that it takes as long as the test needs.
      await page.route('**/s3/**', () => {})
      await chooseFiles(page, await readPayload(fixture('corners.png')))
      const card = findFileCard(page, 'corners.png')
      await card.getByRole('button', { name: /^Convert to/ }).click()
      await card.getByText('Uploading', { exact: true }).waitFor()
      await card.getByRole('button', { name: 'Cancel' }).click()
      await card.getByText('Cancelled.').waitFor()
      assert.deepEqual(await listJobStatuses(page), [])
    }))

  test('one target can be chosen for several files, which are then converted with one click', () =>
    visitPage(async (page) => {
      const names = ['corners.png', 'corners.tiff', 'deep.png', 'corners.avif', 'alpha.png']
      await chooseFiles(page, ...(await Promise.all(names.map((name) => readPayload(fixture(name))))))
      const bulkActions = page.getByRole('group', { name: 'All files that are ready' })
      await bulkActions.getByText('5 files ready').waitFor()
      await bulkActions.getByRole('combobox').fill('jpg')
      await bulkActions.getByRole('option', { name: 'JPG' }).click()
      await bulkActions.getByRole('button', { name: 'Convert all' }).click()
      for (const name of names) {
        const bytes = await readDownload(await downloadFromCard(page, name))
        assert.equal(bytes.toString('hex', 0, 2), 'ffd8', name)
      }
      assert.equal(await bulkActions.isVisible(), false)
    }))

  test('an invalid option is shown at its field, and a valid one is passed to the engine', () =>
    visitPage(async (page) => {
      await dropOrPaste(page, 'paste', await readPayload(fixture('corners.png'), 'image.png', 'image/png'))
      const card = findFileCard(page, 'image.png')
      await card.getByText('Options').click()
      await card.getByRole('spinbutton', { name: 'Width' }).fill('0')
      await card.getByText('Options').click()
      await card.getByRole('button', { name: 'Convert to JPG' }).click()
      assert.equal(await card.getByRole('spinbutton', { name: 'Width' }).isVisible(), true)
      assert.equal(await page.evaluate(() => document.activeElement?.matches('input:invalid')), true)
      await card.getByRole('spinbutton', { name: 'Width' }).fill('20')
      await card.getByRole('button', { name: 'Convert to JPG' }).click()
      const { width, height } = await readColorsAt(
        page,
        await readDownload(await downloadFromCard(page, 'image.png')),
        [],
      )
      assert.deepEqual([width, height], [20, 15])
    }))

  test('a time option can be typed in the format of its hint', () =>
    visitPage(async (page) => {
      await dropOrPaste(page, 'drop', await createLongVideo('long.mp4', 3))
      const card = findFileCard(page, 'long.mp4')
      await card.getByRole('radio', { name: 'GIF' }).check()
      await card.getByText('Options').click()
      await card.getByLabel('End', { exact: true }).fill('00:00:00.5')
      await card.getByRole('button', { name: 'Convert to GIF' }).click()
      const path = await (await downloadFromCard(page, 'long.mp4')).path()
      const { stdout } = await run('ffprobe', ['-v', 'error', '-show_entries', 'format=duration', path])
      assert.match(stdout, /duration=0\.[4-6]/)
    }))

  test('deprecated options are not shown in the form', () =>
    visitPage(async (page) => {
      const pdf = fixture('owner-password.pdf')
      await dropOrPaste(page, 'drop', await readPayload(pdf, 'paper.pdf', 'application/pdf'))
      const card = findFileCard(page, 'paper.pdf')
      await card.getByRole('radio', { name: 'DOCX' }).check()
      await card.getByText('Options').click()
      await card.getByLabel('Pages', { exact: true }).waitFor()
      assert.doesNotMatch((await card.locator('.options').textContent()) ?? '', /Older|Page range/)
    }))
})

/** A video of the given length, small to upload but slow to re-encode. */
async function createLongVideo(name: string, seconds: number) {
  const path = join(scratch, name)
  const loopArgs = ['-stream_loop', String(seconds - 1), '-i', fixture('video.mp4'), '-c', 'copy', path]
  await run('ffmpeg', ['-nostdin', '-v', 'error', '-y', ...loopArgs])
  return readPayload(path, name, 'video/mp4')
}

/** Statuses of the visitor's jobs. */
function listJobStatuses(page: Page): Promise<string[]> {
  return page.evaluate(async () => {
    const { data } = await (await fetch('/v1/jobs')).json()
    return data.jobs.map((job: { status: string }) => job.status)
  })
}
