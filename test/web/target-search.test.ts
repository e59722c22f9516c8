import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { listToolsFor } from '../../functions/web/sections/convert/file-tools.ts'
import { createFormatCatalog, sortByPopularity } from '../../functions/web/sections/convert/format-catalog.ts'

import { searchTargets } from '../../functions/web/sections/convert/target-search.ts'
import { findTool, pageTools } from '../../functions/web/sections/tools/tools.ts'
import { engines } from '../../lib/engines/index.ts'
import { formatByAlias, formatById } from '../../lib/formats/index.ts'
import * as synonyms from '../../lib/formats/synonyms.ts'
import { getFormatViews } from '../../lib/http/openapi/format-view.ts'
import { operations } from '../../lib/model/operations.ts'
import { isListedTarget } from '../../lib/plan/listed-targets.ts'
import { conversions } from '../plan/with-all-engines.ts'

const catalog = createFormatCatalog(getFormatViews(engines))

/** Returns the ids of the found targets in the order of the list, for a file of this format. */
function search(from: string, typedText: string): readonly string[] {
  const source = catalog.findById(from)
  const sourceId = formatByAlias(from)?.id
  assert.ok(source && sourceId)
  const reachableTargets = conversions(engines, 'convert', sourceId).map(({ to }) => to)
  const experimental = reachableTargets.filter(
    (to) => to !== sourceId && !isListedTarget(formatById(sourceId), formatById(to)),
  )
  const rows = searchTargets(
    {
      targets: sortByPopularity(source, catalog.getTargets(source)),
      experimentalTargets: experimental.flatMap((id) => catalog.findById(id) ?? []),
      sameFormat: reachableTargets.includes(sourceId) ? source : undefined,
      tools: listToolsFor(source),
      synonyms,
    },
    typedText,
  )
  return rows.map((row) => (row.kind === 'tool' ? row.tool.id : row.format.id))
}

/** Words that people type for a file, and the targets that they mean. */
const expectedTargetsByWord: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  pdf: {
    word: 'docx',
    excel: 'xlsx',
    xlsx: 'xlsx',
    csv: 'csv',
    powerpoint: 'pptx',
    slides: 'pptx',
    text: 'txt',
    'plain text': 'txt',
    jpeg: 'jpg',
    photo: 'jpg',
    picture: 'jpg',
    kindle: 'azw3',
    ebook: 'epub',
    website: 'html',
    markdown: 'md',
    combine: 'merge',
    join: 'merge',
    zusammenfügen: 'merge',
    juntar: 'merge',
    planilha: 'xlsx',
    'remover senha': 'decrypt-pdf',
    'quitar contraseña': 'decrypt-pdf',
    'hoja de cálculo': 'xlsx',
    shrink: 'compress-pdf',
    reduce: 'compress-pdf',
    smaller: 'compress-pdf',
    verkleinern: 'compress-pdf',
    protect: 'encrypt-pdf',
    lock: 'encrypt-pdf',
    password: 'encrypt-pdf',
    unlock: 'decrypt-pdf',
    'remove password': 'decrypt-pdf',
    sign: 'add-watermark-pdf',
    stamp: 'add-watermark-pdf',
    delete: 'remove-pdf-pages',
    resize: 'crop-pdf',
    separate: 'split-pdf',
    split: 'split-pdf',
    turn: 'rotate-pdf',
    drehen: 'rotate-pdf',
    scan: 'ocr-pdf',
    searchable: 'ocr-pdf',
    ocr: 'ocr-pdf',
    'black out': 'redact-pdf',
    fix: 'repair-pdf',
    numbering: 'add-page-numbers-pdf',
    pictures: 'extract-pdf-images',
    archival: 'to-pdfa',
    'black and white': 'grayscale-pdf',
    ワード: 'docx',
    パスワード: 'encrypt-pdf',
    分割: 'split-pdf',
    圧縮: 'compress-pdf',
    結合: 'merge',
  },
  png: {
    photo: 'jpg',
    favicon: 'ico',
    vector: 'svg',
    '.jpg': 'jpg',
    resize: 'png',
    rotate: 'png',
    collage: 'merge',
    'one pdf': 'merge',
    copyright: 'watermark',
    shrink: 'compress',
  },
  mp4: {
    music: 'mp3',
    audio: 'mp3',
    meme: 'gif',
    cut: 'mp4',
    trim: 'mp4',
    ringtone: 'm4r',
    subtitles: 'srt',
    quicktime: 'mov',
    smaller: 'compress',
    音声: 'mp3',
    字幕: 'srt',
  },
  docx: { acrobat: 'pdf', print: 'pdf', excel: 'xlsx', openoffice: 'odt', ebook: 'epub' },
}

describe('searching targets', () => {
  for (const [from, expectedTargets] of Object.entries(expectedTargetsByWord)) {
    test(`${Object.keys(expectedTargets).length} search words for a ${from} file find the right target in the first two rows`, () => {
      const foundTargets = Object.keys(expectedTargets).map(
        (word) => [word, search(from, word).slice(0, 2)] as const,
      )
      assert.deepEqual(
        foundTargets.filter(([word, ids]) => !ids.includes(expectedTargets[word] ?? '')),
        [],
      )
    })
  }

  test('the target list starts with the most used formats, and experimental formats are last in their category', () => {
    assert.deepEqual(search('pdf', '').slice(0, 3), ['docx', 'txt', 'html'])
    const documents = search('pdf', '').filter((id) => catalog.findById(id)?.category === 'document')
    assert.ok(documents.indexOf('xlsx') > documents.indexOf('odt'))
  })

  test('every tool that a search word refers to exists', () => {
    const tools = pageTools
      .flatMap(({ id }) => synonyms.getToolSynonyms(id))
      .flatMap((word) => synonyms.findBySynonym(word).tools)
    assert.ok(tools.length > pageTools.length)
    const names: readonly string[] = operations
    assert.deepEqual(
      tools.filter((id) => !findTool(id) && !names.includes(id)),
      [],
    )
  })

  test('every tool of the page can be found by search words', () => {
    assert.deepEqual(
      pageTools.filter(({ id }) => synonyms.getToolSynonyms(id).length === 0),
      [],
    )
  })
})
