import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { engines } from '../../lib/engines/index.ts'
import { type FormatId, formatById, formats, isFormatId } from '../../lib/formats/index.ts'
import { createOptionsSchema } from '../../lib/plan/index.ts'
import { formatIdsInRules, isWorthSeveralSteps } from '../../lib/plan/listed-targets.ts'
import unprovenPairs from '../../lib/plan/unproven-pairs.json' with { type: 'json' }
import { candidates, conversions, listTargets, planRoute } from './with-all-engines.ts'

const steps = (from: FormatId, to: FormatId) =>
  [from, ...planRoute({ from, to }).steps.map((step) => `${step.engine}:${step.to}`)].join(' ')

describe('supported conversions', () => {
  test('every registered format is the source or target of an operation other than archive', () => {
    const usedFormats = new Set(
      engines.flatMap(({ capabilities }) =>
        // Ignores `archive`, which accepts every format.
        capabilities.flatMap(({ operation, from, to }) => (operation === 'archive' ? [] : [...from, ...to])),
      ),
    )
    assert.deepEqual(
      formats.filter(({ id }) => !usedFormats.has(id)).map(({ id }) => id),
      [],
    )
  })

  test('eight common conversions such as DOCX to JPG take the expected routes', () => {
    assert.equal(steps('docx', 'pdf'), 'docx libreoffice:pdf')
    assert.equal(steps('docx', 'jpg'), 'docx libreoffice:pdf pdf:jpg')
    assert.equal(steps('heic', 'jpg'), 'heic vips:jpg')
    assert.equal(steps('tiff', 'pdf'), 'tiff vips:pdf')
    assert.equal(steps('mkv', 'mp4'), 'mkv ffmpeg:mp4')
    assert.equal(steps('mp4', 'gif'), 'mp4 ffmpeg:gif')
    assert.equal(steps('gif', 'webp'), 'gif vips:webp')
    assert.equal(steps('bmp', 'jpg'), 'bmp imagemagick:jpg')
  })

  test('an SVG that needs browser features is rendered by Chromium, unless another engine is pinned', () => {
    const drawnSvg = { from: 'svg', to: 'png', traits: ['browser-drawing'] } as const
    assert.deepEqual(
      [
        planRoute({ from: 'svg', to: 'png' }),
        planRoute(drawnSvg),
        planRoute({ ...drawnSvg, engine: 'vips' }),
      ].map((route) => route.steps[0].engine),
      ['vips', 'chromium', 'vips'],
    )
    // The result is converted like any other image.
    const furtherSteps = planRoute({ ...drawnSvg, to: 'tga' }).steps
    assert.deepEqual(
      [furtherSteps[0]?.engine, furtherSteps.length > 1, furtherSteps.at(-1)?.to],
      ['chromium', true, 'tga'],
    )
    for (const traits of [[], ['browser-drawing'] as const])
      assert.throws(() => planRoute({ from: 'svg', to: 'ppm', traits }), { code: 'UNSUPPORTED_CONVERSION' })
  })

  test('a pair listed in unprovenPairs is not a supported conversion, but remains a candidate', () => {
    const unproven: Record<string, readonly string[]> = unprovenPairs
    const savedUnproven = unproven['rtf']
    const targets = () => conversions([...engines], 'convert', 'rtf').map(({ to }) => to)
    try {
      unproven['rtf'] = []
      assert.ok(targets().includes('pdf'))
      unproven['rtf'] = ['pdf']
      assert.ok(!targets().includes('pdf'))
      const request = { from: 'rtf', to: 'pdf', engines: [...engines] } as const
      assert.throws(() => planRoute(request), { code: 'UNSUPPORTED_CONVERSION' })
      const triedPairs = candidates().filter(({ from }) => from === 'rtf')
      assert.ok(
        triedPairs.some(({ to }) => to === 'pdf'),
        'it could never be seen to',
      )
    } finally {
      if (savedUnproven) unproven['rtf'] = savedUnproven
      else delete unproven['rtf']
    }
  })

  test('supported conversions have at most three steps, and their intermediate formats lose no pages', () => {
    for (const { from, to, route } of conversions()) {
      const intermediateFormats = route.steps.slice(0, -1).map((step) => formatById(step.to))
      const firstPagedIndex = [formatById(from), ...intermediateFormats].findIndex(
        (format) => format.multiPage,
      )
      if (firstPagedIndex >= 0) {
        const isText = ['document', 'ebook'].includes(formatById(to).category)
        for (const format of intermediateFormats.slice(firstPagedIndex)) {
          const isFlowing = isText && format.category === 'document' && !format.fixedLayout
          assert.ok(format.multiPage || isFlowing, `${from} ${format.id} ${to}`)
        }
      }
      if (formatById(from).category === 'image') {
        assert.ok(
          intermediateFormats.every(({ category }) => category === 'image'),
          `${from} to ${to}`,
        )
      }
      assert.ok(route.steps.length <= 3, `${from} to ${to} takes ${route.steps.length} steps`)
    }
  })

  test('the listed targets of a format exclude useless conversions such as SVG to TXT and MP3 to MP4', () => {
    for (const [from, to] of [
      ['svg', 'txt'],
      ['mp3', 'mp4'],
      ['docx', 'mp3'],
      ['csv', 'docx'],
      ['cbz', 'docx'],
      ['cbz', 'txt'],
    ] as const) {
      assert.ok(!listTargets(from).includes(to), `${from} to ${to}`)
    }
  })

  test('the listed targets of a format include the useful ones, and at most 20 of other categories', () => {
    assert.deepEqual(
      formatIdsInRules.filter((id) => !isFormatId(id)),
      [],
    )
    assert.deepEqual(listTargets('docx').slice(0, 3), ['pdf', 'odt', 'rtf'])
    for (const to of ['pdf', 'html', 'txt'] as const) assert.ok(listTargets('pptx').includes(to), to)
    for (const to of ['pdf', 'html', 'md', 'txt'] as const) assert.ok(listTargets('xlsx').includes(to), to)
    assert.ok(listTargets('srt').includes('txt'))
    assert.ok(!listTargets('pptx').includes('xlsx'), 'a presentation is offered as a sheet')
    assert.ok(!listTargets('xlsx').includes('docx'), 'a sheet is offered as a text')
    for (const { id, category } of formats) {
      const otherTargets = listTargets(id).filter((target) => formatById(target).category !== category)
      assert.ok(otherTargets.length <= 20, `${id}: ${otherTargets.join(' ')}`)
    }
  })

  test('the listed targets of each format start with the targets of its own category', () => {
    for (const { id, category } of formats) {
      const sameCategoryFlags = listTargets(id).map((target) => formatById(target).category === category)
      assert.ok(
        sameCategoryFlags.lastIndexOf(true) <
          (sameCategoryFlags.includes(false) ? sameCategoryFlags.indexOf(false) : sameCategoryFlags.length),
        id,
      )
    }
    assert.equal(listTargets('docx')[0], 'pdf')
  })

  test('no supported conversion takes several steps to a rarely used target', () => {
    const multiStepConversions = conversions().filter(({ route }) => route.steps.length > 1)
    const unwantedPairs = multiStepConversions.filter(
      ({ from, to }) => !isWorthSeveralSteps(formatById(from), formatById(to)),
    )
    assert.deepEqual(
      unwantedPairs.map(({ from, to }) => `${from} to ${to}`),
      [],
    )
  })

  test('no supported conversion has a required option', () => {
    for (const { route } of conversions()) {
      const parsedOptions = createOptionsSchema(route).safeParse({})
      assert.ok(parsedOptions.success, `${route.steps[0].from} needs an option`)
    }
  })

  test('repeated calls of planRoute and conversions return the same cached objects, with and without traits', () => {
    const plainPair = { from: 'docx', to: 'jpg' } as const
    assert.equal(planRoute(plainPair), planRoute(plainPair))
    const drawnSvg = { from: 'svg', to: 'png', traits: ['browser-drawing'] } as const
    assert.equal(planRoute(drawnSvg), planRoute(drawnSvg))
    const ownEngines = [...engines]
    const route = planRoute({ ...plainPair, engines: ownEngines })
    const everyConversion = conversions(ownEngines)
    assert.equal(conversions(ownEngines), everyConversion)
    assert.ok(everyConversion.some((conversion) => conversion.route === route))
  })

  test('the list of all supported conversions takes less than a second of CPU time', () => {
    const cpuBefore = process.cpuUsage()
    conversions([...engines])
    // Measures CPU time, because other tests run at the same time.
    const { user } = process.cpuUsage(cpuBefore)
    assert.ok(user < 1_000_000, `${user} µs`)
  })
})
