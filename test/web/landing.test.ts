import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { languages, sectionPaths } from '../../functions/web/section-paths.ts'
import { findAxeViolations } from './axe.ts'
import { chooseFiles, findFileCard, fixture, openSite, readPayload, type Site, visit } from './browser.ts'

let site: Site

/** The HTML from the server, as a browser without scripts shows it. */
async function fetchHtml(path: string, language = 'en'): Promise<string> {
  const response = await fetch(site.url + path, { headers: { 'accept-language': language } })
  assert.equal(response.status, 200, path)
  return response.text()
}

describe('the first screen and the landing pages', { concurrency: 3 }, () => {
  before(async () => {
    site = await openSite({ MAX_FILE_MB: '700', RETENTION_HOURS: '96' })
  })
  after(() => site.close())

  test('the first screen states the limits that the service is configured with', async () => {
    assert.match(await fetchHtml('/'), /No account needed\s· Files up to 734 MB\s· Deleted after 4 days/)
    assert.match(await fetchHtml('/', 'de'), /Dateien bis 734 MB\s· Nur 4 Tage gespeichert/)
    await visit({ site }, async (page) => {
      await page.locator('#kinds').waitFor()
      assert.match((await page.locator('.limits').textContent()) ?? '', /734 MB\s· Deleted after 4 days/)
    })
  })

  test('the first screen has a link with an icon to each popular task', async () => {
    const html = await fetchHtml('/')
    for (const path of sectionPaths.landing) {
      const [link = ''] = html.match(new RegExp(`<a href="${path}">.*?</a>`)) ?? []
      assert.match(link, /<svg class="line-icon".*<(path|rect|circle) /, path)
    }
  })

  test('every tool and category of formats has an icon', () =>
    visit({ site }, async (page) => {
      await page.locator('#kinds').waitFor()
      assert.equal(await page.locator('#kinds .line-icon > *:first-child').count(), 7)
      await page.getByRole('link', { name: 'Tools' }).click()
      await page.locator('.tool-grid').first().waitFor()
      const tools = await page.locator('.tool-grid li').count()
      assert.equal(await page.locator('.tool-grid .line-icon > *:first-child').count(), tools)
    }))

  test('the drop zone fills the width of a large screen', () =>
    visit({ site, context: { viewport: { width: 1600, height: 900 } } }, async (page) => {
      const { width = 0 } = (await page.locator('.drop').boundingBox()) ?? {}
      assert.ok(width > 1400, `${width} px`)
    }))

  test('every landing page has a title, three steps, options and questions without scripts', async () => {
    for (const language of languages) {
      for (const path of sectionPaths.landing) {
        const html = await fetchHtml(path, language)
        const [, list = ''] = html.match(/<ol>(.*?)<\/ol>/) ?? []
        assert.equal(list.split('<li>').length - 1, 3, path)
        const [, title = ''] = html.match(/<h1 id="title">(.*?)<\/h1>/) ?? []
        assert.ok(title.length > 8 && !html.includes('Convert any file'), `${path}: ${title}`)
        assert.match(html, /aria-labelledby="options-title"/)
        assert.match(html, /<details><summary>.*<\/summary><p>/)
      }
    }
  })

  test('the page is shown in the language of the browser, and another language can be chosen in the menu', async () => {
    const detectLanguage = async (acceptedLanguage: string) =>
      (await fetchHtml('/', acceptedLanguage)).match(/<html lang="([\w-]+)"/)?.[1]
    assert.equal(await detectLanguage('fr-CA,en;q=0.5'), 'fr')
    assert.equal(await detectLanguage('es-419,es;q=0.9'), 'es')
    assert.equal(await detectLanguage('xx, de-AT;q=0.9'), 'de')
    assert.equal(await detectLanguage('ja-JP'), 'ja')
    for (const tag of ['pt', 'pt-BR', 'pt-br', 'pt-PT']) {
      assert.equal(await detectLanguage(`${tag},en;q=0.8`), 'pt-BR', tag)
      assert.match(await fetchHtml(`/?lang=${tag}`), /<html lang="pt-BR"/, tag)
    }
    assert.equal(await detectLanguage('xx'), 'en')
    await visit({ site }, async (page) => {
      await page.locator('.menu summary').click()
      await page.getByRole('link', { name: 'Français' }).click()
      await page.getByRole('button', { name: 'Choisir des fichiers' }).waitFor()
      assert.deepEqual(await findAxeViolations(page), [])
    })
  })

  test('a file added on /pdf-to-word becomes a Word document with one more click', () =>
    visit({ site, path: '/pdf-to-word' }, async (page) => {
      assert.equal(await page.title(), 'PDF to Word · Mutabor')
      await chooseFiles(page, await readPayload(fixture('three-pages.pdf')))
      await findFileCard(page, 'three-pages.pdf').getByRole('button', { name: 'Convert to DOCX' }).click()
      await findFileCard(page, 'three-pages.pdf')
        .getByRole('link', { name: /^Download/ })
        .waitFor()
    }))

  test('files added on /merge-pdf open in the tool that merges them', () =>
    visit({ site, path: '/merge-pdf' }, async (page) => {
      await page.getByRole('heading', { name: 'Merge PDF files' }).waitFor()
      await chooseFiles(
        page,
        await readPayload(fixture('report.pdf')),
        await readPayload(fixture('three-pages.pdf')),
      )
      await page.waitForURL('**/tools/merge')
      await page.getByText('three-pages.pdf').first().waitFor()
    }))

  test('a file added on /compress-pdf offers the button Compress PDF without choosing a tool', () =>
    visit({ site, path: '/compress-pdf' }, async (page) => {
      await chooseFiles(page, await readPayload(fixture('report.pdf')))
      await findFileCard(page, 'report.pdf').getByRole('button', { name: 'Compress PDF' }).waitFor()
    }))

  test('the target format of a landing page is reset on leaving the page', () =>
    visit({ site, path: '/heic-to-jpg' }, async (page) => {
      await page.getByRole('link', { name: 'Convert', exact: true }).click()
      await page.getByRole('heading', { name: 'Convert any file' }).waitFor()
      assert.equal(await page.locator('.linked').count(), 0)
    }))

  test('a phone offers its camera as a source of files', () =>
    visit({ site, context: { hasTouch: true, isMobile: true } }, async (page) => {
      const [dialog] = await Promise.all([
        page.waitForEvent('filechooser'),
        page.getByRole('button', { name: 'Take a photo' }).click(),
      ])
      assert.equal(await dialog.element().getAttribute('accept'), 'image/*')
      assert.equal(await dialog.element().getAttribute('capture'), 'environment')
    }))

  test('/mp4-to-mp3 has no accessibility violations, and its link to Scan to text works', () =>
    visit({ site, path: '/mp4-to-mp3' }, async (page) => {
      await page.locator('#kinds, .landing').first().waitFor()
      assert.deepEqual(await findAxeViolations(page), [])
      await page.getByRole('link', { name: 'Scan to text' }).click()
      await page.getByRole('heading', { name: 'Convert a scan to text' }).waitFor()
      assert.equal(await page.title(), 'Scan to text · Mutabor')
    }))
})
