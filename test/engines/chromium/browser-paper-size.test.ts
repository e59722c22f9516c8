import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { buildHeaderFooterHtml } from '../../../lib/engines/chromium/header-footer.ts'
import {
  buildPageRules,
  computeWindowWidth,
  defaultPaperParams,
  ebookMargin,
  PrintOptions,
  parsePaperSheet,
} from '../../../lib/engines/chromium/paper.ts'

const parseOptions = (options: object) => PrintOptions.parse(options)

describe('browser window for printing', () => {
  const pageWithoutStyle = { width: null, left: null, right: null }
  const getWindowWidth = (options: object, pageStyle: object = {}, margin?: number) =>
    computeWindowWidth(parseOptions(options), { ...pageWithoutStyle, ...pageStyle }, margin)
  // 96 CSS pixels are an inch.
  const toPixels = (mm: number) => (mm / 25.4) * 96

  test('the browser window for printing is as wide as the paper minus its margins', () => {
    assert.equal(getWindowWidth({}), Math.floor(toPixels(210 - 2 * 10.16)))
    assert.equal(getWindowWidth({}, {}, ebookMargin), Math.floor(toPixels(210 - 40)))
    assert.equal(getWindowWidth({ marginLeft: '10mm', marginRight: '5mm' }), Math.floor(toPixels(195)))
    assert.equal(getWindowWidth({ pageSize: 'A5' }, {}, 0), Math.floor(toPixels(148)))
    assert.equal(getWindowWidth({ pageSize: 'A5', landscape: true }, {}, 0), Math.floor(toPixels(210)))
    assert.equal(getWindowWidth({ landscape: true }, {}, 0), Math.floor(toPixels(297)))
    assert.equal(getWindowWidth({ pageSize: '20x10cm' }, {}, 0), Math.floor(toPixels(200)))
  })

  test('the browser window for printing is wider at a smaller scale, and has a minimum width', () => {
    assert.equal(getWindowWidth({ scale: 0.5 }, {}, 0), Math.floor(toPixels(420)))
    assert.equal(getWindowWidth({ scale: 2 }, {}, 0), Math.floor(toPixels(105)))
    assert.equal(getWindowWidth({ pageSize: '20x100mm', scale: 2 }), 100)
  })

  test("the browser window for printing follows the page's style sheet unless other paper or margins are requested", () => {
    const ownPaper = { width: 600, left: 50, right: 20 }
    assert.equal(getWindowWidth({}, ownPaper), 530)
    assert.equal(getWindowWidth({}, { ...ownPaper, left: 0 }), 580)
    assert.equal(getWindowWidth({ marginLeft: '1in' }, ownPaper), 600 - 96 - 20)
    assert.equal(getWindowWidth({ marginRight: '1in' }, ownPaper), 600 - 50 - 96)
    assert.equal(getWindowWidth({ pageSize: 'A4' }, ownPaper), Math.floor(toPixels(210) - 70))
    assert.equal(getWindowWidth({ landscape: false }, ownPaper), Math.floor(toPixels(210) - 70))
    assert.equal(getWindowWidth({}, { left: 50, right: 20 }), Math.floor(toPixels(210) - 70))
  })
})

