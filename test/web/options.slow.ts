import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import type { Locator } from 'playwright-core'
import { after, before } from '../hooks.ts'
import { scratchFolder } from '../scratch-folder.ts'
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
import { looksRight } from './check-appearance.ts'

/** Fields of options in a real browser: those that are more than a field, in both languages. About a minute. */

const run = promisify(execFile)
const folder = scratchFolder('mutabor-options')

let site: Site
before(async () => {
  site = await openSite()
})
after(() => site.close())

const still = { viewport: { width: 1280, height: 900 }, reducedMotion: 'reduce' } as const
const phone = {
  ...still,
  viewport: { width: 375, height: 740 },
  colorScheme: 'dark',
  locale: 'de-DE',
} as const

/** A film of so many seconds, of which the middle is another color than the ends. */
async function film(seconds: number): Promise<string> {
  const path = join(folder, 'film.webm')
  const source = `color=c=red:s=64x48:r=10:d=${seconds}`
  await run('ffmpeg', ['-nostdin', '-v', 'error', '-y', '-f', 'lavfi', '-i', source, '-c:v', 'libvpx', path])
  return path
}

async function secondsOf(path: string): Promise<number> {
  const asked = ['-v', 'error', '-show_entries', 'format=duration', '-of', 'csv=p=0', path]
  return Number((await run('ffprobe', asked)).stdout)
}

const press = async (field: Locator, key: string, times: number) => {
  await field.focus()
  for (let left = times; left > 0; left--) await field.press(key)
}

test('a part of a film is chosen with two handles, by keys alone', () =>
  visit({ site, context: still }, async (page) => {
    await give(page, 'drop', await payload(await film(6), 'film.webm', 'video/webm'))
    const card = cardOf(page, 'film.webm')
    await card.getByRole('radio', { name: 'MP4' }).check()
    await card.getByText('Options').click()
    const trim = card.getByRole('group', { name: 'Part of the recording' })
    await press(trim.getByRole('slider', { name: 'Start, slider' }), 'ArrowRight', 20)
    await press(trim.getByRole('slider', { name: 'End, slider' }), 'ArrowLeft', 15)
    await trim.getByText('0:02 to 0:04.5, 2.5\u00a0s').waitFor()
    assert.equal(await card.getByLabel('Start', { exact: true }).inputValue(), '0:02')
    await trim.getByRole('slider', { name: 'Start, slider' }).press('End')
    await trim.getByText('0:04.4 to 0:04.5, 0.1\u00a0s').waitFor()
    await card.getByLabel('Start', { exact: true }).fill('1.5')
    await trim.getByText('0:01.5 to 0:04.5, 3\u00a0s').waitFor()
    await looksRight(page, 'trim')
    await card.getByRole('button', { name: 'Convert to MP4' }).click()
    const path = await (await downloadFrom(page, 'film.webm')).path()
    const seconds = await secondsOf(path)
    assert.ok(Math.abs(seconds - 3) < 0.3, `three seconds, got ${seconds}`)
  }))

test('what the browser cannot play has its fields alone', () =>
  visit({ site, context: still }, async (page) => {
    await give(page, 'drop', { name: 'odd.webm', mimeType: 'video/webm', buffer: Buffer.from('no film') })
    const card = cardOf(page, 'odd.webm')
    await card.getByRole('radio', { name: 'MP4' }).check()
    await card.getByText('Options').click()
    await card.getByLabel('Start', { exact: true }).waitFor()
    await page.waitForFunction(() => document.querySelector<HTMLVideoElement>('.trim video')?.error !== null)
    assert.equal(await card.getByRole('group', { name: 'Part of the recording' }).isVisible(), false)
  }))

test('languages are searched and chosen, five at most, and reach the service in their order', () =>
  visit({ site, context: still }, async (page) => {
    await choose(page, await payload(fixture('corners.png')))
    const card = cardOf(page, 'corners.png')
    await card.getByRole('combobox').fill('txt')
    await card.getByRole('combobox').press('Enter')
    await card.getByText('Options').click()
    const search = card.getByRole('searchbox', { name: 'Languages' })
    await search.fill('ger')
    await search.press('Enter')
    await search.fill('ja')
    await card.getByRole('checkbox', { name: 'Japanese' }).check()
    await search.fill('xx')
    await card.getByText('No language is called “xx”.').waitFor()
    await search.fill('')
    for (const name of ['English', 'French', 'Polish']) await card.getByRole('checkbox', { name }).check()
    await card.getByText('5 are the most at a time.').waitFor()
    assert.ok(await card.getByRole('checkbox', { name: 'Dutch' }).isDisabled())
    await card.getByRole('button', { name: 'French: remove' }).click()
    await looksRight(page, 'languages')
    const sent = page.waitForRequest('**/v1/convert')
    await card.getByRole('button', { name: 'Convert to TXT' }).click()
    assert.equal((await sent).postDataJSON().options.language, 'deu+jpn+eng+pol')
  }))

