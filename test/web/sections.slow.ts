import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, test } from 'node:test'
import { promisify } from 'node:util'
import type { BrowserContextOptions, Locator, Page } from 'playwright-core'
import { createTotp } from '../access/totp.ts'
import { after, before } from '../hooks.ts'
import { findAxeViolations } from './axe.ts'
import { openSite, type Site, visit } from './browser.ts'
import { findLayoutProblems, findLowContrastTexts } from './layout-checks.ts'

/** The sections other than Convert and Tools in a real browser: behavior, appearance and accessibility. About 2 min. */

let site: Site
before(async () => {
  site = await openSite({ OUTGOING_ALLOW: '127.0.0.0/8' })
})
after(() => site.close())

const wide = { viewport: { width: 1280, height: 900 }, reducedMotion: 'reduce' } as const
const phone = {
  ...wide,
  viewport: { width: 360, height: 740 },
  colorScheme: 'dark',
  locale: 'de-DE',
} as const
const visitAt = (path: string, act: (page: Page) => Promise<void>, context: BrowserContextOptions = wide) =>
  visit({ site, path, context }, act)

const readText = async (textLocator: Locator) => (await textLocator.textContent()) ?? ''

async function checkPage(page: Page): Promise<void> {
  assert.deepEqual(await findAxeViolations(page), [])
  assert.deepEqual(await page.evaluate(findLowContrastTexts), [])
  assert.deepEqual(await page.evaluate(findLayoutProblems, 20), [])
}

const waitUntilLoaded = (page: Page) =>
  page.waitForFunction(() => {
    const text = document.querySelector('main')?.textContent ?? ''
    return document.querySelector('main h1') !== null && !/Loading|Lädt/.test(text)
  })

const paths = [
  ...['/formats', '/formats?q=png', '/formats/docx', '/formats/mp4-to-gif', '/formats/no-to-where'],
  ...['/webhooks', '/workflows', '/usage', '/status', '/account', '/admin'],
  ...['/docs', '/docs?operation=postV1Convert', '/docs?about=Live', '/docs?q=webhook'],
]
const layouts = [
  ['on a wide screen', wide],
  ['on a phone, dark and in German', phone],
] as const

for (const [name, context] of layouts)
  describe(`every section, ${name}, has no axe violations, is readable and fits the window`, () => {
    for (const path of paths)
      test(`${path}, ${name}, has no axe violations, is readable and fits the window`, () =>
        visitAt(
          path,
          async (page) => {
            await waitUntilLoaded(page)
            await checkPage(page)
          },
          context,
        ))
  })

/** Sum of the layout shifts so far (CLS). */
const sumLayoutShifts = () =>
  new Promise<number>((resolve) => {
    new PerformanceObserver((list) =>
      resolve(
        list.getEntries().reduce((sum, entry) => sum + (entry as unknown as { value: number }).value, 0),
      ),
    ).observe({ type: 'layout-shift', buffered: true })
    setTimeout(() => resolve(0), 500)
  })

for (const path of ['/usage', '/status', '/account', '/history', '/tools'])
  test(`the layout of ${path} does not shift while the page loads`, () =>
    visitAt(path, async (page) => {
      await waitUntilLoaded(page)
      assert.ok((await page.evaluate(sumLayoutShifts)) <= 0.02)
    }))

test('every heading on /status comes from a translation catalog, and the page can be right-to-left', () =>
  visitAt('/status?lang=mirrored', async (page) => {
    await waitUntilLoaded(page)
    assert.equal(await page.evaluate(() => document.documentElement.dir), 'rtl')
    for (const heading of await page.getByRole('heading').allTextContents()) assert.match(heading, /^⟦.*⟧$/)
    assert.deepEqual(await page.evaluate(findLayoutProblems, 20), [])
  }))

test('on /formats, a conversion is found by keyboard only, and the back button works', () =>
  visitAt('/formats', async (page) => {
    await page.getByRole('searchbox').focus()
    await page.keyboard.type('portable network')
    await page.getByRole('link', { name: 'png', exact: true }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('link', { name: 'webp', exact: true }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'PNG to WEBP' }).waitFor()
    assert.match(page.url(), /\/formats\/png-to-webp$/)
    assert.match(await readText(page.locator('pre.terminal')), /targetFormat=webp/)
    assert.equal(await page.getByRole('row', { name: /^Quality/ }).count(), 1)
    assert.match(await page.title(), /PNG to WEBP/)
    await page.goBack()
    await page.getByRole('heading', { name: 'Common conversions' }).waitFor()
  }))

