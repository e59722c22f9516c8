import assert from 'node:assert/strict'
import { test } from 'node:test'
import { toLine } from '../../../lib/engines/pdf/docx/lines.ts'
import { groupIntoParagraphs } from '../../../lib/engines/pdf/docx/paragraphs.ts'

const style = {
  font: 'Arial',
  bold: false,
  italic: false,
  mono: false,
  serif: false,
  size: 10,
  color: '000000',
}

test('12,000 short lines of a PDF page are grouped into paragraphs within five seconds', () => {
  const lines = Array.from({ length: 12_000 }, (_, at) => {
    const word = { text: 'word', baseline: at * 12, style, hasSpaceBefore: false }
    return toLine([{ ...word, box: [100, at * 12 - 8, at % 2 === 0 ? 120 : 200, at * 12 + 2] }])
  })
  const settings = { column: [50, 0, 500, 800], pitch: 1.2, hyphenatedWords: new Set<string>() } as const
  const startedAt = performance.now()
  const paragraphs = groupIntoParagraphs(lines, settings)
  const ms = performance.now() - startedAt
  assert.equal(paragraphs.length, lines.length)
  assert.ok(ms < 5000, `${Math.round(ms)} ms`)
})