test('paper has its own size, and values stay while another target is looked at', () =>
  visit({ site, context: still }, async (page) => {
    await choose(page, await payload(fixture('letter.docx')))
    const card = cardOf(page, 'letter.docx')
    await card.getByRole('radio', { name: 'PDF' }).check()
    await card.getByText('Options').click()
    await card.getByLabel('Paper', { exact: true }).selectOption('A size of its own')
    await card.getByLabel('Width of the paper').fill('100')
    await card.getByLabel('Height of the paper').fill('15')
    await card.getByLabel('Unit of the paper').selectOption('cm')
    await card.getByLabel('Width of the paper').fill('10')
    await looksRight(page, 'paper')
    await card.getByRole('radio', { name: 'TXT' }).check()
    await card.getByRole('radio', { name: 'PDF' }).check()
    assert.equal(await card.getByLabel('Height of the paper').inputValue(), '15')
    await card.getByRole('button', { name: 'Convert to PDF' }).click()
    const path = await (await downloadFrom(page, 'letter.docx')).path()
    const { stdout } = await run('pdfinfo', [path])
    assert.match(stdout, /Page size:\s+283\.\d+ x 425\.\d+ pts/)
  }))

test('a link opens target and options without a file, and is given away as it was opened', () =>
  visit({ site, path: '/convert?to=webp&width=16&quality=low', context: still }, async (page) => {
    await page.getByText('The link that you followed asks for WEBP').waitFor()
    await looksRight(page, 'link')
    await choose(page, await payload(fixture('corners.png')))
    const card = cardOf(page, 'corners.png')
    await card.getByRole('radio', { name: 'WEBP', checked: true }).waitFor()
    assert.equal(await card.getByRole('spinbutton', { name: 'Width' }).inputValue(), '16')
    await page.evaluate(() => {
      navigator.clipboard.writeText = async (text) => void Object.assign(window, { copied: text })
    })
    await card.getByRole('button', { name: 'Copy a link' }).click()
    const copied = await page.evaluate(() => (window as unknown as { copied: string }).copied)
    const { pathname, searchParams } = new URL(copied)
    assert.deepEqual(
      [pathname, ...[...searchParams].map((pair) => pair.join('=')).toSorted()],
      ['/convert', 'quality=low', 'to=webp', 'width=16'],
    )
    await card.getByRole('button', { name: 'Convert to WEBP' }).click()
    const { width } = await colorsAt(page, await bytesOf(await downloadFrom(page, 'corners.png')), [])
    assert.equal(width, 16)
    await page.getByRole('button', { name: 'Without it' }).click()
    assert.equal(new URL(page.url()).pathname, '/')
  }))

test('a link to a tool opens the tool, and one that names nothing is none', async () => {
  await visit({ site, path: '/convert?tool=rotate-pdf&rotate=90', context: still }, async (page) => {
    await choose(page, await payload(fixture('report.pdf')))
    await cardOf(page, 'report.pdf').getByRole('radio', { name: 'Rotate pages', checked: true }).waitFor()
  })
  await visit({ site, path: '/convert?to=%3Cb%3E&x=1', context: still }, async (page) => {
    await page.locator('#kinds li').first().waitFor()
    assert.equal(await page.getByText('The link that you followed').count(), 0)
  })
})

test('a password is covered until it is asked for, and is in no link', () =>
  visit({ site, context: still }, async (page) => {
    await choose(page, await payload(fixture('report.pdf')))
    const card = cardOf(page, 'report.pdf')
    await card.getByRole('radio', { name: 'TXT' }).check()
    await card.getByText('Options').click()
    const field = card.getByLabel('Password', { exact: true })
    await field.fill('open sesame')
    assert.equal(await field.getAttribute('type'), 'password')
    await card.getByLabel('Show the password').check()
    assert.equal(await field.getAttribute('type'), 'text')
    assert.equal(await field.inputValue(), 'open sesame')
    await looksRight(page, 'password')
    await page.evaluate(() => {
      navigator.clipboard.writeText = async (text) => void Object.assign(window, { copied: text })
    })
    await card.getByRole('button', { name: 'Copy a link' }).click()
    const copied = await page.evaluate(() => (window as unknown as { copied: string }).copied)
    assert.equal(new URL(copied).search, '?to=txt')
  }))

test('on a phone in German no English is left in the options', () =>
  visit({ site, context: phone }, async (page) => {
    await page.locator('input[type=file]').count()
    const file = await payload(await film(3), 'film.webm', 'video/webm')
    await give(page, 'drop', file)
    const card = cardOf(page, 'film.webm')
    await card.getByRole('radio', { name: 'MP4' }).check()
    await card.getByText('Optionen').click()
    await card.getByText('Mehr', { exact: true }).click()
    for (const label of ['Qualität', 'Anfang', 'Verfahren', 'Tonkanäle'])
      await card.getByText(label, { exact: true }).first().waitFor()
    const shown = (await card.locator('.options').textContent()) ?? ''
    assert.doesNotMatch(shown, /\b(?:the|of|when|where|Quality|Start|End|Sound|seconds)\b/)
    await looksRight(page, 'german')
  }))
