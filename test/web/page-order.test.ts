import assert from 'node:assert/strict'
import { test } from 'node:test'
import { wishOf } from '../../functions/web/grid/keyboard.ts'
import {
  type Arranged,
  cut,
  cutEvery,
  moved,
  orderOf,
  pagesIn,
  partsOf,
  rangeOf,
  removed,
  type Sheets,
  shifted,
  stepsOf,
  turned,
  untouched,
} from '../../functions/web/grid/page-order.ts'
import { pagesOf } from '../../lib/engines/pdf/page-range.ts'

/** Pages as somebody put them, without a browser: what that is for the service. */

const five = untouched(5)
const after = (...changes: readonly ((sheets: Sheets) => Sheets)[]): Arranged => ({
  ...five,
  sheets: changes.reduce((sheets, change) => change(sheets), five.sheets),
})
const order = ({ sheets }: Arranged) => sheets.map(({ page }) => page)
const some = (...pages: readonly number[]) => new Set(pages)

test('pages go as a block in front of where they are dropped', () => {
  assert.deepEqual(order(after((sheets) => moved(sheets, some(4, 5), 0))), [4, 5, 1, 2, 3])
  assert.deepEqual(order(after((sheets) => moved(sheets, some(1, 3), 5))), [2, 4, 5, 1, 3])
  // Into their own middle: they come together there.
  assert.deepEqual(order(after((sheets) => moved(sheets, some(1, 3), 2))), [2, 1, 3, 4, 5])
})

test('pages go one place on or back, and stop at the ends', () => {
  assert.deepEqual(order(after((sheets) => shifted(sheets, some(2), 1))), [1, 3, 2, 4, 5])
  assert.deepEqual(order(after((sheets) => shifted(sheets, some(2), -1))), [2, 1, 3, 4, 5])
  assert.deepEqual(order(after((sheets) => shifted(sheets, some(2, 3), 1))), [1, 4, 2, 3, 5])
  assert.deepEqual(order(after((sheets) => shifted(sheets, some(1), -1))), [1, 2, 3, 4, 5])
  assert.deepEqual(order(after((sheets) => shifted(sheets, some(5), 1))), [1, 2, 3, 4, 5])
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
    assert.equal(rangeOf(pages), range)
    if (range) assert.deepEqual(pagesOf(range, 9), pages)
    if (range) assert.deepEqual(pagesIn(range, 9), pages)
  }
  assert.deepEqual(pagesIn(' 8 - last , 1', 9), [8, 9, 1])
  for (const wrong of ['', '0', '10', '1-', 'a', '1,,2', '1-2-3'])
    assert.equal(pagesIn(wrong, 9), undefined, wrong)
})

test('what was done becomes operations, one after the other, each on what the one before made', () => {
  assert.deepEqual(stepsOf(five), [])
  assert.deepEqual(stepsOf(after((sheets) => removed(sheets, some(1, 2, 3, 4, 5)))), [])
  const all = after(
    (sheets) => moved(sheets, some(5), 0),
    (sheets) => turned(sheets, some(5, 3), 90),
    (sheets) => turned(sheets, some(2), -90),
    (sheets) => removed(sheets, some(1)),
    (sheets) => cut(sheets, some(2)),
  )
  assert.deepEqual(stepsOf(all), [
    { operation: 'extract-pdf-pages', options: { pages: '5,2-4' } },
    { operation: 'rotate-pdf', options: { pages: '1,3', rotate: 90 } },
    { operation: 'rotate-pdf', options: { pages: '2', rotate: 270 } },
    { operation: 'split-pdf', options: { pages: '1-2,3-4' } },
  ])
})

test('cuts make parts, also after a page that is removed, and never an empty one', () => {
  const parts = (...changes: readonly ((sheets: Sheets) => Sheets)[]) => partsOf(after(...changes))
  assert.deepEqual(parts(), [[1, 2, 3, 4, 5]])
  assert.deepEqual(
    parts((sheets) => cutEvery(sheets, 2)),
    [[1, 2], [3, 4], [5]],
  )
  const twoGone = (sheets: Sheets) => removed(cut(sheets, some(2)), some(2))
  assert.deepEqual(parts(twoGone), [[1], [2, 3, 4]])
  const allCut = (sheets: Sheets) => removed(cutEvery(sheets, 1), some(1, 3))
  assert.deepEqual(parts(allCut), [[1], [2], [3]])
  // After the last page there is nothing to cut off, and a second time takes the cuts away.
  assert.deepEqual(
    parts((sheets) => cut(sheets, some(5))),
    [[1, 2, 3, 4, 5]],
  )
  assert.deepEqual(
    parts((sheets) => cut(cut(sheets, some(2)), some(2))),
    [[1, 2, 3, 4, 5]],
  )
})

test('turning four times is as it was, and an order that is the old one is none', () => {
  const around = [90, 90, 90, 90].map((degrees) => (sheets: Sheets) => turned(sheets, some(1), degrees as 90))
  assert.deepEqual(after(...around), five)
  assert.equal(orderOf(five), undefined)
  assert.equal(orderOf(after((sheets) => moved(sheets, some(3), 0))), '3,1-2,4-5')
})

test('keys go in rows, and the other way where one reads from right to left', () => {
  const stand = { place: 4, count: 10, columns: 3, isMirrored: false }
  const key = (name: string, more: Partial<KeyboardEvent> = {}) => ({ key: name, ...more }) as KeyboardEvent // what is read of it
  const to = (name: string, more: Partial<typeof stand> = {}) => {
    const wish = wishOf(key(name), { ...stand, ...more })
    return wish?.kind === 'go' ? wish.to : undefined
  }
  assert.deepEqual(
    ['ArrowRight', 'ArrowLeft', 'ArrowDown', 'ArrowUp', 'Home', 'End'].map((name) => to(name)),
    [5, 3, 7, 1, 0, 9],
  )
  assert.equal(to('ArrowRight', { isMirrored: true }), 3)
  assert.equal(to('ArrowUp', { place: 1 }), 0)
  assert.equal(to('ArrowDown', { place: 8 }), 9)
  assert.deepEqual(wishOf(key('ArrowLeft', { altKey: true }), stand), { kind: 'act', id: 'back' })
  assert.deepEqual(wishOf(key('ArrowLeft', { altKey: true }), { ...stand, isMirrored: true }), {
    kind: 'act',
    id: 'on',
  })
  assert.deepEqual(wishOf(key('A', { ctrlKey: true }), stand), { kind: 'all' })
  // Reloading and the like stay the browser's.
  assert.equal(wishOf(key('r', { ctrlKey: true }), stand), undefined)
  assert.equal(wishOf(key('Tab'), stand), undefined)
})