test('a webhook is created, tested, resent, receives a new secret and is deleted', async () => {
  let postCount = 0
  const receiver = createServer((request, response) => {
    postCount += 1
    request.resume().on('end', () => response.end())
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => receiver.once('listening', resolve))
  const { port } = receiver.address() as AddressInfo
  try {
    await visitAt('/webhooks', async (page) => {
      await page.getByLabel('URL').fill(`http://127.0.0.1:${port}/hook`)
      await page.getByLabel('Job completed').check()
      await page.getByRole('button', { name: 'Create webhook' }).click()
      const firstSecret = await readText(page.getByText(/^whsec_/))
      await checkPage(page)
      await page.getByRole('link', { name: `127.0.0.1:${port}` }).click()
      await page.getByRole('button', { name: 'Send a test' }).click()
      await page
        .getByText(/Replied 200/)
        .first()
        .waitFor()
      await page.getByRole('button', { name: 'Send again' }).click()
      await assert.doesNotReject(async () => {
        for (let pollsLeft = 50; postCount < 2 && pollsLeft > 0; pollsLeft--) await page.waitForTimeout(100)
        assert.equal(postCount, 2)
      })
      await page.getByRole('button', { name: 'Change secret' }).click()
      await page.getByText('requests are signed with both secrets').waitFor()
      await page.getByRole('button', { name: 'Change secret' }).click()
      assert.notEqual(await readText(page.getByText(/^whsec_/)), firstSecret)
      await checkPage(page)
      await page.getByRole('button', { name: 'Delete' }).click()
      await page.getByRole('button', { name: 'Delete' }).click()
      await page.getByText('No webhooks yet.').waitFor()
    })
  } finally {
    receiver.close()
  }
})

test('the workflow form describes the schedule and reports invalid input, and a workflow runs on request', () =>
  visitAt('/workflows', async (page) => {
    const tasks = {
      in: { operation: 'import/raw', file: 'hello', filename: 'a.txt' },
      zip: { operation: 'archive', input: 'in', output_format: 'zip' },
      out: { operation: 'export/url', input: 'zip' },
    }
    await page.getByLabel('Name').fill('Reports')
    await page.getByLabel('Schedule', { exact: true }).fill('every day')
    await page.getByText('Enter five fields').waitFor()
    await page.getByLabel('Schedule', { exact: true }).fill('30 8 * * 1-5')
    await page.getByText('At 08:30, Monday through Friday').waitFor()
    assert.equal(await page.locator('ol li').count(), 5)
    await page.getByLabel('Tasks').fill('{')
    await page.getByRole('button', { name: 'Create workflow' }).click()
    await page.getByRole('alert').getByText('valid JSON').waitFor()
    await checkPage(page)
    await page.getByLabel('Tasks').fill(JSON.stringify(tasks))
    await page.getByRole('button', { name: 'Create workflow' }).click()
    await page.getByRole('button', { name: 'Run now' }).click()
    await page.getByRole('cell', { name: 'manual' }).waitFor()
    await page.getByText(/^job_/).waitFor()
    await checkPage(page)
  }))

test('an expired link from an email is reported on the account page', () =>
  visitAt('/account?error=INVALID_TOKEN', async (page) => {
    await page.getByRole('alert').getByText('This link has expired').waitFor()
    await checkPage(page)
    await page.getByRole('button', { name: 'Forgot password?' }).click()
    await page.getByRole('heading', { name: 'Forgot password?' }).waitFor()
  }))

test('a user signs up, creates a working key, enables two factors and becomes an administrator', () =>
  visitAt('/account', async (page) => {
    const [email, password] = ['ada@example.com', 'correct horse battery']
    const main = page.getByRole('main')
    const form = main.locator('form')
    await page.getByLabel('Email address').fill(email)
    await page.getByLabel('Password').fill('something else')
    await form.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText('Wrong email or password.').waitFor()
    await checkPage(page)
    await main.getByRole('button', { name: 'Sign up' }).click()
    await page.getByLabel('Name').fill('Ada')
    await page.getByLabel('Email address').fill(email)
    await page.getByLabel('Password').fill(password)
    await form.getByRole('button', { name: 'Sign up' }).click()

    await page.getByText('New key').click()
    await page.getByLabel('Key name').fill('Server')
    await page.getByRole('button', { name: 'Create key' }).click()
    const key = await readText(page.getByText(/^sk_[^…]+$/))
    const jobs = await fetch(`${site.url}/v1/jobs`, { headers: { 'x-api-key': key } })
    assert.equal(jobs.status, 200)
    await checkPage(page)

    const twoFactorSection = page.locator('section.block').filter({ hasText: 'Two-factor authentication' })
    await twoFactorSection.getByLabel('Password').fill(password)
    await twoFactorSection.getByRole('button', { name: 'Turn on' }).click()
    const uri = await twoFactorSection.getByRole('link').getAttribute('href')
    await twoFactorSection.getByLabel('Code', { exact: true }).fill(createTotp(uri ?? ''))
    await twoFactorSection.getByRole('button', { name: 'Confirm' }).click()
    await twoFactorSection.getByText('Each of these codes').waitFor()
    const [code = ''] = (await readText(twoFactorSection.locator('.terminal'))).split('\n')
    await checkPage(page)
    const signOut = page.getByRole('button', { name: 'Sign out', exact: true })
    await signOut.first().click()
    await page.getByLabel('Email address').fill(email)
    await page.getByLabel('Password').fill(password)
    await form.getByRole('button', { name: 'Sign in' }).click()
    await page.getByLabel('Code').fill(code.trim())
    await form.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { name: 'API keys' }).waitFor()

    const adminCommand = new URL('../../lib/local/commands/admin.ts', import.meta.url).pathname
    const env = { ...process.env, DATA_DIR: site.dataDir }
    await promisify(execFile)(process.execPath, [adminCommand, 'make-admin', email], { env })
    await page.goto(new URL('/admin', site.url).href)
    await page.getByRole('heading', { name: 'Audit log' }).waitFor()
    await page.getByText('user.role').waitFor()
    await checkPage(page)
  }))

test('the API reference is searchable and shows an example request and reply fields', () =>
  visitAt('/docs', async (page) => {
    await page.getByRole('searchbox').fill('/v1/convert')
    await page.getByRole('link', { name: /^Check a conversion/ }).click()
    assert.match(
      await readText(page.locator('pre.terminal').first()),
      /curl -X POST[\s\S]*\/v1\/convert\/check/,
    )
    assert.equal(await page.getByRole('row', { name: /^losses\[\]\.basis/ }).count(), 1)
    const links = await page.locator('.contents a').count()
    assert.ok(links >= 1)
  }))
