import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import {
  Document,
  ExternalHyperlink,
  ImageRun,
  Packer,
  Paragraph,
  Table,
  TableCell,
  TableRow,
  TextRun,
} from 'docx'
import sharp from 'sharp'
import { readSummary } from '../../lib/decoders/read-summary.ts'
import type { FormatId } from '../../lib/formats/index.ts'
import { runSteps } from '../../lib/jobs/run/run-steps.ts'
import { createPdf } from '../engines/support/pdf-maker.ts'
import { createOfficeProfile } from '../support/office-profile.ts'
import { createRun, createText, folder } from './support/conversions.ts'

const run = promisify(execFile)
const png = await sharp({ create: { width: 64, height: 48, channels: 3, background: '#369' } })
  .png()
  .toBuffer()
const dataImage = `<img src="data:image/png;base64,${png.toString('base64')}">`

async function readElementCounts(name: string, content: string | Buffer, format: FormatId) {
  const path = join(folder, name)
  await writeFile(path, content)
  const { images, links, tables, fields } =
    (await readSummary(path, format, { isResult: false }))?.counts ?? {}
  return { images, links, tables, fields }
}

const page = `<!doctype html><p>${createText(20)}</p>${dataImage}<IMG SRC="missing.png">
<a href="https://example.com/">one</a> <a href="#top">two</a> <a href="mailto:a@example.com">three</a>
<table><tr><td>1</table><input name=a><input type="hidden"><select></select><textarea></textarea><abbr>b</abbr>`

function createDocx(): Promise<Buffer> {
  const image = new ImageRun({ type: 'png', data: png, transformation: { width: 64, height: 48 } })
  const link = new ExternalHyperlink({
    link: 'https://example.com/',
    children: [new TextRun({ text: 'link', style: 'Hyperlink' })],
  })
  const table = new Table({
    rows: [new TableRow({ children: [new TableCell({ children: [new Paragraph('cell')] })] })],
  })
  const children = [new Paragraph(createText(20)), new Paragraph({ children: [image, link] }), table]
  return Packer.toBuffer(new Document({ sections: [{ children }] }))
}

test('images, links, tables and form fields of a web page are counted', async () => {
  assert.deepEqual(await readElementCounts('a.html', page, 'html'), {
    images: 1,
    links: 2,
    tables: 1,
    fields: 3,
  })
})

test('elements in scripts, comments and templates of a web page are not counted', async () => {
  const hiddenElements = `${dataImage}<table></table><a href="https://example.com/">link</a>`
  const html = `<!doctype html><p>${createText(20)}</p>${dataImage}<!-- ${hiddenElements} --><template>${hiddenElements}</template>
    <script>const rows = '${hiddenElements}'</script><noscript>${hiddenElements}</noscript><textarea>${hiddenElements}</textarea>`
  assert.deepEqual(await readElementCounts('b.html', html, 'html'), {
    images: 1,
    links: 0,
    tables: 0,
    fields: 1,
  })
})

test('a small inline image of a PDF is counted in a result, but not in a source', async () => {
  const content = 'q 20 0 0 20 9 9 cm BI /W 1 /H 1 /CS /G /BPC 8 ID x EI Q'
  const path = join(folder, 'inline.pdf')
  await writeFile(
    path,
    createPdf({
      1: '<< /Type /Catalog /Pages 2 0 R >>',
      2: '<< /Type /Pages /Kids [3 0 R] /Count 1 /MediaBox [0 0 99 99] >>',
      3: '<< /Type /Page /Parent 2 0 R /Contents 4 0 R >>',
      4: { dict: '<< >>', data: Buffer.from(content) },
    }),
  )
  const countImages = async (isResult: boolean) =>
    (await readSummary(path, 'pdf', { isResult }))?.counts.images
  assert.deepEqual([await countImages(true), await countImages(false)], [1, 0])
})

test('images and links are counted in a Word document and in its conversions to PDF and OpenDocument text', async () => {
  const docx = await createDocx()
  assert.deepEqual(await readElementCounts('a.docx', docx, 'docx'), {
    images: 1,
    links: 1,
    tables: 1,
    fields: 0,
  })
  const profile = createOfficeProfile(folder)
  for (const format of ['pdf', 'odt', 'fodt'] as const) {
    await run('soffice', [
      '--headless',
      profile,
      '--convert-to',
      format,
      '--outdir',
      folder,
      join(folder, 'a.docx'),
    ])
    const { images, links } =
      (await readSummary(join(folder, `a.${format}`), format, { isResult: true }))?.counts ?? {}
    assert.deepEqual({ images, links }, { images: 1, links: 1 }, format)
  }
})

test('a result without any image of its source causes a warning, but no shortfall that starts a fallback route', async () => {
  const source = `<p>${createText(20)}</p>${dataImage}${dataImage}`
  const convert = async (outputText: string, to: FormatId) =>
    runSteps(await createRun({ sources: [source], output: outputText, steps: [{ from: 'html', to }] }))
  const { fidelity, warnings, result } = await convert(`<p>${createText(20)}</p>`, 'html')
  assert.deepEqual(fidelity?.images, { source: 2, result: 0, share: 0 })
  assert.deepEqual(warnings, [
    {
      code: 'CONTENT_LOST',
      message: 'Of 2 images in the html, 0 are in the html (0 %).',
      details: { unit: 'images', total: 2, kept: 0, share: 0 },
    },
  ])
  assert.equal(result.shortfall, undefined)
  assert.deepEqual((await convert(`<p>${createText(20)}</p>${dataImage}`, 'html')).warnings, [])
  assert.deepEqual((await convert(createText(20), 'txt')).warnings, [], 'text has no images')
})
