import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import * as z from 'zod'
import type { EngineId } from '../../lib/component-ids.ts'
import type { Engine } from '../../lib/engines/engine.ts'
import { type FormatId, formatById, formats } from '../../lib/formats/index.ts'
import { planOtherRoute, type Unread } from '../../lib/plan/index.ts'
import { getRank, isListedTarget, isWorthSeveralSteps } from '../../lib/plan/listed-targets.ts'
import { planRoute } from './with-all-engines.ts'

function engine(id: EngineId, rows: [from: FormatId[], to: FormatId[], cost: number][]): Engine {
  const capabilities = rows.map(([from, to, cost]) => ({
    operation: 'convert' as const,
    from,
    to,
    cost,
    options: z.object({}),
    // A step to the same format: one engine rewrites the file for another.
    same: true as const,
  }))
  const run = () => Promise.reject(new Error('These engines only plan.'))
  const limits = { memoryMb: 1, diskMb: 1, timeoutS: 1 }
  return { id, image: 'image', capabilities, limits, version: () => '1', run }
}

const engines = [
  engine('vips', [
    [['png', 'tiff'], ['jpg', 'webp'], 0.1],
    [['tiff'], ['png'], 0.1],
  ]),
  engine('imagemagick', [
    [['png', 'tiff'], ['jpg'], 0.5],
    [['png', 'psd'], ['png'], 0.4],
  ]),
  engine('ffmpeg', [[['png'], ['jpg'], 2]]),
]

const findRoutes = (from: FormatId, to: FormatId, known: readonly Engine[], unread: readonly Unread[] = []) =>
  describeRoute(from, to, unread, () => true, known)

function describeRoute(
  from: FormatId,
  to: FormatId,
  unreadableSteps: readonly Unread[],
  accepts = () => true,
  knownEngines = engines as readonly Engine[],
): string | undefined {
  const route = planOtherRoute({ from, to, engines: knownEngines, unreadable: unreadableSteps, accepts })
  return route && [from, ...route.steps.map((step) => `${step.engine}:${step.to}`)].join(' ')
}
const createFailureAt = (name: EngineId, from: FormatId, to: FormatId): Unread => [{ engine: name, from, to }]

