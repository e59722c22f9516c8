import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findKeyAction } from '../../functions/web/grid/keyboard.ts'
import {
  createOriginalOrder,
  formatNewOrder,
  formatRange,
  movePages,
  type PageArrangement,
  parseRange,
  rotatePages,
  type Sheets,
  shiftPages,
  splitEvery,
  splitIntoParts,
  toggleRemoved,
  toggleSplit,
  toOperations,
} from '../../functions/web/grid/page-order.ts'
import { resolvePages } from '../../lib/engines/pdf/page-range.ts'

/** Editing the page order and turning it into operations of the service; no browser needed. */

const fivePages = createOriginalOrder(5)
const arrange = (...changes: readonly ((sheets: Sheets) => Sheets)[]): PageArrangement => ({
  ...fivePages,
  sheets: changes.reduce((sheets, change) => change(sheets), fivePages.sheets),
})
const listPageNumbers = ({ sheets }: PageArrangement) => sheets.map(({ page }) => page)
const createPageSet = (...pages: readonly number[]) => new Set(pages)

test('dropped pages move as a block in front of the drop position', () => {
  assert.deepEqual(
    listPageNumbers(arrange((sheets) => movePages(sheets, createPageSet(4, 5), 0))),
    [4, 5, 1, 2, 3],
  )
  assert.deepEqual(
    listPageNumbers(arrange((sheets) => movePages(sheets, createPageSet(1, 3), 5))),
    [2, 4, 5, 1, 3],
  )
  // Selected pages that are dropped between each other are gathered at that place.
  assert.deepEqual(
    listPageNumbers(arrange((sheets) => movePages(sheets, createPageSet(1, 3), 2))),
    [2, 1, 3, 4, 5],
  )
})

test('pages move one position forward or back and stop at the ends', () => {
  assert.deepEqual(
    listPageNumbers(arrange((sheets) => shiftPages(sheets, createPageSet(2), 1))),
    [1, 3, 2, 4, 5],
  )
  assert.deepEqual(
    listPageNumbers(arrange((sheets) => shiftPages(sheets, createPageSet(2), -1))),
    [2, 1, 3, 4, 5],
  )
  assert.deepEqual(
    listPageNumbers(arrange((sheets) => shiftPages(sheets, createPageSet(2, 3), 1))),
    [1, 4, 2, 3, 5],
  )
  assert.deepEqual(
    listPageNumbers(arrange((sheets) => shiftPages(sheets, createPageSet(1), -1))),
    [1, 2, 3, 4, 5],
  )
  assert.deepEqual(
    listPageNumbers(arrange((sheets) => shiftPages(sheets, createPageSet(5), 1))),
    [1, 2, 3, 4, 5],
  )
})

test('a page range is written in its shortest form and parsed the same by the service', () => {
  const writtenRanges: readonly (readonly [readonly number[], string])[] = [
    [[3, 1, 2], '3,1-2'],
    [[1, 2, 3, 7, 9, 8], '1-3,7,9-8'],
    [[5, 4, 3], '5-3'],
    [[2, 2], '2,2'],
    [[1, 2, 1], '1-2,1'],
    [[], ''],
  ]
  for (const [pages, range] of writtenRanges) {
    assert.equal(formatRange(pages), range)
    if (range) assert.deepEqual(resolvePages(range, 9), pages)
    if (range) assert.deepEqual(parseRange(range, 9), pages)
  }
  assert.deepEqual(parseRange(' 8 - last , 1', 9), [8, 9, 1])
  for (const wrongRange of ['', '0', '10', '1-', 'a', '1,,2', '1-2-3'])
    assert.equal(parseRange(wrongRange, 9), undefined, wrongRange)
})

test('edits of the pages become a chain of operations, each applied to the result of the previous operation', () => {
  assert.deepEqual(toOperations(fivePages), [])
  assert.deepEqual(toOperations(arrange((sheets) => toggleRemoved(sheets, createPageSet(1, 2, 3, 4, 5)))), [])
  const allPages = arrange(
    (sheets) => movePages(sheets, createPageSet(5), 0),
    (sheets) => rotatePages(sheets, createPageSet(5, 3), 90),
    (sheets) => rotatePages(sheets, createPageSet(2), -90),
    (sheets) => toggleRemoved(sheets, createPageSet(1)),
    (sheets) => toggleSplit(sheets, createPageSet(2)),
  )
  assert.deepEqual(toOperations(allPages), [
    { operation: 'extract-pdf-pages', options: { pages: '5,2-4' } },
    { operation: 'rotate-pdf', options: { pages: '1,3', rotate: 90 } },
    { operation: 'rotate-pdf', options: { pages: '2', rotate: 270 } },
    { operation: 'split-pdf', options: { pages: '1-2,3-4' } },
  ])
})