describe('paper of printed web pages', () => {
  const pageWithoutStyle = { width: null, left: null, right: null }
  const createPageRules = (options: object, margin?: number, pageStyle = pageWithoutStyle) =>
    buildPageRules(parseOptions(options), pageStyle, margin)
  test('by default, a printed web page uses the paper of its style sheet, or A4 if the style sheet sets none', () => {
    assert.deepEqual(createPageRules({}), [])
    assert.deepEqual(createPageRules({ scale: 0.5, headerText: 'a', printBackground: false }), [])
    const { paperWidth, paperHeight } = defaultPaperParams
    assert.deepEqual([paperWidth * 25.4, paperHeight * 25.4].map(Math.round), [210, 297])
  })

  test('a printed web page uses the requested paper rather than the one of its style sheet', () => {
    assert.deepEqual(createPageRules({ pageSize: 'A5' }), ['size: 148mm 210mm !important;'])
    assert.deepEqual(createPageRules({ landscape: 'true' }), ['size: 297mm 210mm !important;'])
    assert.deepEqual(createPageRules({ landscape: false }), ['size: 210mm 297mm !important;'])
    const sides = { marginTop: '1cm', marginRight: '2mm', marginBottom: '0mm', marginLeft: '1in' }
    assert.deepEqual(createPageRules(sides), [
      'margin-top: 10mm !important;',
      'margin-right: 2mm !important;',
      'margin-bottom: 0mm !important;',
      'margin-left: 25.4mm !important;',
    ])
    assert.deepEqual(createPageRules({ pageSize: 'A4', marginLeft: '1cm' }, ebookMargin), [
      'margin: 20mm;',
      'margin-left: 10mm !important;',
      'size: 210mm 297mm !important;',
    ])
  })

  test('printing a web page is refused if the margins leave no room on the paper', () => {
    const hasColorAcross = (left: number, right: number) =>
      createPageRules({ marginLeft: `${left}mm`, marginRight: `${right}mm` })
    const hasColorDown = (top: number, bottom: number) =>
      createPageRules({ marginTop: `${top}mm`, marginBottom: `${bottom}mm` })
    const wrongMargin = {
      code: 'INVALID_INPUT',
      details: { field: 'marginTop', reason: 'no-room' },
      message: /no room/,
    }
    assert.throws(() => hasColorAcross(105, 105), wrongMargin)
    assert.throws(() => hasColorAcross(0, 210), wrongMargin)
    assert.throws(() => hasColorDown(148.5, 148.5), wrongMargin)
    assert.throws(() => hasColorDown(0, 297), wrongMargin)
    assert.equal(hasColorAcross(105, 104).length, 2)
    assert.equal(hasColorDown(148, 148).length, 2)
  })

  test('a printed web page has narrower margins if the default margins leave no room, unless its style sheet sets margins', () => {
    assert.deepEqual(createPageRules({ pageSize: '20x20mm' }), [
      'margin: 2mm;',
      'size: 20mm 20mm !important;',
    ])
    assert.deepEqual(createPageRules({ pageSize: '21x21mm' }), ['size: 21mm 21mm !important;'])
    assert.deepEqual(createPageRules({ pageSize: '40x60mm' }, ebookMargin), [
      'margin: 4mm;',
      'size: 40mm 60mm !important;',
    ])
    assert.deepEqual(createPageRules({ pageSize: '60x30mm', marginTop: '20mm' }, ebookMargin), [
      ...['margin: 1mm;', 'margin-top: 20mm !important;', 'size: 60mm 30mm !important;'],
    ])
    const ownPaper = { width: 600, left: 0, right: null }
    assert.deepEqual(
      buildPageRules(parseOptions({ pageSize: '20x20mm' }), { ...pageWithoutStyle, left: 0 }),
      ['size: 20mm 20mm !important;'],
    )
    assert.deepEqual(parsePaperSheet({ pageSize: '40x60mm' }, ebookMargin).area, { width: 32, height: 52 })
    assert.equal(computeWindowWidth(parseOptions({ pageSize: '20x20mm', scale: 0.1 }), pageWithoutStyle), 604)
    assert.equal(computeWindowWidth(parseOptions({ pageSize: '20x20mm', scale: 0.1 }), ownPaper), 371)
  })

  test('the printable area of an ebook page is its paper size minus the margins', () => {
    assert.deepEqual(parsePaperSheet({}, ebookMargin), {
      paper: { width: 210, height: 297 },
      area: { width: 170, height: 257 },
    })
    const sides = { marginTop: '1mm', marginRight: '2mm', marginBottom: '4mm', marginLeft: '8mm' }
    assert.deepEqual(parsePaperSheet({ pageSize: 'a5', landscape: true, ...sides }, ebookMargin), {
      paper: { width: 210, height: 148 },
      area: { width: 200, height: 143 },
    })
    assert.deepEqual(parsePaperSheet({ marginTop: '1mm', marginLeft: '8mm' }, 0).area, {
      width: 202,
      height: 296,
    })
    assert.deepEqual(parsePaperSheet({ marginBottom: '1mm', marginRight: '8mm' }, 0).area, {
      width: 202,
      height: 296,
    })
  })
})

test('header text of a printed page is escaped, and page numbers and date are filled in', () => {
  const getInnerHtml = (text?: string) =>
    /^<div style="[^"]*">(.*)<\/div>$/s.exec(
      buildHeaderFooterHtml(text, new Date('2026-03-04T23:00:00Z')),
    )?.[1]
  assert.equal(getInnerHtml(), '')
  assert.equal(
    getInnerHtml('{page} of {pages}, {date}{Page}'),
    '<span class="pageNumber"></span> of <span class="totalPages"></span>, 2026-03-04{Page}',
  )
  assert.equal(getInnerHtml(`<b>&"'`), '&#60;b&#62;&#38;&#34;&#39;')
})
