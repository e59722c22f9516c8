import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { Uint8ArrayReader, Uint8ArrayWriter, ZipWriter } from '@zip.js/zip.js'
import { readSummary } from '../../lib/decoders/read-summary.ts'
import type { FormatId } from '../../lib/formats/index.ts'
import { runSteps } from '../../lib/jobs/run/run-steps.ts'
import { writeWordDocument } from '../engines/support/word-maker.ts'
import { createRun, createText, folder } from './support/conversions.ts'

const text = createText(20)
const paragraph = `<w:p><w:r><w:t>${text}</w:t></w:r></w:p>`
const createDrawing = (ids: string) => `<w:p><w:r><w:drawing><a:blip ${ids}/></w:drawing></w:r></w:p>`

async function writeZip(name: string, files: Readonly<Record<string, string>>): Promise<string> {
  const zip = new ZipWriter(new Uint8ArrayWriter(), { useWebWorkers: false })
  for (const [file, content] of Object.entries(files))
    await zip.add(file, new Uint8ArrayReader(Buffer.from(content)))
  const path = join(folder, name)
  await writeFile(path, await zip.close())
  return path
}

async function countImages(path: string, format: FormatId) {
  const { absentImages, counts } = (await readSummary(path, format, { isResult: false })) ?? {}
  return { absentImages, images: counts?.images }
}

describe('images that a document shows, but does not contain', () => {
  test('missing and linked images of a Word document are counted, and stored copies of linked images are not', async () => {
    const header = `<w:hdr>${createDrawing('r:embed="r0"')}</w:hdr>`
    const relation = (target: string) =>
      `<Relationships><Relationship Id="r0" Type="http://example.com/image" Target="${target}"/></Relationships>`
    const body = ['r:embed="r0"', 'r:embed="r1"', 'r:link="r2"', 'r:embed="r0" r:link="r2"'].map(
      createDrawing,
    )
    const path = await writeWordDocument('absent', paragraph + body.join('') + body[1], [
      ['image', 'media/stored.png', 'x'],
      ['image', 'media/missing.png', undefined],
      ['image', 'http://example.com/linked.png', undefined],
      ['image', 'media/not-shown.png', undefined],
      ['header', 'header1.xml', header],
      ['header', 'header2.xml', header],
      ['other', '_rels/header1.xml.rels', relation('/word/media/stored.png')],
      ['other', '_rels/header2.xml.rels', relation('media/missing-logo.png')],
    ])
    assert.deepEqual(await countImages(path, 'docx'), { absentImages: 3, images: 2 })
  })

  test('missing images of an OpenDocument text are counted, and missing previews of objects are not', async () => {
    const createFrame = (...urls: readonly string[]) =>
      `<draw:frame>${urls.map((url) => `<draw:image xlink:href="${url}"/>`).join('')}</draw:frame>`
    const path = await writeZip('absent.odt', {
      'content.xml': `<office:text><text:p>${text}</text:p>${createFrame('media/stored.png')}
        ${createFrame('media/missing.png')}${createFrame('http://example.com/linked.png')}
        ${createFrame('media/missing.svg', './media/stored.png')}${createFrame('./ObjectReplacements/a')}</office:text>`,
      'styles.xml': createFrame('media/missing-logo.png'),
      'media/stored.png': 'x',
    })
    assert.deepEqual(await countImages(path, 'odt'), { absentImages: 3, images: 2 })
  })

  test('missing images of spreadsheets are counted', async () => {
    const workbook = await writeZip('absent.xlsx', {
      'xl/workbook.xml': '<workbook><sheets><sheet r:id="r0"/></sheets></workbook>',
      'xl/_rels/workbook.xml.rels':
        '<Relationships><Relationship Id="r0" Target="worksheets/sheet1.xml"/></Relationships>',
      'xl/worksheets/sheet1.xml': '<worksheet><sheetData/></worksheet>',
      'xl/worksheets/_rels/sheet1.xml.rels':
        '<Relationships><Relationship Id="r0" Target="../drawings/drawing1.xml"/></Relationships>',
      'xl/drawings/drawing1.xml': ['r0', 'r1', 'r2'].map((id) => `<a:blip r:embed="${id}"/>`).join(''),
      'xl/drawings/_rels/drawing1.xml.rels': `<Relationships>${[
        '../media/stored.png',
        '../media/missing.png',
        'http://example.com/linked.png',
      ]
        .map((target, at) => `<Relationship Id="r${at}" Type="http://example.com/image" Target="${target}"/>`)
        .join('')}</Relationships>`,
      'xl/media/stored.png': 'x',
    })
    assert.equal((await countImages(workbook, 'xlsx')).absentImages, 2)
    const frames = ['media/stored.png', 'media/missing.png', 'http://example.com/linked.png'].map(
      (url) => `<draw:frame><draw:image xlink:href="${url}"/></draw:frame>`,
    )
    const sheets = await writeZip('absent.ods', {
      'content.xml': `<office:spreadsheet><table:table><table:shapes>${frames.join('')}</table:shapes></table:table></office:spreadsheet>`,
      'media/stored.png': 'x',
    })
    assert.equal((await countImages(sheets, 'ods')).absentImages, 2)
  })

  test('missing images of a presentation are counted', async () => {
    const path = await writeZip('absent.pptx', {
      'ppt/slides/slide1.xml': `<p:sld><a:blip r:embed="r0"/><a:p><a:t>${text}</a:t></a:p></p:sld>`,
      'ppt/slides/_rels/slide1.xml.rels':
        '<Relationships><Relationship Id="r0" Type="http://example.com/image" Target="../media/a.png"/></Relationships>',
    })
    assert.equal((await countImages(path, 'pptx')).absentImages, 1)
  })

  test('images that a document does not contain cause one warning, even if several steps follow', async () => {
    const source = await readFile(
      await writeWordDocument('absent-step', paragraph + createDrawing('r:embed="r0"'), [
        ['image', 'media/missing.png', undefined],
      ]),
    )
    const steps = [
      { from: 'docx', to: 'html' },
      { from: 'html', to: 'md' },
    ] as const
    const { warnings } = await runSteps(
      await createRun({ sources: [source], output: `<p>${text}</p>`, steps }),
    )
    assert.deepEqual(warnings, [
      {
        code: 'PICTURES_DROPPED',
        message: 'The docx shows an image that is not in the file, so the result does not contain it.',
      },
    ])
  })
})
