import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { promisify } from 'node:util'
import { CheckBox, Document, ImageRun, Packer, Paragraph } from 'docx'
import sharp from 'sharp'
import { countWordElements, readRelations } from '../../lib/fidelity/text/count-elements.ts'
import { decideAfterSuccess } from '../../lib/jobs/run/fallbacks.ts'
import { runSteps } from '../../lib/jobs/run/run-steps.ts'
import { createRetention } from '../../lib/model/fidelity.ts'
import { createPdf } from '../engines/support/pdf-maker.ts'
import { createOfficeProfile } from '../support/office-profile.ts'
import { createRun } from './support/conversions.ts'
import { countWords, folder, summarize } from './support/read-content.ts'

const run = promisify(execFile)
const nameWord = (at: number) =>
  at.toString(26).replaceAll(/\d/g, (digit) => 'qrstuvwxyz'[Number(digit)] ?? '')
const words = Array.from({ length: 400 }, (_, at) => nameWord(at + 1000))
const text = words.join(' ')
/** The words of two columns that were read line by line instead of column by column. */
const tornText = words.map((_, at) => words[(at % 2) * 200 + Math.floor(at / 2)]).join(' ')

const convert = async (source: string, output: string) =>
  runSteps(await createRun({ sources: [source], output, steps: [{ from: 'html', to: 'txt' }] }))

describe('order of words', () => {
  test('a result whose columns were mixed line by line is reported, although it contains every word', async () => {
    const { fidelity, result } = await convert(`<p>${text}</p>`, tornText)
    assert.equal(fidelity?.words?.share, 1)
    assert.deepEqual(fidelity?.order, { source: 399, result: 0, share: 0 })
    assert.deepEqual(result.shortfall?.warning.details, { unit: 'order', total: 399, kept: 0, share: 0 })
  })

  test('the word order counts as kept in lines that run from right to left, and around added page headers', async () => {
    const reversedLines = [words.slice(0, 200).toReversed(), ['header'], words.slice(200).toReversed()]
    const { fidelity, result } = await convert(`<p>${text}</p>`, reversedLines.flat().join(' '))
    assert.equal(fidelity?.order?.result, 398)
    assert.equal(result.shortfall, undefined)
  })

  test('the word order is not compared if words were split or the text is short', () => {
    assert.equal(countWords(text).compareOrder(countWords(text.replaceAll(/(\w)(\w+)/g, '$1 $2'))), undefined)
    assert.equal(countWords('a b c').compareOrder(countWords('a b c')), undefined)
  })

  test('the word order of a text of a million words is measured with a sample of bounded size', () => {
    const longText = Array.from({ length: 1_000_000 }, (_, at) => nameWord(at)).join(' ')
    const counts = countWords(longText)
    assert.ok(counts.toMessage().pairs.hashes.length <= 2048)
    const half = countWords(longText.slice(0, longText.length / 2))
    const { comparable = 0, shared = 0 } = half.compareOrder(counts) ?? {}
    assert.ok(comparable > 400 && shared >= comparable - 1, `${shared} of ${comparable}`)
  })
})

