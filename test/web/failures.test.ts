import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { GetObjectCommand, S3Client } from '@aws-sdk/client-s3'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import type { Page } from 'playwright-core'
import {
  chooseFiles,
  downloadFromCard,
  findFileCard,
  fixture,
  openSite,
  readDownload,
  readPayload,
  type Site,
  visit,
} from './browser.ts'

let site: Site

const visitPage = (act: (page: Page) => Promise<void>) => visit({ site }, act)

/** Chooses a file with this name and converts it to the default target. */
async function convert(page: Page, name: string, buffer?: Buffer) {
  const file = buffer ? { name, mimeType: '', buffer } : await readPayload(fixture(name))
  await chooseFiles(page, file)
  const card = findFileCard(page, name)
  await card.getByRole('button', { name: /^Convert to/ }).click()
  return card
}

const script = "fetch('/v1/jobs')"
const hostileFiles = [
  {
    kind: 'HTML file',
    name: 'a.html',
    type: 'text/html',
    bytes: `<!doctype html><p>hello</p><img src=x onerror="${script}"><script>${script}</script>`,
  },
  {
    kind: 'SVG file',
    name: 'a.svg',
    type: 'image/svg+xml',
    bytes: `<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9" onload="${script}"><script><![CDATA[${script}]]></script></svg>`,
  },
]

/** Creates a job whose result is the uploaded file itself, with a link that displays it inline. */
async function createInlineFile(page: Page, name: string, bytes: string) {
  const tasks = {
    file: { operation: 'import/raw', filename: name, file: bytes },
    out: { operation: 'export/url', input: 'file', inline: true },
  }
  const { data } = await page.evaluate(async (body) => {
    const headers = { 'content-type': 'application/json', prefer: 'wait=25' }
    const response = await fetch('/v1/jobs', { method: 'POST', headers, body })
    return response.json()
  }, JSON.stringify({ tasks }))
  assert.equal(data?.status, 'completed', JSON.stringify(data))
  return data.tasks.out
}

/** A signed URL, as only the service could create it, that displays a stored file with this content type. */
async function signInlineUrl(type: string, path: string): Promise<string> {
  const [, , Bucket, ...key] = path.split('/')
  const secrets = JSON.parse(await readFile(join(site.dataDir, 'secrets.json'), 'utf8'))
  const { accessKeyId, secretAccessKey } = secrets
  const client = new S3Client({
    region: 'eu-central-1',
    endpoint: `${site.url}/s3`,
    forcePathStyle: true,
    credentials: { accessKeyId, secretAccessKey },
  })
  const command = new GetObjectCommand({
    Bucket,
    Key: key.join('/'),
    ResponseContentType: type,
    ResponseContentDisposition: 'inline',
  })
  return getSignedUrl(client, command, { expiresIn: 60 })
}

