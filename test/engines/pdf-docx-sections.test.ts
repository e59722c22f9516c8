import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import * as docx from 'docx'
import {
  columnBalancingSection,
  sectionOptions,
  textWidthOf,
  toPageSize,
} from '../../lib/engines/pdf/docx/section-options.ts'
import type { DocxSection } from '../../lib/engines/pdf/docx/sections.ts'

/** Points; margins are left, top, right and bottom. */
const section = (more: Partial<DocxSection> = {}) =>
  ({ width: 600, height: 800, margins: [50, 60, 70, 80], ...more }) as DocxSection // nothing else is looked at

describe('a section of a document', () => {
  test('has its margins, in twentieths of a point', () => {
    const { page, ...others } = sectionOptions(docx, section())
    assert.deepEqual(page?.margin, { left: 1000, top: 1200, right: 1400, bottom: 1600 })
    assert.deepEqual(others, {})
  })

  test('on a sheet that lies is told by its shorter side as the width', () => {
    const { PORTRAIT, LANDSCAPE } = docx.PageOrientation
    assert.deepEqual(toPageSize(docx, { width: 600, height: 800 }), {
      ...{ width: 12_000, height: 16_000, orientation: PORTRAIT },
    })
    assert.deepEqual(toPageSize(docx, { width: 800, height: 600 }), {
      ...{ width: 12_000, height: 16_000, orientation: LANDSCAPE },
    })
    assert.equal(toPageSize(docx, { width: 600, height: 600 }).orientation, PORTRAIT)
  })

  test('of columns tells how many, how far apart, and whether a line is between', () => {
    const columns = { count: 3, space: 20, isRuled: true, isBalanced: true }
    assert.deepEqual(sectionOptions(docx, section({ columns })).column, {
      ...{ count: 3, space: 400, separate: true, equalWidth: true },
    })
    assert.equal(textWidthOf(section()), 480)
    assert.ok(Math.abs(textWidthOf(section({ columns })) - 440 / 3) < 1e-9)
  })

  test('that goes on where the last one ends says so, and the last columns are even by one without any', () => {
    const { CONTINUOUS } = docx.SectionType
    assert.equal(sectionOptions(docx, section({ isContinuous: true })).type, CONTINUOUS)
    const { properties, children } = columnBalancingSection(
      docx,
      section({ columns: { count: 2, space: 20, isRuled: false, isBalanced: true } }),
    )
    assert.deepEqual([properties?.type, properties?.column], [CONTINUOUS, undefined])
    assert.equal(children.length, 1)
    const spacing = JSON.stringify(children)
    for (const [name, value] of Object.entries({ before: 0, after: 0, line: 20, lineRule: '"exact"' }))
      assert.match(spacing, new RegExp(`"${name}":\\{"key":"w:${name}","value":${value}\\}`))
  })
})