describe('area of images and states of form fields', () => {
  test('the area of an image is the same in a Word document and its OpenDocument text and PDF', async () => {
    const data = await sharp({ create: { width: 64, height: 48, channels: 3, background: '#369' } })
      .png()
      .toBuffer()
    const image = new ImageRun({ type: 'png', data, transformation: { width: 96, height: 48 } })
    const children = [new Paragraph({ children: [image] })]
    const docx = await Packer.toBuffer(new Document({ sections: [{ children }] }))
    assert.equal((await summarize('image.docx', docx))?.counts.imageArea, 72 * 36)
    const profile = createOfficeProfile(folder)
    for (const format of ['odt', 'pdf'] as const) {
      await run('soffice', [
        '--headless',
        profile,
        '--convert-to',
        format,
        '--outdir',
        folder,
        join(folder, 'image.docx'),
      ])
      const { stdout } = await run('cat', [join(folder, `image.${format}`)], {
        encoding: 'buffer',
        maxBuffer: 1 << 24,
      })
      const area = (await summarize(`copy.${format}`, stdout, true))?.counts.imageArea ?? 0
      assert.ok(Math.abs(area - 72 * 36) < 40, `${area} in ${format}`)
    }
  })

  test('the area of an image in a PDF form XObject is scaled by the matrices of the page and of the form', async () => {
    const pdf = createPdf({
      1: '<< /Type /Catalog /Pages 2 0 R >>',
      2: '<< /Type /Pages /Kids [3 0 R] /Count 1 /MediaBox [0 0 99 99] >>',
      3: '<< /Type /Page /Parent 2 0 R /Contents 4 0 R /Resources << /XObject << /F 5 0 R >> >> >>',
      4: { dict: '<< >>', data: Buffer.from('q 9 0 0 9 0 0 cm Q q 0 2 -2 0 0 0 cm /F Do Q') },
      5: {
        dict: '<< /Type /XObject /Subtype /Form /BBox [0 0 99 99] /Matrix [3 0 0 1 0 0] /Resources << /XObject << /I 6 0 R >> >> >>',
        data: Buffer.from('q 10 0 0 .5 0 0 cm /I Do Q'),
      },
      6: {
        dict: '<< /Type /XObject /Subtype /Image /Width 20 /Height 20 /ColorSpace /DeviceGray /BitsPerComponent 8 >>',
        data: Buffer.alloc(400),
      },
    })
    assert.equal((await summarize('form.pdf', pdf))?.counts.imageArea, 4 * 3 * 5)
  })

  test('an image of infinite size in a Word document has no area in the content summary', async () => {
    const extent = '<wp:extent cx="9e999" cy="1"/><a:blip r:embed="r1"/>'
    const relations = '<Relationships><Relationship Id="r1" Target="a.png"/></Relationships>'
    const { imageArea } = countWordElements(extent, readRelations(relations))
    assert.equal(imageArea, 0)
  })

  test('selected check boxes of a web page, a Word document and a PDF are counted', async () => {
    const html =
      '<input type=checkbox checked><input type="radio" CHECKED=""/><input title="not checkedx"><input>'
    assert.equal((await summarize('boxes.html', html))?.counts.checkedFields, 2)
    const boxes = [true, false, true].map(
      (checked) => new Paragraph({ children: [new CheckBox({ checked })] }),
    )
    const docx = await Packer.toBuffer(new Document({ sections: [{ children: boxes }] }))
    assert.equal((await summarize('boxes.docx', docx))?.counts.checkedFields, 2)
    const createWidget = (state: string) =>
      `<< /Type /Annot /Subtype /Widget /FT /Btn /AS /${state} /Rect [0 0 9 9] >>`
    const pdf = createPdf({
      1: '<< /Type /Catalog /Pages 2 0 R >>',
      2: '<< /Type /Pages /Kids [3 0 R] /Count 1 /MediaBox [0 0 99 99] >>',
      3: `<< /Type /Page /Parent 2 0 R /Annots [${createWidget('Yes')} ${createWidget('Off')}] >>`,
    })
    assert.equal((await summarize('boxes.pdf', pdf))?.counts.checkedFields, 1)
  })

  test('a selected check box that becomes an unselected one is reported as a loss', async () => {
    const page = `<p>${text}</p><input type="checkbox" checked>`
    const { result } = await runSteps(
      await createRun({
        sources: [page],
        output: page.replace(' checked', ''),
        steps: [{ from: 'html', to: 'html' }],
      }),
    )
    assert.equal(
      result.shortfall?.warning.message,
      'Of 1 selected check box in the html, 0 are in the html (0 %).',
    )
  })

  test('a fallback route that keeps more words but shrinks the images does not replace an earlier result', async () => {
    const createResult = (share: number, area: number) => ({
      fidelity: { words: createRetention(100, share), imageArea: createRetention(9000, area), dropped: [] },
      files: [],
      warnings: [],
    })
    const fallback = { ...createResult(90, 9000), kept: 0.9 }
    const inputPlan = { steps: [], step: 0, files: [], fallback }
    const decide = (area: number) =>
      decideAfterSuccess(inputPlan as never, createResult(100, area) as never, undefined, () => assert.fail())
    assert.deepEqual(decide(2000), { result: fallback })
    assert.deepEqual(decide(8500), { result: { ...createResult(100, 8500), kept: 1 } })
  })
})
