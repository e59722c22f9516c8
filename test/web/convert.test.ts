import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { copyFile, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { promisify } from 'node:util'
import type { Page } from 'playwright-core'
import {
  bytesOf,
  cardOf,
  choose,
  colorsAt,
  downloadFrom,
  fixture,
  give,
  openSite,
  payload,
  type Site,
  visit,
} from './browser.ts'

const run = promisify(execFile)

let site: Site
let scratch: string

const visitPage = (act: (page: Page) => Promise<void>) => visit({ site }, act)

/** Most of the time a test waits, so three of them share the machine. */
describe('converting in the page', { concurrency: 3 }, () => {
  before(async () => {
    site = await openSite()
    scratch = await mkdtemp(join(tmpdir(), 'mutabor-web-'))
  })
  after(async () => {
    await site.close()
    await rm(scratch, { recursive: true, force: true })
  })

  test('a picture dropped anywhere becomes the WebP that is downloaded', () =>
    visitPage(async (page) => {
      await give(page, 'drop', await payload(fixture('corners.png'), 'corners.png', 'image/png'))
      const card = cardOf(page, 'corners.png')
      await card.locator('.badge img').waitFor()
      await card.getByRole('radio', { name: 'WEBP' }).check()
      await card.getByRole('button', { name: 'Convert to WEBP' }).click()
      const download = await downloadFrom(page, 'corners.png')
      assert.equal(download.suggestedFilename(), 'corners.webp')
      const bytes = await bytesOf(download)
      assert.equal(bytes.toString('latin1', 8, 12), 'WEBP')
      const points = [
        [5, 5],
        [35, 5],
        [5, 25],
      ] as const
      const { width, height, colors } = await colorsAt(page, bytes, points)
      assert.deepEqual([width, height], [40, 30])
      const loudest = colors.map((color) => color.indexOf(Math.max(...color)))
      assert.deepEqual(loudest, [0, 1, 2], `red, green and blue corners, got ${JSON.stringify(colors)}`)
      assert.match(
        (await card.locator('.sizes').textContent()) ?? '',
        new RegExp(`after\\s*${bytes.length}\\sbytes`),
      )
    }))

  test('a Word document becomes a PDF by keyboard alone', () =>
    visitPage(async (page) => {
      const press = (key: string) => page.keyboard.press(key)
      const focused = () => page.evaluate(() => document.activeElement?.textContent?.trim() ?? '')
      for (let presses = 0; (await focused()) !== 'Choose files'; presses++) {
        assert.ok(presses < 16, 'the button must come early in the tab order')
        await press('Tab')
      }
      const [dialog] = await Promise.all([page.waitForEvent('filechooser'), press('Enter')])
      await dialog.setFiles(fixture('letter.docx'))
      const card = cardOf(page, 'letter.docx')
      const chosen = () => page.evaluate(() => (document.activeElement as HTMLInputElement | null)?.value)
      await card.getByRole('radio', { name: 'PDF' }).waitFor()
      assert.equal(await chosen(), 'pdf', 'the focus is on the target, and the usual one is chosen')
      await press('ArrowRight')
      assert.notEqual(await chosen(), 'pdf')
      await press('Tab')
      await page.keyboard.type('portable doc')
      await press('Enter')
      assert.equal(await focused(), 'Convert to PDF')
      await press('Enter')
      const link = card.getByRole('link', { name: 'Download letter.pdf' })
      await link.waitFor()
      assert.match(await focused(), /^Download/, 'the focus follows the card to what comes next')
      await card.getByText('All 4\u00a0words kept.').waitFor()
      const [download] = await Promise.all([page.waitForEvent('download'), press('Enter')])
      const { stdout } = await run('pdftotext', [await download.path(), '-'])
      assert.match(stdout, /alphamarker in a letter/)
    }))

  test('progress comes from the service, is told in words and never falls', () =>
    visitPage(async (page) => {
      const film = await longFilm('progress.mp4', 60)
      const line = await page.context().newCDPSession(page)
      await line.send('Network.emulateNetworkConditions', {
        offline: false,
        latency: 0,
        downloadThroughput: -1,
        uploadThroughput: (2 * film.buffer.length) / 3,
      })
      await choose(page, film)
      const card = cardOf(page, 'progress.mp4')
      await card.getByRole('radio', { name: 'WEBM' }).check()
      await page.evaluate(() => {
        const seen: string[] = []
        const note = () => seen.push(document.querySelector('.progress-words')?.textContent ?? '')
        new MutationObserver(note).observe(document.body, {
          childList: true,
          subtree: true,
          characterData: true,
        })
        Object.assign(window, { seen })
      })
      await card.getByRole('button', { name: 'Convert to WEBM' }).click()
      await card.getByRole('link', { name: /^Download/ }).waitFor()
      const seen = await page.evaluate(() => (window as unknown as { seen: string[] }).seen)
      const uploads = seen.filter((words) => words.startsWith('Uploading'))
      assert.ok(
        new Set(uploads).size >= 3,
        `bytes while they leave, got ${JSON.stringify([...new Set(uploads)])}`,
      )
      const percents = seen.flatMap((words) => /\d+(?=%)/.exec(words)?.map(Number) ?? [])
      assert.deepEqual(
        percents,
        percents.toSorted((a, b) => a - b),
      )
      assert.ok(
        percents.some((percent) => percent > 0 && percent < 100),
        `something between the ends, got ${[...new Set(percents)]}`,
      )
    }))

  test('cancelling stops the job and leaves the file ready for another try', () =>
    visitPage(async (page) => {
      await choose(page, await longFilm('long.mp4', 1000))
      const card = cardOf(page, 'long.mp4')
      await card.getByRole('radio', { name: 'WEBM' }).check()
      await card.getByRole('button', { name: 'Convert to WEBM' }).click()
      await card.getByText(/^(Converting|Encoding)$/).waitFor()
      await card.getByRole('button', { name: 'Cancel' }).click()
      await card.getByText('Cancelled.').waitFor()
      assert.equal(await card.getByRole('radio', { name: 'WEBM' }).isChecked(), true)
      assert.deepEqual(await statuses(page), ['cancelled'])
      await page.reload()
      await card.getByText('It was to become WEBM.').waitFor()
      const [dialog] = await Promise.all([
        page.waitForEvent('filechooser'),
        card.getByRole('button', { name: 'Choose the file again' }).click(),
      ])
      await dialog.setFiles(join(scratch, 'long.mp4'))
      await page.getByRole('radio', { name: 'WEBM', checked: true }).waitFor()
      await page.getByRole('button', { name: 'Remove long.mp4' }).click()
      await card.getByRole('button', { name: 'Delete' }).click()
      await card.waitFor({ state: 'detached' })
      assert.deepEqual(await statuses(page), [], 'what is removed does not come back at the next visit')
    }))

  test('a job that runs is followed again after a reload', () =>
    visitPage(async (page) => {
      await choose(page, await longFilm('film.mp4', 160))
      const card = cardOf(page, 'film.mp4')
      await card.getByRole('radio', { name: 'WEBM' }).check()
      await card.getByRole('button', { name: 'Convert to WEBM' }).click()
      await card.getByRole('progressbar', { name: 'Conversion of film.mp4' }).waitFor()
      await page.waitForRequest('**/v1/status/**')
      const told: string[] = []
      const asked: string[] = []
      page.on('websocket', (socket) =>
        socket.on('framereceived', ({ payload: text }) => told.push(String(text))),
      )
      page.on('request', (request) => {
        if (request.url().includes('/v1/status/')) asked.push(request.url())
      })
      await page.reload()
      assert.equal((await bytesOf(await downloadFrom(page, 'film.mp4'))).toString('hex', 0, 4), '1a45dfa3')
      const hears = (name: string) => told.some((text) => text.includes(name))
      // On a busy machine the page may ask and see the end before the frame is there.
      for (let left = 100; left > 0 && !hears('job.completed'); left--) await page.waitForTimeout(100)
      assert.ok(hears('job.progress') && hears('job.completed'), told.map((text) => text.slice(0, 80)).join())
      assert.ok(
        asked.length <= 8,
        `it is told, and asks at the beginning and the end, not ${asked.length} times`,
      )
    }))

  test('a dropped folder gives its files, those of its folders too', () =>
    visitPage(async (page) => {
      const folder = join(scratch, 'album')
      await mkdir(join(folder, 'more'), { recursive: true })
      await copyFile(fixture('corners.png'), join(folder, 'one.png'))
      await copyFile(fixture('corners.jpg'), join(folder, 'more', 'two.jpg'))
      const line = await page.context().newCDPSession(page)
      for (const type of ['dragEnter', 'dragOver', 'drop'] as const) {
        const data = { items: [], files: [folder, fixture('plain.txt')], dragOperationsMask: 1 }
        await line.send('Input.dispatchDragEvent', { type, x: 200, y: 200, data })
      }
      await cardOf(page, 'two.jpg').waitFor()
      const names = await page.getByRole('article').getByRole('heading').allTextContents()
      assert.deepEqual(names.toSorted(), ['one.png', 'plain.txt', 'two.jpg'])
    }))

  test('an upload is cancelled before it becomes a job', () =>
    visitPage(async (page) => {
      // Held, never answered: the upload takes as long as the test wants.
      await page.route('**/s3/**', () => {})
      await choose(page, await payload(fixture('corners.png')))
      const card = cardOf(page, 'corners.png')
      await card.getByRole('button', { name: /^Convert to/ }).click()
      await card.getByText('Uploading', { exact: true }).waitFor()
      await card.getByRole('button', { name: 'Cancel' }).click()
      await card.getByText('Cancelled.').waitFor()
      assert.deepEqual(await statuses(page), [])
    }))

  test('several files get one target and start together', () =>
    visitPage(async (page) => {
      const names = ['corners.png', 'corners.tiff', 'deep.png', 'corners.avif', 'alpha.png']
      await choose(page, ...(await Promise.all(names.map((name) => payload(fixture(name))))))
      const together = page.getByRole('group', { name: 'All files that are ready' })
      await together.getByText('5 files are ready.').waitFor()
      await together.getByRole('combobox').fill('jpg')
      await together.getByRole('option', { name: 'JPG' }).click()
      await together.getByRole('button', { name: 'Convert all' }).click()
      for (const name of names) {
        const bytes = await bytesOf(await downloadFrom(page, name))
        assert.equal(bytes.toString('hex', 0, 2), 'ffd8', name)
      }
      assert.equal(await together.isVisible(), false)
    }))

  test('options are a form, a wrong value is shown at its field, a right one reaches the engine', () =>
    visitPage(async (page) => {
      await give(page, 'paste', await payload(fixture('corners.png'), 'image.png', 'image/png'))
      const card = cardOf(page, 'image.png')
      await card.getByText('Options').click()
      await card.getByRole('spinbutton', { name: 'Width' }).fill('0')
      await card.getByText('Options').click()
      await card.getByRole('button', { name: 'Convert to JPG' }).click()
      assert.equal(await card.getByRole('spinbutton', { name: 'Width' }).isVisible(), true)
      assert.equal(await page.evaluate(() => document.activeElement?.matches('input:invalid')), true)
      await card.getByRole('spinbutton', { name: 'Width' }).fill('20')
      await card.getByRole('button', { name: 'Convert to JPG' }).click()
      const { width, height } = await colorsAt(page, await bytesOf(await downloadFrom(page, 'image.png')), [])
      assert.deepEqual([width, height], [20, 15])
    }))

  test('a time is typed as its hint says', () =>
    visitPage(async (page) => {
      await give(page, 'drop', await longFilm('long.mp4', 3))
      const card = cardOf(page, 'long.mp4')
      await card.getByRole('radio', { name: 'GIF' }).check()
      await card.getByText('Options').click()
      await card.getByLabel('End', { exact: true }).fill('00:00:00.5')
      await card.getByRole('button', { name: 'Convert to GIF' }).click()
      const path = await (await downloadFrom(page, 'long.mp4')).path()
      const { stdout } = await run('ffprobe', ['-v', 'error', '-show_entries', 'format=duration', path])
      assert.match(stdout, /duration=0\.[4-6]/)
    }))

  test('options of which only the old name is left are not in the form', () =>
    visitPage(async (page) => {
      const pdf = fixture('owner-password.pdf')
      await give(page, 'drop', await payload(pdf, 'paper.pdf', 'application/pdf'))
      const card = cardOf(page, 'paper.pdf')
      await card.getByRole('radio', { name: 'DOCX' }).check()
      await card.getByText('Options').click()
      await card.getByLabel('Pages', { exact: true }).waitFor()
      assert.doesNotMatch((await card.locator('.options').textContent()) ?? '', /Older|Page range/)
    }))
})

/** A film of so many seconds, small to send and long to encode anew. */
async function longFilm(name: string, seconds: number) {
  const path = join(scratch, name)
  const loop = ['-stream_loop', String(seconds - 1), '-i', fixture('film.mp4'), '-c', 'copy', path]
  await run('ffmpeg', ['-nostdin', '-v', 'error', '-y', ...loop])
  return payload(path, name, 'video/mp4')
}

/** States of the jobs of whoever uses this page. */
function statuses(page: Page): Promise<string[]> {
  return page.evaluate(async () => {
    const { data } = await (await fetch('/v1/jobs')).json()
    return data.jobs.map((job: { status: string }) => job.status)
  })
}
