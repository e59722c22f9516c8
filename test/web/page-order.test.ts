import assert from 'node:assert/strict'
import { test } from 'node:test'
import { keyAction } from '../../functions/web/grid/keyboard.ts'
import {
  formatNewOrder,
  formatRange,
  movePages,
  originalOrder,
  type PageArrangement,
  parseRange,
  rotatePages,
  type Sheets,
  shiftPages,
  splitEvery,
  splitParts,
  toggleRemoved,
  toggleSplit,
  toOperations,
} from '../../functions/web/grid/page-order.ts'
import { resolvePages } from '../../lib/engines/pdf/page-range.ts'

/** Pages as somebody put them, without a browser: what that is for the service. */

const five = originalOrder(5)
const after = (...changes: readonly ((sheets: Sheets) => Sheets)[]): PageArrangement => ({
  ...five,
  sheets: changes.reduce((sheets, change) => change(sheets), five.sheets),
})
const order = ({ sheets }: PageArrangement) => sheets.map(({ page }) => page)
const some = (...pages: readonly number[]) => new Set(pages)

test('pages go as a block in front of where they are dropped', () => {
  assert.deepEqual(order(after((sheets) => movePages(sheets, some(4, 5), 0))), [4, 5, 1, 2, 3])
  assert.deepEqual(order(after((sheets) => movePages(sheets, some(1, 3), 5))), [2, 4, 5, 1, 3])
  // Into their own middle: they come together there.
  assert.deepEqual(order(after((sheets) => movePages(sheets, some(1, 3), 2))), [2, 1, 3, 4, 5])
})

test('pages go one place on or back, and stop at the ends', () => {
  assert.deepEqual(order(after((sheets) => shiftPages(sheets, some(2), 1))), [1, 3, 2, 4, 5])
  assert.deepEqual(order(after((sheets) => shiftPages(sheets, some(2), -1))), [2, 1, 3, 4, 5])
  assert.deepEqual(order(after((sheets) => shiftPages(sheets, some(2, 3), 1))), [1, 4, 2, 3, 5])
  assert.deepEqual(order(after((sheets) => shiftPages(sheets, some(1), -1))), [1, 2, 3, 4, 5])
  assert.deepEqual(order(after((sheets) => shiftPages(sheets, some(5), 1))), [1, 2, 3, 4, 5])
})

test('a list of pages is written as short as the service reads it, and reads the same there', () => {
  const written: readonly (readonly [readonly number[], string])[] = [
    [[3, 1, 2], '3,1-2'],
    [[1, 2, 3, 7, 9, 8], '1-3,7,9-8'],
    [[5, 4, 3], '5-3'],
    [[2, 2], '2,2'],
    [[1, 2, 1], '1-2,1'],
    [[], ''],
  ]
  for (const [pages, range] of written) {
    assert.equal(formatRange(pages), range)
    if (range) assert.deepEqual(resolvePages(range, 9), pages)
    if (range) assert.deepEqual(parseRange(range, 9), pages)
  }
  assert.deepEqual(parseRange(' 8 - last , 1', 9), [8, 9, 1])
  for (const wrong of ['', '0', '10', '1-', 'a', '1,,2', '1-2-3'])
    assert.equal(parseRange(wrong, 9), undefined, wrong)
})

test('what was done becomes operations, one after the other, each on what the one before made', () => {
  assert.deepEqual(toOperations(five), [])
  assert.deepEqual(toOperations(after((sheets) => toggleRemoved(sheets, some(1, 2, 3, 4, 5)))), [])
  const all = after(
    (sheets) => movePages(sheets, some(5), 0),
    (sheets) => rotatePages(sheets, some(5, 3), 90),
    (sheets) => rotatePages(sheets, some(2), -90),
    (sheets) => toggleRemoved(sheets, some(1)),
    (sheets) => toggleSplit(sheets, some(2)),
  )
  assert.deepEqual(toOperations(all), [
    { operation: 'extract-pdf-pages', options: { pages: '5,2-4' } },
    { operation: 'rotate-pdf', options: { pages: '1,3', rotate: 90 } },
    { operation: 'rotate-pdf', options: { pages: '2', rotate: 270 } },
    { operation: 'split-pdf', options: { pages: '1-2,3-4' } },
  ])
})

test('cuts make parts, also after a page that is removed, and never an empty one', () => {
  const parts = (...changes: readonly ((sheets: Sheets) => Sheets)[]) => splitParts(after(...changes))
  assert.deepEqual(parts(), [[1, 2, 3, 4, 5]])
  assert.deepEqual(
    parts((sheets) => splitEvery(sheets, 2)),
    [[1, 2], [3, 4], [5]],
  )
  const twoGone = (sheets: Sheets) => toggleRemoved(toggleSplit(sheets, some(2)), some(2))
  assert.deepEqual(parts(twoGone), [[1], [2, 3, 4]])
  const allCut = (sheets: Sheets) => toggleRemoved(splitEvery(sheets, 1), some(1, 3))
  assert.deepEqual(parts(allCut), [[1], [2], [3]])
  // After the last page there is nothing to cut off, and a second time takes the cuts away.
  assert.deepEqual(
    parts((sheets) => toggleSplit(sheets, some(5))),
    [[1, 2, 3, 4, 5]],
  )
  assert.deepEqual(
    parts((sheets) => toggleSplit(toggleSplit(sheets, some(2)), some(2))),
    [[1, 2, 3, 4, 5]],
  )
})

test('turning four times is as it was, and an order that is the old one is none', () => {
  const around = [90, 90, 90, 90].map(
    (degrees) => (sheets: Sheets) => rotatePages(sheets, some(1), degrees as 90),
  )
  assert.deepEqual(after(...around), five)
  assert.equal(formatNewOrder(five), undefined)
  assert.equal(formatNewOrder(after((sheets) => movePages(sheets, some(3), 0))), '3,1-2,4-5')
})

test('keys go in rows, and the other way where one reads from right to left', () => {
  const position = { index: 4, count: 10, columns: 3, isMirrored: false }
  const key = (name: string, more: Partial<KeyboardEvent> = {}) => ({ key: name, ...more }) as KeyboardEvent // what is read of it
  const to = (name: string, more: Partial<typeof position> = {}) => {
    const wish = keyAction(key(name), { ...position, ...more })
    return wish?.kind === 'focus' ? wish.to : undefined
  }
  assert.deepEqual(
    ['ArrowRight', 'ArrowLeft', 'ArrowDown', 'ArrowUp', 'Home', 'End'].map((name) => to(name)),
    [5, 3, 7, 1, 0, 9],
  )
  assert.equal(to('ArrowRight', { isMirrored: true }), 3)
  assert.equal(to('ArrowUp', { index: 1 }), 0)
  assert.equal(to('ArrowDown', { index: 8 }), 9)
  assert.deepEqual(keyAction(key('ArrowLeft', { altKey: true }), position), {
    kind: 'command',
    id: 'moveBack',
  })
  assert.deepEqual(keyAction(key('ArrowLeft', { altKey: true }), { ...position, isMirrored: true }), {
    kind: 'command',
    id: 'moveForward',
  })
  assert.deepEqual(keyAction(key('A', { ctrlKey: true }), position), { kind: 'all' })
  // Reloading and the like stay the browser's.
  assert.equal(keyAction(key('r', { ctrlKey: true }), position), undefined)
  assert.equal(keyAction(key('Tab'), position), undefined)
})