describe('fallback routes', () => {
  test('a fallback route for an unreadable file is the cheapest on which no engine reads a format that it failed to read', () => {
    assert.equal(describeRoute('png', 'jpg', []), 'png vips:jpg')
    assert.equal(describeRoute('png', 'jpg', [createFailureAt('vips', 'png', 'jpg')]), 'png imagemagick:jpg')
    const bothFailures = [createFailureAt('vips', 'png', 'jpg'), createFailureAt('imagemagick', 'png', 'jpg')]
    assert.equal(describeRoute('png', 'jpg', bothFailures), 'png ffmpeg:jpg')
    assert.equal(
      describeRoute('png', 'jpg', [...bothFailures, createFailureAt('ffmpeg', 'png', 'jpg')]),
      undefined,
    )
  })

  test('a fallback route for an unreadable file may start by rewriting the file for the engine that could not read it', () => {
    const failWithoutFallback = (from: FormatId) => [createFailureAt('vips', from, 'webp')]
    assert.equal(describeRoute('png', 'webp', failWithoutFallback('png')), 'png imagemagick:png vips:webp')
    // A fallback must not lose pages of a multi-page image.
    assert.equal(describeRoute('tiff', 'webp', failWithoutFallback('tiff')), undefined)
  })

  test('a fallback route may read the original file with an engine that failed only on the rewritten file', () => {
    const laterFailure: Unread = [
      { engine: 'imagemagick', from: 'png', to: 'png' },
      { engine: 'vips', from: 'png', to: 'webp' },
    ]
    assert.equal(
      describeRoute('png', 'webp', [createFailureAt('vips', 'png', 'webp'), laterFailure]),
      undefined,
    )
    assert.equal(describeRoute('png', 'webp', [laterFailure]), 'png vips:webp')
  })

  test('a file has no fallback route if the only engine that supports its format failed to read the file', () => {
    assert.equal(describeRoute('psd', 'jpg', []), 'psd imagemagick:png vips:jpg')
    assert.equal(describeRoute('psd', 'jpg', [createFailureAt('imagemagick', 'psd', 'png')]), undefined)
  })

  test('a fallback route for an unreadable file is the first of several with equal cost, and has at most three steps', () => {
    const [one, otherEngine] = (['vips', 'imagemagick'] as const).map((id) =>
      engine(id, [[['png'], ['jpg'], 1]]),
    )
    assert.ok(one && otherEngine)
    for (const knownEngines of [
      [one, otherEngine],
      [otherEngine, one],
    ])
      assert.equal(findRoutes('png', 'jpg', knownEngines), `png ${knownEngines[0]?.id}:jpg`)
    const long = [
      engine('vips', [[['psd'], ['png'], 1]]),
      engine('imagemagick', [[['png'], ['tiff'], 1]]),
      engine('ffmpeg', [[['tiff'], ['bmp'], 1]]),
    ]
    assert.equal(findRoutes('psd', 'tiff', long), 'psd vips:png imagemagick:tiff')
    assert.equal(findRoutes('psd', 'bmp', long), 'psd vips:png imagemagick:tiff ffmpeg:bmp')
    const longer = [
      ...long.slice(0, 2),
      engine('ffmpeg', [[['tiff'], ['webp'], 1]]),
      engine('pdf', [[['webp'], ['bmp'], 1]]),
    ]
    assert.equal(findRoutes('psd', 'bmp', longer), undefined)
  })

  test('a fallback route for an unreadable file neither returns to the source format nor rewrites a lossy format', () => {
    const routesAround = [
      engine('vips', [[['png'], ['jpg'], 1]]),
      engine('imagemagick', [[['png'], ['tiff'], 1]]),
      engine('ffmpeg', [[['tiff'], ['png'], 1]]),
    ]
    assert.equal(findRoutes('png', 'jpg', routesAround, [createFailureAt('vips', 'png', 'jpg')]), undefined)
    const rewritingSteps = [
      engine('vips', [[['png', 'jpg'], ['webp'], 1]]),
      engine('imagemagick', [
        [['png'], ['png'], 1],
        [['jpg'], ['jpg'], 1],
      ]),
    ]
    assert.equal(
      findRoutes('png', 'webp', rewritingSteps, [createFailureAt('vips', 'png', 'webp')]),
      'png imagemagick:png vips:webp',
    )
    assert.equal(
      findRoutes('jpg', 'webp', rewritingSteps, [createFailureAt('vips', 'jpg', 'webp')]),
      undefined,
    )
  })

  test('an unreadable file has no fallback route if no route is accepted for the requested options', () => {
    assert.equal(
      describeRoute('png', 'jpg', [], () => false),
      undefined,
    )
  })
})

test('the error for an operation that no engine supports has empty lists of targets and sources', () => {
  const rotateRequest = { from: 'png', to: 'jpg', operation: 'rotate-pdf', engines } as const
  assert.throws(
    () => planRoute(rotateRequest),
    (error: { code: string; details: Record<string, unknown> }) => {
      const { operation, from, to, targets, sources } = error.details
      assert.deepEqual(
        [error.code, operation, from, to],
        ['UNSUPPORTED_CONVERSION', 'rotate-pdf', 'png', 'jpg'],
      )
      assert.deepEqual([targets, sources], [[], []])
      return true
    },
  )
})

