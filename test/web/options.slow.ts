import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import type { Locator } from 'playwright-core'
import { after, before } from '../hooks.ts'
import { scratchFolder } from '../support/scratch-folder.ts'
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
import { checkAppearance } from './check-appearance.ts'

/** Special option fields in a real browser, in both languages. About 60 s. */

const run = promisify(execFile)
const folder = scratchFolder('mutabor-options')

let site: Site
before(async () => {
  site = await openSite()
})
after(() => site.close())

const noMotion = { viewport: { width: 1280, height: 900 }, reducedMotion: 'reduce' } as const
const phone = {
  ...noMotion,
  viewport: { width: 375, height: 740 },
  colorScheme: 'dark',
  locale: 'de-DE',
} as const

/** A video of the given length. */
async function createVideo(seconds: number): Promise<string> {
  const path = join(folder, 'video.webm')
  const source = `color=c=red:s=64x48:r=10:d=${seconds}`
  await run('ffmpeg', ['-nostdin', '-v', 'error', '-y', '-f', 'lavfi', '-i', source, '-c:v', 'libvpx', path])
  return path
}

async function readDurationS(path: string): Promise<number> {
  const args = ['-v', 'error', '-show_entries', 'format=duration', '-of', 'csv=p=0', path]
  return Number((await run('ffprobe', args)).stdout)
}

const press = async (field: Locator, key: string, times: number) => {
  await field.focus()
  for (let pressesLeft = times; pressesLeft > 0; pressesLeft--) await field.press(key)
}

test('the two handles that trim a video can be moved by keyboard', () =>
  visit({ site, context: noMotion }, async (page) => {
    await dropOrPaste(page, 'drop', await readPayload(await createVideo(6), 'video.webm', 'video/webm'))
    const card = findFileCard(page, 'video.webm')
    await card.getByRole('radio', { name: 'MP4' }).check()
    await card.getByText('Options').click()
    const trimGroup = card.getByRole('group', { name: 'Trim' })
    await press(trimGroup.getByRole('slider', { name: 'Start, slider' }), 'ArrowRight', 20)
    await press(trimGroup.getByRole('slider', { name: 'End, slider' }), 'ArrowLeft', 15)
    await trimGroup.getByText('0:02 to 0:04.5, 2.5\u00a0s').waitFor()
    assert.equal(await card.getByLabel('Start', { exact: true }).inputValue(), '0:02')
    await trimGroup.getByRole('slider', { name: 'Start, slider' }).press('End')
    await trimGroup.getByText('0:04.4 to 0:04.5, 0.1\u00a0s').waitFor()
    await card.getByLabel('Start', { exact: true }).fill('1.5')
    await trimGroup.getByText('0:01.5 to 0:04.5, 3\u00a0s').waitFor()
    await checkAppearance(page, 'trim')
    await card.getByRole('button', { name: 'Convert to MP4' }).click()
    const path = await (await downloadFromCard(page, 'video.webm')).path()
    const seconds = await readDurationS(path)
    assert.ok(Math.abs(seconds - 3) < 0.3, `three seconds, got ${seconds}`)
  }))

test('a video without a playable preview is trimmed with time fields only', () =>
  visit({ site, context: noMotion }, async (page) => {
    await dropOrPaste(page, 'drop', {
      name: 'odd.webm',
      mimeType: 'video/webm',
      buffer: Buffer.from('not a video'),
    })
    const card = findFileCard(page, 'odd.webm')
    await card.getByRole('radio', { name: 'MP4' }).check()
    await card.getByText('Options').click()
    await card.getByLabel('Start', { exact: true }).waitFor()
    await page.waitForFunction(() => document.querySelector<HTMLVideoElement>('.trim video')?.error !== null)
    assert.equal(await card.getByRole('group', { name: 'Trim' }).isVisible(), false)
  }))

test('up to five OCR languages can be chosen, and the languages are sent in the chosen order', () =>
  visit({ site, context: noMotion }, async (page) => {
    await chooseFiles(page, await readPayload(fixture('corners.png')))
    const card = findFileCard(page, 'corners.png')
    await card.getByRole('combobox').fill('txt')
    await card.getByRole('combobox').press('Enter')
    await card.getByText('Options').click()
    const search = card.getByRole('searchbox', { name: 'Languages' })
    await search.fill('ger')
    await search.press('Enter')
    await search.fill('ja')
    await card.getByRole('checkbox', { name: 'Japanese' }).check()
    await search.fill('xx')
    await card.getByText('No language called “xx”.').waitFor()
    await search.fill('')
    for (const name of ['English', 'French', 'Polish']) await card.getByRole('checkbox', { name }).check()
    await card.getByText('You can choose up to 5 languages.').waitFor()
    assert.ok(await card.getByRole('checkbox', { name: 'Dutch' }).isDisabled())
    await card.getByRole('button', { name: 'Remove French' }).click()
    await checkAppearance(page, 'languages')
    const sentRequest = page.waitForRequest('**/v1/convert')
    await card.getByRole('button', { name: 'Convert to TXT' }).click()
    assert.equal((await sentRequest).postDataJSON().options.language, 'deu+jpn+eng+pol')
  }))