/** The tests mostly wait, so three run at a time. */
describe('failures on the page', { concurrency: 3 }, () => {
  before(async () => {
    site = await openSite()
  })
  after(async () => {
    await site.close()
  })

  test('the page says what to do about a corrupt file, and shows the message of the service under Details', () =>
    visitPage(async (page) => {
      const { buffer } = await readPayload(fixture('corners.png'))
      const refusal = page.waitForResponse((response) => response.url().endsWith('/v1/convert'))
      const card = await convert(page, 'broken.png', buffer.subarray(0, 60))
      const { error } = await (await refusal).json()
      assert.equal(error.code, 'CORRUPT_FILE')
      await card
        .getByRole('alert')
        .getByText(/^The file is damaged.* save it again and retry/)
        .waitFor()
      await card.getByRole('alert').getByText('Details').click()
      assert.equal(await card.locator('details[open] [lang=en]').textContent(), error.message)
      assert.equal(await card.getByRole('button', { name: 'Convert to WEBP' }).isEnabled(), true)
      assert.equal(await card.getByRole('radio', { name: 'WEBP' }).isChecked(), true)
    }))

  test('the page forgets an identity that the service rejects and sends the request once more', () =>
    visitPage(async (page) => {
      await convert(page, 'corners.png')
      await downloadFromCard(page, 'corners.png')
      const rejectedRequests: string[] = []
      await page.route('**/v1/**', async (route) => {
        const { 'x-owner-token': token, ...headers } = route.request().headers()
        if (token === undefined) return route.continue()
        rejectedRequests.push(route.request().url())
        return route.continue({ headers: { ...headers, 'x-owner-token': 'anon_1.unknown' } })
      })
      await convert(page, 'alpha.png')
      await downloadFromCard(page, 'alpha.png')
      assert.ok(rejectedRequests.length > 0, 'the page sent its identity')
    }))

  test('an empty file is reported as empty', () =>
    visitPage(async (page) => {
      const card = await convert(page, 'nothing.png', Buffer.alloc(0))
      await card.getByRole('alert').getByText(/empty/).waitFor()
    }))

  for (const to of ['TXT', 'DOCX'])
    test(`the card of a locked PDF asks for the password, and then the PDF is converted to ${to}`, () =>
      visitPage(async (page) => {
        // On a busy machine, the first job waits for its engine to start.
        page.setDefaultTimeout(150_000)
        await chooseFiles(page, await readPayload(fixture('needs-password.pdf')))
        const card = findFileCard(page, 'needs-password.pdf')
        await card.getByRole('radio', { name: to }).check()
        await card.getByRole('button', { name: /^Convert to/ }).click()
        const password = card.getByLabel('Password of this file')
        await password.fill('wrong')
        await password.press('Enter')
        await card.getByRole('alert').getByText('This password doesn’t open the file').waitFor()
        assert.equal(await password.inputValue(), '')
        await password.fill('secret')
        await password.press('Enter')
        const bytes = await readDownload(await downloadFromCard(page, 'needs-password.pdf'))
        assert.equal(bytes.toString('latin1', 0, 2) === 'PK', to === 'DOCX')
      }))

  test('errors of the service are in the language of the page, with sizes in GB', () =>
    visitPage(async (page) => {
      await page.goto(`${site.url}/?lang=de`)
      await page.route('**/v1/convert/check', (route) =>
        route.fulfill({
          status: 413,
          json: {
            success: false,
            error: { code: 'FILE_TOO_LARGE', message: 'size: …', details: { maxBytes: 10e9, size: 12.5e9 } },
          },
        }),
      )
      const [dialog] = await Promise.all([
        page.waitForEvent('filechooser'),
        page.getByRole('button', { name: 'Dateien wählen' }).click(),
      ])
      await dialog.setFiles(fixture('corners.png'))
      await page.getByRole('button', { name: /umwandeln$/ }).click()
      await page.getByText(/^Die Datei hat 12,5\sGB, möglich sind höchstens 10\sGB/).waitFor()
    }))

  test('a file with an unknown extension offers all target formats and is converted according to its content', () =>
    visitPage(async (page) => {
      const { buffer } = await readPayload(fixture('corners.png'))
      await chooseFiles(page, { name: 'mystery.zzz', mimeType: '', buffer })
      const card = findFileCard(page, 'mystery.zzz')
      await card.getByRole('button', { name: 'Convert', exact: true }).click()
      await card.getByRole('alert').getByText('Choose a format first.').waitFor()
      const offeredFormats = await page.evaluate(async () => {
        const { data } = await (await fetch('/v1/formats?canWrite=true')).json()
        return data.formats.length
      })
      await card.getByRole('combobox').click()
      assert.equal(await card.getByRole('option').count(), offeredFormats)
      await card.getByRole('combobox').fill('tiff')
      await card.getByRole('option', { name: 'TIFF Tagged' }).click()
      await card.getByRole('button', { name: 'Convert to TIFF' }).click()
      const bytes = await readDownload(await downloadFromCard(page, 'mystery.zzz'))
      assert.match(bytes.toString('latin1', 0, 4), /^(II\*\0|MM\0\*)$/)
    }))

  for (const { kind, name, type, bytes } of hostileFiles) {
    test(`a hostile ${kind} cannot run scripts with access to the jobs of its viewer`, async () => {
      const page = await site.browser.newPage()
      const requestedPaths: string[] = []
      page.on('request', (request) => requestedPaths.push(new URL(request.url()).pathname))
      try {
        await page.goto(site.url)
        const { result } = await createInlineFile(page, name, bytes)
        // The link displays harmless types, but downloads this type.
        const [download] = await Promise.all([
          page.waitForEvent('download'),
          page.goto(result.url).catch(() => undefined),
        ])
        const path = new URL(download.url()).pathname
        // Even if it were displayed, it would run sandboxed, without scripts.
        requestedPaths.length = 0
        await page.goto(await signInlineUrl(type, path), { waitUntil: 'networkidle' })
        assert.ok(
          requestedPaths.includes(path) && !requestedPaths.includes('/v1/jobs'),
          `it asked for ${requestedPaths}`,
        )
        // Without the policy, the file does send the request.
        await page.route('**/s3/**', async (route) => {
          const response = await route.fetch()
          const { 'content-security-policy': policy, ...headers } = response.headers()
          assert.match(policy ?? '', /^sandbox;/)
          await route.fulfill({ response, headers })
        })
        const jobs = page.waitForRequest('**/v1/jobs')
        await page.goto(await signInlineUrl(type, path), { waitUntil: 'commit' })
        await jobs
      } finally {
        // Pending requests of the page need no reply any more.
        await page.unrouteAll({ behavior: 'ignoreErrors' })
        await page.close()
      }
    })
  }

  test('a failed upload is retried automatically until it succeeds', () =>
    visitPage(async (page) => {
      await page.clock.install()
      // The upload fails more times than a program would usually retry.
      await page.route('**/s3/**', (route) => route.abort(), { times: 9 })
      const card = await convert(page, 'corners.png')
      const retryMessage = card.getByText('Connection lost. Retrying…')
      await retryMessage.waitFor()
      while (await retryMessage.isVisible()) await page.clock.runFor(10_000)
      assert.equal(await card.getByRole('alert').count(), 0)
      await downloadFromCard(page, 'corners.png')
    }))

  test('retrying a conversion whose request failed does not upload the file again', () =>
    visitPage(async (page) => {
      const sentRequests: string[] = []
      page.on('request', (request) => {
        if (request.method() === 'PUT') sentRequests.push(request.url())
      })
      await page.route('**/v1/convert', (route) => route.abort(), { times: 1 })
      const card = await convert(page, 'corners.png')
      await card.getByRole('alert').getByText('cannot be reached').waitFor()
      await card.getByRole('button', { name: /^Convert to/ }).click()
      await downloadFromCard(page, 'corners.png')
      assert.equal(sentRequests.length, 1)
    }))

  test('the page waits and continues if the connection is lost during a conversion', () =>
    visitPage(async (page) => {
      await page.route('**/v1/status/**', (route) => route.abort(), { times: 1 })
      const card = await convert(page, 'corners.png')
      await card.getByText('Can’t reach the server.').waitFor()
      await downloadFromCard(page, 'corners.png')
    }))

  test('without a WebSocket, the page still shows the result of a job', () =>
    visitPage(async (page) => {
      await page.routeWebSocket('**/v1/ws/**', (socket) => socket.close())
      await convert(page, 'corners.png')
      await downloadFromCard(page, 'corners.png')
    }))

  test('a reload keeps the list, and deleting removes the file from the service', () =>
    visitPage(async (page) => {
      await convert(page, 'corners.png')
      const bytesBefore = await readDownload(await downloadFromCard(page, 'corners.png'))
      await page.reload()
      const card = findFileCard(page, 'corners.png')
      assert.deepEqual(await readDownload(await downloadFromCard(page, 'corners.png')), bytesBefore)
      const href = await card.getByRole('link', { name: /^Download/ }).getAttribute('href')
      const state = () => page.evaluate(async (url) => (await fetch(url ?? '')).status, href)
      assert.equal(await state(), 200)
      await card.getByRole('button', { name: /^Delete/ }).click()
      await card.waitFor({ state: 'detached' })
      assert.equal(await state(), 410)
      await page.reload()
      await page.locator('#kinds li').first().waitFor()
      assert.equal(await card.count(), 0)
    }))

  test('a result can be converted again after a reload, from the stored source', () =>
    visitPage(async (page) => {
      await convert(page, 'corners.png')
      await downloadFromCard(page, 'corners.png')
      await page.reload()
      const sentRequests: string[] = []
      page.on('request', (request) => {
        if (request.method() === 'PUT') sentRequests.push(request.url())
      })
      await page.getByRole('button', { name: 'Convert again corners.png' }).click()
      await page.getByRole('radio', { name: 'AVIF' }).check()
      await page.getByRole('button', { name: 'Convert to AVIF' }).click()
      await page.getByRole('link', { name: 'Download corners.avif' }).waitFor()
      assert.equal(await page.getByRole('link', { name: 'Download corners.jpg' }).count(), 1)
      assert.deepEqual(sentRequests, [], 'nothing is uploaded again')
    }))
})
