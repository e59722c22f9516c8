import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import * as docx from 'docx'
import type { FlowBlock } from '../../../lib/engines/pdf/docx/blocks.ts'
import type { PageContent } from '../../../lib/engines/pdf/docx/page-content.ts'
import {
  createBalancingSection,
  measureTextWidth,
  toPageSize,
  toSectionOptions,
} from '../../../lib/engines/pdf/docx/section-options.ts'
import { buildSections, type DocxSection } from '../../../lib/engines/pdf/docx/sections.ts'

/** Creates a section, with sizes in points; the margins are left, top, right and bottom. */
const createSection = (overrides: Partial<DocxSection> = {}) =>
  ({ width: 600, height: 800, margins: [50, 60, 70, 80], ...overrides }) as DocxSection // only these fields are used

describe('Word section options', () => {
  test('the margins of a Word section are in twentieths of a point', () => {
    const { page, ...others } = toSectionOptions(docx, createSection())
    assert.deepEqual(page?.margin, { left: 1000, top: 1200, right: 1400, bottom: 1600 })
    assert.deepEqual(others, {})
  })

  test('a landscape page size is passed to the docx library with the shorter side as the width, because the library swaps the sides', () => {
    const { PORTRAIT, LANDSCAPE } = docx.PageOrientation
    assert.deepEqual(toPageSize(docx, { width: 600, height: 800 }), {
      width: 12_000,
      height: 16_000,
      orientation: PORTRAIT,
    })
    assert.deepEqual(toPageSize(docx, { width: 800, height: 600 }), {
      width: 12_000,
      height: 16_000,
      orientation: LANDSCAPE,
    })
    assert.equal(toPageSize(docx, { width: 600, height: 600 }).orientation, PORTRAIT)
  })

  test('the options of a Word section with columns set the number of columns, their spacing and a separator line', () => {
    const columns = { count: 3, space: 20, isRuled: true, isBalanced: true }
    assert.deepEqual(toSectionOptions(docx, createSection({ columns })).column, {
      count: 3,
      space: 400,
      separate: true,
      equalWidth: true,
    })
    assert.equal(measureTextWidth(createSection()), 480)
    assert.ok(Math.abs(measureTextWidth(createSection({ columns })) - 440 / 3) < 1e-9)
  })

  test('a Word section that is continuous, or that balances the columns before it, has the type CONTINUOUS', () => {
    const { CONTINUOUS } = docx.SectionType
    assert.equal(toSectionOptions(docx, createSection({ isContinuous: true })).type, CONTINUOUS)
    const { properties, children } = createBalancingSection(
      docx,
      createSection({ columns: { count: 2, space: 20, isRuled: false, isBalanced: true } }),
    )
    assert.deepEqual([properties?.type, properties?.column], [CONTINUOUS, undefined])
    assert.equal(children.length, 1)
    const spacing = JSON.stringify(children)
    for (const [name, value] of Object.entries({ before: 0, after: 0, line: 20, lineRule: '"exact"' }))
      assert.match(spacing, new RegExp(`"${name}":\\{"key":"w:${name}","value":${value}\\}`))
  })

  test('a PDF with 150,000 images becomes a single Word section', () => {
    const [pageCount, imagesPerPage] = [150, 1000]
    const flows = Array.from({ length: pageCount }, (_, number) => ({
      page: { number, width: 600, height: 800 } as PageContent, // only these fields are used
      blocks: Array.from({ length: imagesPerPage }, (_, at) => {
        const box = [50, 60 + at * 0.6, 500, 61 + at * 0.6] as const
        return { kind: 'image', box, path: '', column: [50, 0, 500, 800] } satisfies FlowBlock
      }),
    }))
    const sections = buildSections(flows, [50, 500], 1.2)
    assert.equal(sections[0]?.blocks.length, pageCount * imagesPerPage)
    assert.equal(sections[0]?.margins[1], 60)
  })

  test('the space above the first line of a Word page is added to the line height if no page break precedes the line', () => {
    const style = {
      font: 'Sans',
      bold: false,
      italic: false,
      mono: false,
      serif: false,
      size: 10,
      color: '000000',
    }
    const createLine = (top: number): FlowBlock => ({
      kind: 'paragraph',
      box: [50, top, 500, top + 12],
      runs: [{ text: 'Line.', style }],
      alignment: 'left',
      style,
      lineCount: 1,
      lineHeight: 12,
      mayContinue: false,
      spaceBefore: 0,
      indent: 0,
      firstIndent: 0,
      isRtl: false,
      column: [50, 0, 500, 800],
    })
    const createFlow = (number: number, tops: readonly number[]) => ({
      page: { number, width: 600, height: 800 } as PageContent, // only these fields are used
      blocks: tops.map(createLine),
    })
    const fullPage = Array.from({ length: 56 }, (_, at) => 60 + at * 12)
    const findLastBlock = (firstPage: readonly number[]) => {
      const [section] = buildSections([createFlow(1, firstPage), createFlow(2, [63])], [50, 500], 1.2)
      const last = section?.blocks.at(-1)
      assert.ok(last?.kind === 'paragraph')
      return [last.lineHeight, last.spaceBefore, last.startsNewPage]
    }
    assert.deepEqual(findLastBlock(fullPage), [15, 0, undefined])
    assert.deepEqual(findLastBlock([60]), [12, 3, true])
  })
})