describe('the listed targets of a format', () => {
  const getFormatRank = (id: FormatId) => getRank(formatById(id))
  const isWorth = (from: FormatId, to: FormatId) => isWorthSeveralSteps(formatById(from), formatById(to))

  test('the most popular formats of a category have the first ranks: MP4, WEBM, MOV, MKV and AVI for videos', () => {
    for (const [id, place] of [
      ['mp4', 0],
      ['webm', 1],
      ['mov', 2],
      ['mkv', 3],
      ['avi', 4],
    ] as const)
      assert.equal(getFormatRank(id), place, id)
    assert.equal(getFormatRank('3gp'), getFormatRank('ogv'))
    assert.ok(getFormatRank('3gp') > getFormatRank('avi'))
    assert.equal(Math.min(getFormatRank('jpg'), getFormatRank('png')), 0)
  })

  test('among formats of other categories than the source, only popular ones are listed as targets', () => {
    const usualTargets: Readonly<Record<string, string>> = {
      pdf: 'mp4 webm mov mkv avi',
      png: 'mp3 wav m4a aac flac ogg opus',
      mp4: 'jpg png webp avif gif tiff svg bmp',
      zip: 'pdf docx odt rtf txt html md',
      docx: 'epub mobi azw3 fb2',
      mp3: 'zip 7z tgz tar',
      csv: 'woff2 ttf otf woff',
    }
    for (const [from, ids] of Object.entries(usualTargets)) {
      const targets = ids.split(' ') as FormatId[] // formatById throws for unknown ids
      const { category } = formatById(targets[0] ?? assert.fail())
      const offeredFormats = formats.filter(
        (to) => to.category === category && isListedTarget(formatById(from as FormatId), to),
      )
      assert.deepEqual(
        offeredFormats
          .toSorted((a, b) => getRank(a) - getRank(b))
          .map(({ id }) => id)
          .filter((id) => !'srt vtt ass'.includes(id)),
        targets,
        from,
      )
      assert.deepEqual(
        targets.map((id) => getFormatRank(id)),
        [...targets.keys()],
        from,
      )
    }
  })

  test('targets that need several steps are listed only if they are popular or useful within their category', () => {
    assert.ok(isWorth('docx', 'jpg'))
    assert.ok(isWorth('epub', 'pdf'))
    assert.ok(!isWorth('docx', 'pcx'))
    assert.ok(!isWorth('mp4', 'exr'))
    assert.ok(!isWorth('epub', 'sxw'))
  })

  test('the listed targets of spreadsheets, presentations, subtitles and drawings fit the kind of document', () => {
    const isOffered = (from: FormatId, to: FormatId) => isListedTarget(formatById(from), formatById(to))
    const splitWords = (text: string) => text.split(' ') as FormatId[] // formatById throws for unknown ids
    const sheetFormats =
      'xlsx xlsm xlsb xltx xltm xls xlt ods ots fods sxc uos xmlss et wk1 wk4 123 wb1 wb2 wb3 csv tsv dif slk numbers'
    const slideFormats = 'pptx pptm ppsx potx potm ppt pps pot odp otp fodp sxi key dps uop'
    const subtitleFormats = 'srt vtt ass ssa sub smi ttml lrc scc mpl2 jss pjs aqt'
    for (const from of splitWords(sheetFormats)) {
      const seenTargets = (['pdf', 'html', 'md', 'txt', 'docx', 'pptx'] as const).map((to) =>
        isOffered(from, to),
      )
      assert.deepEqual(seenTargets, [true, true, true, true, false, false], from)
    }
    for (const from of splitWords(slideFormats)) {
      assert.deepEqual(
        (['pdf', 'html', 'txt', 'md', 'docx'] as const).map((to) => isOffered(from, to)),
        [true, true, true, false, false],
        from,
      )
    }
    for (const from of splitWords(subtitleFormats)) {
      assert.deepEqual(
        (['txt', 'pdf'] as const).map((to) => isOffered(from, to)),
        [true, false],
        from,
      )
      assert.ok(from === 'srt' || isOffered(from, 'srt'), from)
    }
    for (const from of splitWords('odg otg fodg vsd vsdx pub dxf'))
      assert.deepEqual(
        (['pdf', 'txt'] as const).map((to) => isOffered(from, to)),
        [true, false],
        from,
      )
    for (const to of splitWords('srt vtt ass'))
      assert.deepEqual([isOffered('mp4', to), isOffered('mp3', to)], [true, false], to)
    assert.deepEqual(
      [isOffered('docx', 'pptx'), isOffered('docx', 'odp'), isOffered('docx', 'xlsx')],
      [true, true, false],
    )
    assert.deepEqual(
      [isOffered('png', 'png'), isOffered('png', 'tga'), isOffered('mp4', 'mp3'), isOffered('mp4', 'ogv')],
      [false, true, true, true],
    )
    assert.ok(!isOffered('mp4', 'tga'))
    for (const to of splitWords('heic jxl jp2 ico psd tga hdr exr dds pcx apng eps svgz'))
      assert.ok(isWorth('png', to), to)
    for (const to of splitWords('doc xlsx xls ods csv pptx ppt odp tex rst adoc'))
      assert.ok(isWorth('epub', to), to)
  })
})
