import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { chooseLayout, countChannels, type LayoutName } from '../../../lib/engines/ffmpeg/channel-layouts.ts'

describe('audio channel layouts', () => {
  /** For each layout, the layout that is chosen for a codec that supports all other layouts. */
  const nextLarger: Readonly<Record<LayoutName, LayoutName>> = {
    mono: '3.0',
    stereo: '2.1',
    '2.1': '3.1',
    '3.0': '3.1',
    '3.0(back)': '4.0',
    '3.1': '4.1',
    '4.0': '4.1',
    quad: 'quad(side)',
    'quad(side)': 'quad',
    '4.1': '6.1',
    '5.0': '5.0(side)',
    '5.0(side)': '5.0',
    '5.1': '5.1(side)',
    '5.1(side)': '5.1',
    '6.0': 'hexagonal',
    hexagonal: '6.0',
    '6.1': '6.1(back)',
    '6.1(back)': '6.1',
    '7.0': '7.1',
    '7.1': '7.1(wide)',
    '7.1(wide)': '7.1',
    octagonal: '7.1',
  }
  const names = Object.keys(nextLarger) as LayoutName[] // Object.keys loses the literal types.
  const createChannels = (layout: LayoutName) => ({ count: countChannels(layout), layout })

  test('an unsupported channel layout is replaced by the smallest supported layout that has all of its speakers', () => {
    for (const name of names) {
      const layouts = names.filter((other) => other !== name)
      const layout = nextLarger[name]
      assert.deepEqual(
        chooseLayout(createChannels(name), { maxChannels: 8, layouts }),
        { layout, channels: countChannels(layout) },
        name,
      )
    }
  })

  test('an unsupported channel layout is replaced by a supported layout within the maximum number of channels', () => {
    const layouts = ['stereo', '3.0', '4.0', '5.1', '7.1'] as const
    const chooseLayoutWithin = (name: LayoutName, maxChannels: number) =>
      chooseLayout(createChannels(name), { maxChannels, layouts }).layout
    assert.deepEqual([chooseLayoutWithin('2.1', 6), chooseLayoutWithin('2.1', 5)], ['5.1', '3.0'])
    assert.deepEqual(
      [chooseLayoutWithin('7.0', 8), chooseLayoutWithin('7.0', 6), chooseLayoutWithin('7.0', 2)],
      ['7.1', '5.1', 'stereo'],
    )
    assert.equal(chooseLayoutWithin('3.0(back)', 4), '4.0')
    assert.equal(
      chooseLayout(createChannels('quad'), { maxChannels: 8, layouts: ['7.1', '5.0', '5.1'] }).layout,
      '5.0',
    )
  })

  test('an unnamed channel layout becomes the default layout for its channel count, or a bare count such as 9c', () => {
    const chooseForUnnamed = (count: number, layouts?: readonly LayoutName[]) =>
      chooseLayout({ count, layout: 'unknown' }, { maxChannels: 255, layouts })
    const defaultLayouts = ['mono', 'stereo', '3.0', 'quad', '5.0', '5.1', '6.1', '7.1'] as const
    for (const [at, layout] of defaultLayouts.entries()) {
      const assumption = at < 2 ? {} : { assumedLayout: layout }
      assert.deepEqual(chooseForUnnamed(at + 1), { layout, channels: at + 1, ...assumption })
    }
    assert.deepEqual(chooseForUnnamed(9), { layout: '9c', channels: 9 })
    assert.deepEqual(chooseForUnnamed(9, ['stereo', '5.1']), { layout: '5.1', channels: 6 })
    assert.deepEqual(chooseForUnnamed(4, ['mono', 'stereo']), {
      layout: 'stereo',
      channels: 2,
      assumedLayout: 'quad',
    })
  })

  test('a requested channel count gets its default layout, else the largest layout that fits, else the first layout', () => {
    const chooseLayoutFor = (count: number, layouts: readonly LayoutName[]) =>
      chooseLayout({ count: 8, layout: '7.1' }, { maxChannels: 8, layouts }, count).layout
    assert.equal(chooseLayoutFor(4, ['4.0', 'quad']), 'quad')
    assert.equal(chooseLayoutFor(4, ['stereo', '4.0', '5.0']), '4.0')
    assert.equal(chooseLayoutFor(1, ['stereo', '5.1']), 'stereo')
    assert.equal(chooseLayoutFor(2, ['5.1', '7.1']), '5.1')
    assert.equal(chooseLayout({ count: 8, layout: '7.1' }, { maxChannels: 8 }, 6).layout, '5.1')
    assert.deepEqual(chooseLayout({ count: 2, layout: 'stereo' }, { maxChannels: 8 }, 6), {
      layout: '5.1',
      channels: 6,
    })
  })
})