test('the pages of a PDF can have a custom size, and option values are kept when the target is switched', () =>
  visit({ site, context: noMotion }, async (page) => {
    await chooseFiles(page, await readPayload(fixture('letter.docx')))
    const card = findFileCard(page, 'letter.docx')
    await card.getByRole('radio', { name: 'PDF' }).check()
    await card.getByText('Options').click()
    await card.getByLabel('Page size', { exact: true }).selectOption('Custom size')
    await card.getByLabel('Paper width').fill('100')
    await card.getByLabel('Paper height').fill('15')
    await card.getByLabel('Paper unit').selectOption('cm')
    await card.getByLabel('Paper width').fill('10')
    await checkAppearance(page, 'paper')
    await card.getByRole('radio', { name: 'TXT' }).check()
    await card.getByRole('radio', { name: 'PDF' }).check()
    assert.equal(await card.getByLabel('Paper height').inputValue(), '15')
    await card.getByRole('button', { name: 'Convert to PDF' }).click()
    const path = await (await downloadFromCard(page, 'letter.docx')).path()
    const { stdout } = await run('pdfinfo', [path])
    assert.match(stdout, /Page size:\s+283\.\d+ x 425\.\d+ pts/)
  }))

test('a link preselects target and options, and copying it returns the same link', () =>
  visit({ site, path: '/convert?to=webp&width=16&quality=low', context: noMotion }, async (page) => {
    await page.getByText('The link you opened converts files to WEBP. It also sets 2 options.').waitFor()
    await checkAppearance(page, 'link')
    await chooseFiles(page, await readPayload(fixture('corners.png')))
    const card = findFileCard(page, 'corners.png')
    await card.getByRole('radio', { name: 'WEBP', checked: true }).waitFor()
    assert.equal(await card.getByRole('spinbutton', { name: 'Width' }).inputValue(), '16')
    await page.evaluate(() => {
      navigator.clipboard.writeText = async (text) => void Object.assign(window, { copied: text })
    })
    await card.getByRole('button', { name: 'Copy link' }).click()
    const copiedText = await page.evaluate(() => (window as unknown as { copied: string }).copied)
    const { pathname, searchParams } = new URL(copiedText)
    assert.deepEqual(
      [pathname, ...[...searchParams].map((pair) => pair.join('=')).toSorted()],
      ['/convert', 'quality=low', 'to=webp', 'width=16'],
    )
    await card.getByRole('button', { name: 'Convert to WEBP' }).click()
    const { width } = await readColorsAt(
      page,
      await readDownload(await downloadFromCard(page, 'corners.png')),
      [],
    )
    assert.equal(width, 16)
    await page.getByRole('button', { name: 'Clear' }).click()
    assert.equal(new URL(page.url()).pathname, '/')
  }))

test('a link to a tool preselects the tool, and an invalid link is ignored', async () => {
  await visit({ site, path: '/convert?tool=rotate-pdf&rotate=90', context: noMotion }, async (page) => {
    await chooseFiles(page, await readPayload(fixture('report.pdf')))
    await findFileCard(page, 'report.pdf')
      .getByRole('radio', { name: 'Rotate pages', checked: true })
      .waitFor()
  })
  await visit({ site, path: '/convert?to=%3Cb%3E&x=1', context: noMotion }, async (page) => {
    await page.locator('#kinds li').first().waitFor()
    assert.equal(await page.getByText('The link you opened').count(), 0)
  })
})

test('a password is hidden until it is revealed, and never part of a link', () =>
  visit({ site, path: '/convert?tool=encrypt-pdf', context: noMotion }, async (page) => {
    await chooseFiles(page, await readPayload(fixture('report.pdf')))
    const card = findFileCard(page, 'report.pdf')
    const field = card.getByLabel('Password', { exact: true })
    await field.fill('open sesame')
    assert.equal(await field.getAttribute('type'), 'password')
    await card.getByLabel('Show password').first().check()
    assert.equal(await field.getAttribute('type'), 'text')
    assert.equal(await field.inputValue(), 'open sesame')
    await checkAppearance(page, 'password')
    await page.evaluate(() => {
      navigator.clipboard.writeText = async (text) => void Object.assign(window, { copied: text })
    })
    await card.getByRole('button', { name: 'Copy link' }).click()
    const copiedText = await page.evaluate(() => (window as unknown as { copied: string }).copied)
    assert.equal(new URL(copiedText).search, '?tool=encrypt-pdf')
  }))

test('the options of a video are shown in German on a phone', () =>
  visit({ site, context: phone }, async (page) => {
    await page.locator('input[type=file]').count()
    const file = await readPayload(await createVideo(3), 'video.webm', 'video/webm')
    await dropOrPaste(page, 'drop', file)
    const card = findFileCard(page, 'video.webm')
    await card.getByRole('radio', { name: 'MP4' }).check()
    await card.getByText('Optionen').click()
    await card.getByText('Erweitert', { exact: true }).click()
    for (const label of ['Qualität', 'Anfang', 'Methode', 'Audiokanäle'])
      await card.getByText(label, { exact: true }).first().waitFor()
    const optionsText = (await card.locator('.options').textContent()) ?? ''
    assert.doesNotMatch(optionsText, /\b(?:the|of|when|where|Quality|Start|End|Sound|seconds)\b/)
    await checkAppearance(page, 'german')
  }))