test('a split after a removed page still separates the pages, and no part is empty', () => {
  const splitPages = (...changes: readonly ((sheets: Sheets) => Sheets)[]) =>
    splitIntoParts(arrange(...changes))
  assert.deepEqual(splitPages(), [[1, 2, 3, 4, 5]])
  assert.deepEqual(
    splitPages((sheets) => splitEvery(sheets, 2)),
    [[1, 2], [3, 4], [5]],
  )
  const splitAndRemove = (sheets: Sheets) =>
    toggleRemoved(toggleSplit(sheets, createPageSet(2)), createPageSet(2))
  assert.deepEqual(splitPages(splitAndRemove), [[1], [2, 3, 4]])
  const splitAllAndRemove = (sheets: Sheets) => toggleRemoved(splitEvery(sheets, 1), createPageSet(1, 3))
  assert.deepEqual(splitPages(splitAllAndRemove), [[1], [2], [3]])
  // There is nothing to split off after the last page, and splitting a second time removes the split.
  assert.deepEqual(
    splitPages((sheets) => toggleSplit(sheets, createPageSet(5))),
    [[1, 2, 3, 4, 5]],
  )
  assert.deepEqual(
    splitPages((sheets) => toggleSplit(toggleSplit(sheets, createPageSet(2)), createPageSet(2))),
    [[1, 2, 3, 4, 5]],
  )
})

test('four quarter turns restore a page, and formatNewOrder returns nothing for the original order', () => {
  const fullTurn = [90, 90, 90, 90].map(
    (degrees) => (sheets: Sheets) => rotatePages(sheets, createPageSet(1), degrees as 90),
  )
  assert.deepEqual(arrange(...fullTurn), fivePages)
  assert.equal(formatNewOrder(fivePages), undefined)
  assert.equal(formatNewOrder(arrange((sheets) => movePages(sheets, createPageSet(3), 0))), '3,1-2,4-5')
})

test('arrow keys move the focus between pages, and left and right are swapped in right-to-left layout', () => {
  const position = { index: 4, count: 10, columns: 3, isRightToLeft: false }
  // Creates a key event with only the properties that are read.
  const createKeyEvent = (name: string, overrides: Partial<KeyboardEvent> = {}) =>
    ({ key: name, ...overrides }) as KeyboardEvent
  const to = (name: string, overrides: Partial<typeof position> = {}) => {
    const action = findKeyAction(createKeyEvent(name), { ...position, ...overrides })
    return action?.kind === 'focus' ? action.to : undefined
  }
  assert.deepEqual(
    ['ArrowRight', 'ArrowLeft', 'ArrowDown', 'ArrowUp', 'Home', 'End'].map((name) => to(name)),
    [5, 3, 7, 1, 0, 9],
  )
  assert.equal(to('ArrowRight', { isRightToLeft: true }), 3)
  assert.equal(to('ArrowUp', { index: 1 }), 0)
  assert.equal(to('ArrowDown', { index: 8 }), 9)
  assert.deepEqual(findKeyAction(createKeyEvent('ArrowLeft', { altKey: true }), position), {
    kind: 'command',
    id: 'moveBack',
  })
  assert.deepEqual(
    findKeyAction(createKeyEvent('ArrowLeft', { altKey: true }), { ...position, isRightToLeft: true }),
    {
      kind: 'command',
      id: 'moveForward',
    },
  )
  assert.deepEqual(findKeyAction(createKeyEvent('A', { ctrlKey: true }), position), { kind: 'all' })
  // Ctrl+R and other browser shortcuts keep working.
  assert.equal(findKeyAction(createKeyEvent('r', { ctrlKey: true }), position), undefined)
  assert.equal(findKeyAction(createKeyEvent('Tab'), position), undefined)
})
