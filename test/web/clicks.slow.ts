import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { scratchFolder } from '../support/scratch-folder.ts'
import { fixture, openSite, type Payload, readDownload, readPayload, type Site, visit } from './browser.ts'

/**
 * Ten common jobs, each with the number of clicks that it may take from the page where people begin, and a check of
 * the result. Typing and choosing in the file dialog are not counted. About 90 s.
 */

const scratch = scratchFolder('clicks')
let site: Site

interface Job {
  readonly name: string
  readonly maxClicks: number
  readonly path?: string
  readonly files: () => Promise<readonly Payload[]>
  /** What is clicked and typed between choosing the files and downloading the result. */
  readonly act: (page: Page) => Promise<void>
  /** Whether all results are downloaded together. */
  readonly isZip?: true
  readonly check: (result: { readonly name: string; readonly path: string }) => void
}

const readFixtures = (...names: readonly string[]) =>
  Promise.all(names.map((name) => readPayload(fixture(name))))
const run = (program: string, ...args: readonly string[]) => execFileSync(program, args, { encoding: 'utf8' })
const clickButton = (page: Page, name: string | RegExp) => page.getByRole('button', { name }).first().click()

/** A scan: a page as an image without text. */
async function createScan(): Promise<Payload> {
  run('pdftoppm', '-r', '150', '-png', '-singlefile', fixture('report.pdf'), join(scratch, 'scan'))
  run('img2pdf', join(scratch, 'scan.png'), '-o', join(scratch, 'scan.pdf'))
  return readPayload(join(scratch, 'scan.pdf'))
}

/** A PDF of a large photo. */
async function createHeavyPdf(): Promise<Payload> {
  const noise = ['-f', 'lavfi', '-i', 'testsrc2=s=1600x1200', '-vf', 'noise=alls=60', '-frames:v', '1']
  run('ffmpeg', '-v', 'error', '-y', ...noise, '-q:v', '2', join(scratch, 'photo.jpg'))
  run('img2pdf', join(scratch, 'photo.jpg'), '-o', join(scratch, 'report.pdf'))
  return readPayload(join(scratch, 'report.pdf'))
}

