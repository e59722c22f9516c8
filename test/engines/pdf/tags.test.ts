import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { describe, test } from 'node:test'
import { getResolvedPDFJS } from 'unpdf'
import { assertValidPdf, readLinkTargets, readUncompressed } from '../support/inspect-pdf.ts'
import { readPdfText, readStdout } from '../support/inspect-result.ts'
import { createBook, createPdf, writeFiles } from '../support/pdf-maker.ts'
import { createToolRunner } from '../support/run-pdf-tool.ts'

const showText = (words: string) => `BT /F 12 Tf 10 50 Td (${words}) Tj ET`
const markContent = (tag: string, id: number, words: string) =>
  `/${tag} <</MCID ${id}>> BDC ${showText(words)} EMC`
const createElement = (entries: string) => `<< /Type /StructElem ${entries} >>`

/** Creates two pages with tags: a heading whose tag is in the role map, two paragraphs, and a link to page 2. */
function createTaggedPdf(word: string, language: string): Buffer {
  const createPage = (contentsObject: number, key: number) =>
    `<< /Type /Page /Parent 2 0 R /Contents ${contentsObject} 0 R /StructParents ${key} /Tabs /S /Resources << /Font << /F 7 0 R >> >> ${key === 0 ? '/Annots [8 0 R 9 0 R]' : ''} >>`
  return createPdf({
    1: `<< /Type /Catalog /Pages 2 0 R /Lang (${language}) /MarkInfo << /Marked true >> /StructTreeRoot 10 0 R
      /AcroForm << /Fields [9 0 R] /DA (/F 12 Tf) /DR << /Font << /F 7 0 R >> >> >> >>`,
    2: '<< /Type /Pages /Kids [3 0 R 4 0 R] /Count 2 /MediaBox [0 0 200 100] >>',
    3: createPage(5, 0),
    4: createPage(6, 1),
    5: {
      dict: '<< >>',
      data: Buffer.from(`${markContent('H1', 0, `${word} title`)} ${markContent('P', 1, `${word} first`)}`),
    },
    6: { dict: '<< >>', data: Buffer.from(markContent('P', 0, `${word} second`)) },
    7: '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    8: '<< /Type /Annot /Subtype /Link /Rect [10 40 90 70] /Dest [4 0 R /Fit] /StructParent 2 >>',
    9: `<< /Type /Annot /Subtype /Widget /FT /Tx /T (${word}) /Rect [100 40 190 70] /P 3 0 R /StructParent 3 >>`,
    10: '<< /Type /StructTreeRoot /K 11 0 R /ParentTree 16 0 R /ParentTreeNextKey 4 /RoleMap << /Title /H1 >> >>',
    11: createElement('/S /Document /P 10 0 R /K [12 0 R 13 0 R 14 0 R 15 0 R 17 0 R]'),
    12: createElement('/S /Title /P 11 0 R /Pg 3 0 R /K 0'),
    13: createElement('/S /P /P 11 0 R /Pg 3 0 R /K 1'),
    14: createElement('/S /P /P 11 0 R /Pg 4 0 R /K 0'),
    15: createElement('/S /Link /P 11 0 R /Pg 3 0 R /K << /Type /OBJR /Obj 8 0 R /Pg 3 0 R >>'),
    16: '<< /Nums [0 [12 0 R 13 0 R] 1 [14 0 R] 2 15 0 R 3 17 0 R] >>',
    17: createElement('/S /Form /P 11 0 R /Pg 3 0 R /K << /Type /OBJR /Obj 9 0 R /Pg 3 0 R >>'),
  })
}

const getPath = await writeFiles({
  'alpha.pdf': createTaggedPdf('Alpha', 'en'),
  'beta.pdf': createTaggedPdf('Beta', 'de'),
  'book.pdf': createBook('Gamma'),
  // The replacement is as long as the original, so that the cross-reference table stays valid.
  'untagged.pdf': Buffer.from(
    createTaggedPdf('Delta', 'fr').toString('latin1').replace('/StructTreeRoot 10 0 R', ' '.repeat(22)),
    'latin1',
  ),
})
const run = createToolRunner(getPath('alpha.pdf'))

/** Returns the structure as Poppler reads it: tags with the text of their content. */
async function readTags(path: string): Promise<string> {
  return (await readStdout('pdfinfo', '-struct-text', path)).replaceAll(/\s+/g, ' ')
}

/** Returns the text within artifacts of a page, as pdf.js finds it. */
async function readArtifacts(path: string): Promise<string> {
  const { getDocument } = await getResolvedPDFJS()
  const task = getDocument({ data: new Uint8Array(await readFile(path)), verbosity: 0 })
  const page = await (await task.promise).getPage(1)
  const { items } = await page.getTextContent({ includeMarkedContent: true })
  const openArtifactFlags: boolean[] = []
  const texts: string[] = []
  for (const item of items) {
    if (!('type' in item)) {
      if (openArtifactFlags.includes(true)) texts.push(item.str)
    } else if (item.type === 'endMarkedContent') openArtifactFlags.pop()
    else openArtifactFlags.push('tag' in item && item.tag === 'Artifact')
  }
  await task.destroy()
  return texts.join('')
}

test('page numbers and watermarks added to a tagged PDF are artifacts, and the tags of the PDF stay', async () => {
  for (const [operation, options] of [
    ['add-page-numbers-pdf', { format: 'Page {page}' }],
    ['add-watermark-pdf', { watermarkText: 'Page 1', watermarkPosition: 'bottom' }],
  ] as const) {
    const { path } = await run(operation, options)
    assert.match(await readPdfText(path), /Page 1/)
    assert.equal((await readArtifacts(path)).trim(), 'Page 1', operation)
    assert.match(await readTags(path), /H1.*"Alpha title".*"Alpha second"/, operation)
    await assertValidPdf(path)
  }
})

describe('merging tagged PDFs', () => {
  test('a merge of tagged PDFs keeps their tags and links', async () => {
    const { path, warnings } = await run('merge', {}, getPath('alpha.pdf'), { more: [getPath('beta.pdf')] })
    assert.deepEqual(warnings, [])
    const createWordsPattern = (word: string) =>
      `"${word} title".*"${word} first".*"${word} second".*Link.*Form.*`
    assert.match(
      await readTags(path),
      new RegExp(`Document.*${createWordsPattern('Alpha')}Document.*${createWordsPattern('Beta')}`),
    )
    assert.deepEqual(await readLinkTargets(path, 1), [2])
    assert.deepEqual(await readLinkTargets(path, 3), [4])
    assert.match(await readStdout('pdfinfo', path), /Tagged:\s+yes/)
    await assertValidPdf(path)
  })

  test('a merge of tagged and untagged PDFs has tags for the text of all the PDFs, in page order', async () => {
    for (const order of [
      ['alpha.pdf', 'book.pdf', 'beta.pdf'],
      ['book.pdf', 'beta.pdf', 'alpha.pdf'],
    ]) {
      const [first = '', ...otherPaths] = order.map(getPath)
      const { path, warnings } = await run('merge', {}, first, { more: otherPaths })
      assert.deepEqual(warnings, [])
      const tags = await readTags(path)
      const texts = { 'alpha.pdf': 'Alpha title', 'book.pdf': 'Gamma page2', 'beta.pdf': 'Beta title' }
      const expectedTexts = order.map((name) => texts[name as keyof typeof texts])
      assert.match(tags, new RegExp(expectedTexts.join('.*')), order.join())
      await assertValidPdf(path)
    }
  })

  test('links of a PDF whose tags were removed do not get the tags of another PDF in a merge', async () => {
    const { path } = await run('merge', {}, getPath('alpha.pdf'), { more: [getPath('untagged.pdf')] })
    assert.match(await readTags(path), /Alpha second.*Delta title/)
    // Only the link and the form field of the first PDF have this entry.
    assert.equal((await readUncompressed(path)).match(/\/StructParent /g)?.length, 2)
    await assertValidPdf(path)
  })
})