const jobs: readonly Job[] = [
  {
    name: 'converting a PDF to Word',
    maxClicks: 3,
    files: () => readFixtures('report.pdf'),
    act: (page) => clickButton(page, 'Convert to DOCX'),
    check: ({ name, path }) => {
      assert.equal(name, 'report.docx')
      assert.match(run('unzip', '-p', path, 'word/document.xml'), /<w:t[ >]/)
    },
  },
  {
    name: 'converting a Word document to PDF',
    maxClicks: 3,
    files: () => readFixtures('letter.docx'),
    act: (page) => clickButton(page, 'Convert to PDF'),
    check: ({ path }) => assert.match(run('pdftotext', path, '-'), /alphamarker in a letter/),
  },
  {
    name: 'combining images into one PDF',
    maxClicks: 4,
    files: () => readFixtures('corners.png', 'corners.jpg', 'deep.png'),
    act: async (page) => {
      await page
        .getByRole('group', { name: 'Convert all 3 images to' })
        .getByRole('button', { name: 'PDF' })
        .click()
      await clickButton(page, 'Combine 3 images into one PDF')
    },
    check: ({ name, path }) => {
      assert.equal(name, 'images.pdf')
      assert.match(run('pdfinfo', path), /Pages:\s+3/)
    },
  },
  {
    name: 'merging two PDFs',
    maxClicks: 4,
    path: '/merge-pdf',
    files: () => readFixtures('three-pages.pdf', 'report.pdf'),
    act: (page) => clickButton(page, 'Merge files'),
    check: ({ name, path }) => {
      assert.equal(name, 'merged.pdf')
      assert.ok(Number(/Pages:\s+(\d+)/.exec(run('pdfinfo', path))?.[1]) > 3)
    },
  },
  {
    name: 'compressing a PDF to a chosen size',
    maxClicks: 4,
    path: '/compress-pdf',
    files: async () => [await createHeavyPdf()],
    act: async (page) => {
      await clickButton(page, /^up to/)
      await clickButton(page, 'Compress PDF')
    },
    check: ({ path }) => {
      const [before, after] = [join(scratch, 'report.pdf'), path].map((file) =>
        Number(run('stat', '-c%s', file)),
      )
      assert.ok(Number(after) < 0.76 * Number(before), `${before} to ${after} bytes`)
    },
  },
  {
    name: 'converting eight HEIC images to JPG',
    maxClicks: 3,
    path: '/heic-to-jpg',
    files: async () => {
      const { buffer } = await readPayload(fixture('corners.heic'))
      return Array.from({ length: 8 }, (_, at) => ({ name: `${at}.heic`, mimeType: '', buffer }))
    },
    act: async (page) => {
      await clickButton(page, 'Convert all')
      await page.getByRole('button', { name: 'Download all 8 as ZIP' }).waitFor()
    },
    isZip: true,
    check: ({ path }) => assert.equal(run('unzip', '-l', path).match(/\.jpg/g)?.length, 8),
  },
  {
    name: 'converting a part of an MP4 to GIF',
    maxClicks: 5,
    files: () => readFixtures('video.mp4'),
    act: async (page) => {
      await page.getByRole('radio', { name: 'GIF' }).click()
      await page.getByText('Options', { exact: true }).click()
      await page.getByLabel('End', { exact: true }).fill('00:00:00.5')
      await clickButton(page, 'Convert to GIF')
    },
    check: ({ path }) =>
      assert.match(
        run('ffprobe', '-v', 'error', '-show_entries', 'format=duration', path),
        /duration=0\.[4-6]/,
      ),
  },
  {
    name: 'converting MP4 to MP3',
    maxClicks: 3,
    path: '/mp4-to-mp3',
    files: () => readFixtures('subtitled.mp4'),
    act: (page) => clickButton(page, 'Convert to MP3'),
    check: ({ path }) =>
      assert.match(
        run('ffprobe', '-v', 'error', '-show_entries', 'stream=codec_name', path),
        /codec_name=mp3/,
      ),
  },
  {
    name: 'resizing and converting an image',
    maxClicks: 4,
    files: () => readFixtures('corners.png'),
    act: async (page) => {
      await page.getByText('Options', { exact: true }).click()
      await page.getByRole('spinbutton', { name: 'Width' }).fill('20')
      await clickButton(page, /^Convert to/)
    },
    check: ({ path }) =>
      assert.match(run('ffprobe', '-v', 'error', '-show_entries', 'stream=width', path), /width=20\b/),
  },
  {
    name: 'recognizing the text of a scan',
    maxClicks: 4,
    path: '/scan-to-text',
    files: async () => [await createScan()],
    act: (page) => clickButton(page, 'Recognize text (OCR)'),
    check: ({ path }) => assert.match(run('pdftotext', path, '-'), /[a-z]{4}/i),
  },
]

describe('clicks of common jobs', () => {
  before(async () => {
    site = await openSite()
  })
  after(() => site.close())

  for (const { name, maxClicks, path = '/', files, act, check, isZip } of jobs) {
    test(`${name} takes at most ${maxClicks} clicks`, () =>
      visit({ site, path }, async (page) => {
        // On a busy machine, the first job waits for its engine to start.
        page.setDefaultTimeout(150_000)
        let clickCount = 0
        await page.exposeFunction('countClick', () => clickCount++)
        await page.evaluate(() =>
          // A click of a label is one click, although its field gets another click event.
          addEventListener(
            'pointerup',
            () => (window as unknown as { countClick: () => void }).countClick(),
            true,
          ),
        )
        const [dialog] = await Promise.all([
          page.waitForEvent('filechooser'),
          page.getByRole('button', { name: 'Choose files' }).click(),
        ])
        await dialog.setFiles([...(await files())])
        await act(page)
        const [download] = await Promise.all([
          page.waitForEvent('download'),
          (isZip
            ? page.getByRole('button', { name: /^Download all/ })
            : page.getByRole('link', { name: /^Download/ }).first()
          ).click(),
        ])
        const resultPath = join(scratch, download.suggestedFilename())
        const source = await readDownload(download)
        writeFileSync(`${resultPath}.result`, source)
        check({ name: download.suggestedFilename(), path: `${resultPath}.result` })
        assert.ok(clickCount >= 2 && clickCount <= maxClicks, `${clickCount} clicks`)
      }))
  }
})
