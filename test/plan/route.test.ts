import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import * as z from 'zod'
import type { EngineId, ImageId } from '../../lib/component-ids.ts'
import type { Capability, Engine } from '../../lib/engines/engine.ts'
import { AppError } from '../../lib/errors.ts'
import { type FormatId, formats } from '../../lib/formats/index.ts'
import { createOptionsSchema, createSteps, getFirstImage } from '../../lib/plan/index.ts'
import { planFiles } from '../../lib/plan/plan-files.ts'
import { conversions, listTargets, planRoute } from './with-all-engines.ts'

function engine(id: EngineId, image: ImageId, capabilities: readonly Capability[]): Engine {
  const limits = { memoryMb: 1, diskMb: 1, timeoutS: 1 }
  const run = () => Promise.reject(new Error('These engines only plan.'))
  return { id, image, capabilities, limits, version: () => '1', run }
}

function can(from: FormatId[], to: FormatId[], cost: number, shape: z.ZodRawShape = {}): Capability {
  return { operation: 'convert', from, to, cost, options: z.object(shape) }
}

const quality = z.number()
const office = engine('libreoffice', 'office', [
  can(['docx', 'odt', 'doc'], ['docx', 'odt', 'doc', 'rtf'], 0.3),
  can(['docx', 'odt', 'xlsx'], ['pdf'], 0.2, { pageSize: z.string(), quality: z.string() }),
  can(['docx'], ['png'], 0.1),
])
const pages = engine('pdf', 'pdf', [can(['pdf'], ['jpg', 'png', 'tiff'], 0.2, { dpi: z.number(), quality })])
const images = engine('vips', 'image', [
  { ...can(['jpg', 'png', 'tiff', 'gif', 'webp'], ['jpg', 'png', 'tiff', 'webp', 'gif'], 0.1), same: true },
  can(['heic'], ['png'], 0.3),
  can(['jpg', 'png', 'tiff'], ['pdf'], 0.1),
])
const otherImages = engine('imagemagick', 'image', [
  can(['jpg', 'png', 'webp'], ['png', 'jpg', 'webp'], 0.4),
  can(['webp'], ['svg'], 1),
])
const textOfPages = engine('pandoc', 'pdf', [can(['pdf'], ['docx', 'txt'], 1)])
const engines = [office, pages, images, otherImages, textOfPages]

function describeRoute(from: FormatId, to: FormatId, pinnedEngine?: EngineId): string {
  const { steps } = planRoute({ from, to, engine: pinnedEngine, engines })
  return [from, ...steps.map((step) => `${step.engine}:${step.to}`)].join(' ')
}

function getRouteError(from: FormatId, to: FormatId, pinnedEngine?: EngineId): AppError {
  try {
    describeRoute(from, to, pinnedEngine)
  } catch (error) {
    assert.ok(error instanceof AppError)
    assert.equal(error.code, 'UNSUPPORTED_CONVERSION')
    return error
  }
  throw new assert.AssertionError({ message: `${from} to ${to} has a route` })
}

describe('choosing a route', () => {
  test('a route is a single step of the cheapest engine that converts directly to the target', () => {
    assert.equal(describeRoute('jpg', 'png'), 'jpg vips:png')
  })

  test('a route uses an intermediate format that keeps all content that the target supports', () => {
    assert.equal(describeRoute('docx', 'jpg'), 'docx libreoffice:pdf pdf:jpg')
    assert.equal(describeRoute('heic', 'webp'), 'heic vips:png vips:webp')
    assert.equal(describeRoute('heic', 'pdf'), 'heic vips:png vips:pdf')
  })

  test('a route stays within one container image when switching to another costs more than it saves', () => {
    const over = (id: EngineId, image: ImageId) => [
      engine('vips', 'image', [can(['heic'], ['png'], 0.1)]),
      engine(id, image, [can(['png'], ['webp'], 0.1)]),
      engine('ffmpeg', 'image', [can(['heic'], ['webp'], 0.6)]),
    ]
    const countSteps = (known: readonly Engine[]) =>
      planRoute({ from: 'heic', to: 'webp', engines: known }).steps.length
    assert.deepEqual(
      [countSteps(over('imagemagick', 'image')), countSteps(over('imagemagick', 'pdf'))],
      [2, 1],
    )
    const costlyEngines = [
      ...over('imagemagick', 'pdf').slice(0, 2),
      engine('ffmpeg', 'image', [can(['heic'], ['webp'], 1)]),
    ]
    const { steps, cost } = planRoute({ from: 'heic', to: 'webp', engines: costlyEngines })
    assert.deepEqual([steps.length, Math.round(cost * 10)], [2, 7])
    assert.equal(planRoute({ from: 'jpg', to: 'png', engines }).cost, 0.1)
  })

  test('a route takes three steps when two are not enough', () => {
    assert.equal(describeRoute('doc', 'jpg'), 'doc libreoffice:docx libreoffice:pdf pdf:jpg')
  })

  test('no route converts an image through PDF to a document or text', () => {
    getRouteError('jpg', 'docx')
    getRouteError('heic', 'docx')
    getRouteError('tiff', 'txt')
  })

  test('a route never loses pages through a single-page intermediate format', () => {
    const twoSteps = [engine('vips', 'image', [can(['tiff'], ['png'], 0.1), can(['png'], ['pdf'], 0.1)])]
    assert.throws(() => planRoute({ from: 'tiff', to: 'pdf', engines: twoSteps }), AppError)
  })

  test('a route never loses animation through an intermediate format for single images', () => {
    const twoSteps = [engine('vips', 'image', [can(['gif'], ['png'], 0.1), can(['png'], ['webp'], 0.1)])]
    assert.throws(() => planRoute({ from: 'gif', to: 'webp', engines: twoSteps }), AppError)
  })

  test('a route converts a format to itself only if an engine declares it', () => {
    assert.equal(describeRoute('jpg', 'jpg'), 'jpg vips:jpg')
    getRouteError('docx', 'docx')
  })

  test('a route that does not exist causes an error that lists the possible targets', () => {
    const error = getRouteError('xlsx', 'mp3')
    assert.match(error.message, /^Converting Excel workbook \(xlsx\) to MP3 audio \(mp3\) is not supported/)
    assert.deepEqual(error.details?.targets, listTargets('xlsx', engines))
  })
})

describe('reporting an unsupported operation', () => {
  const createCompressingEngines = (from: FormatId[]) => [
    engine('vips', 'image', [{ ...can(from, ['png'], 0.1), operation: 'compress' }]),
  ]
  const assertRefused = (
    from: FormatId,
    to: FormatId,
    knownEngines: readonly Engine[],
    expectedMessage: object,
  ) =>
    assert.throws(() => planRoute({ operation: 'compress', from, to, engines: knownEngines }), {
      name: 'AppError',
      code: 'UNSUPPORTED_CONVERSION',
      ...expectedMessage,
    })

  test('the error for an unsupported operation names the possible targets, or the supported sources', () => {
    const imageEngines = createCompressingEngines(['png', 'jpg'])
    assertRefused('jpg', 'gif', imageEngines, {
      message: 'compress creates png from jpg, not gif.',
      details: { operation: 'compress', from: 'jpg', to: 'gif', targets: ['png'], sources: ['png', 'jpg'] },
    })
    assertRefused('mp3', 'mp3', imageEngines, { message: 'compress supports png, jpg; the file is mp3.' })
    assertRefused('mp3', 'mp3', [], {
      message: 'compress supports no format on this machine; the file is mp3.',
    })
  })

  test('the error for an unsupported operation lists at most 40 formats', () => {
    const [more, fortyFormats] = [41, 40].map((count) =>
      formats
        .map(({ id }) => id)
        .filter((id) => id !== 'mp3')
        .slice(0, count),
    )
    const message = `compress supports ${fortyFormats?.join(', ')}`
    const details = { operation: 'compress', from: 'mp3', to: 'mp3', targets: [] }
    assertRefused('mp3', 'mp3', createCompressingEngines(fortyFormats ?? []), {
      message: `${message}; the file is mp3.`,
      details: { ...details, sources: fortyFormats },
    })
    assertRefused('mp3', 'mp3', createCompressingEngines(more ?? []), {
      message: `${message} and 1 more; the file is mp3.`,
      details,
    })
  })
})

describe('routes with a pinned engine', () => {
  test('a pinned engine runs the step although another engine is cheaper', () => {
    assert.equal(describeRoute('jpg', 'png', 'imagemagick'), 'jpg imagemagick:png')
  })

  test('a pinned engine writes the target format, and other engines run the steps that the pinned engine cannot', () => {
    assert.equal(describeRoute('heic', 'webp', 'imagemagick'), 'heic vips:png imagemagick:webp')
  })

  test('a pinned engine that cannot write the target causes an error that names the engines that can', () => {
    const error = getRouteError('jpg', 'webp', 'libreoffice')
    assert.deepEqual(error.details?.engines, ['vips', 'imagemagick'])
    assert.match(error.message, /use one of: vips, imagemagick/)
    const loneEngineError = getRouteError('jpg', 'mp3', 'vips')
    assert.deepEqual(loneEngineError.details?.engines, [])
    assert.match(loneEngineError.message, /No other engine supports it\.$/)
  })
})

describe('the options of a route', () => {
  const route = planRoute({ from: 'docx', to: 'jpg', engines })

  test('the options of a route are those of all its steps, with the last step taking precedence', () => {
    const schema = createOptionsSchema(route)
    assert.deepEqual(Object.keys(schema.shape).sort(), ['dpi', 'pageSize', 'password', 'quality'])
    assert.equal(schema.shape.quality, quality)
  })

  test('a route for an office document with a password starts with a step that unlocks the document', () => {
    const [unlock, firstStep, secondStep] = createSteps(route, { password: 'secret', dpi: 72 })
    assert.deepEqual(unlock, {
      operation: 'unlock',
      engine: 'libreoffice',
      image: 'office',
      from: 'docx',
      to: 'docx',
      options: { password: 'secret' },
    })
    assert.deepEqual([firstStep?.options, secondStep?.options], [{}, { dpi: 72 }])
    const plainRoute = planRoute({ from: 'docx', to: 'jpg', engines })
    assert.equal(createSteps(plainRoute, { dpi: 72 }).length, 2)
  })

  test('a password adds a step to `compress`, `thumbnail` and `watermark` of an office document, but not to `archive`', () => {
    const operations = [
      ['compress', 'docx', 2],
      ['thumbnail', 'png', 2],
      ['watermark', 'docx', 2],
      ['archive', 'zip', 1],
    ] as const
    for (const [operation, to, steps] of operations) {
      const office = engine('libreoffice', 'office', [{ ...can(['docx'], [to], 1), operation, same: true }])
      const route = planRoute({ operation, from: 'docx', to, engines: [office] })
      assert.equal(createSteps(route, { password: 'secret' }).length, steps, operation)
    }
  })

  test('a password option changes the container image of the first step, even if the password is encrypted', () => {
    const text = planRoute({ from: 'docx', to: 'txt' })
    assert.deepEqual(
      [{}, { password: 'secret' }].map((options) => [
        getFirstImage(text, options),
        createSteps(text, options)[0]?.image,
      ]),
      [
        ['document', 'document'],
        ['office', 'office'],
      ],
    )
    assert.equal(getFirstImage(text, { password: { sealed: 'AAAA' } }), 'office')
  })

  test('the options of a route are passed to the step that they belong to', () => {
    const options = { dpi: 72, pageSize: 'A4', quality: 80 }
    const [firstStep, secondStep] = createSteps(route, options)
    assert.deepEqual(firstStep?.options, { pageSize: 'A4' })
    assert.deepEqual(secondStep?.options, { dpi: 72, quality: 80 })
  })
})

describe('options for reading a source', () => {
  test('options for reading a source apply to the first step, not to steps that read intermediate files', () => {
    const viaPage = planRoute({ from: 'md', to: 'pdf' })
    assert.equal(viaPage.steps.length, 2)
    assert.ok('encoding' in createOptionsSchema(viaPage).shape)
    const [firstStep, secondStep] = createSteps(viaPage, { encoding: 'koi8-r', pageSize: 'A5' })
    assert.deepEqual([firstStep?.options, secondStep?.options], [{ encoding: 'koi8-r' }, { pageSize: 'A5' }])
    assert.ok(
      !('encoding' in createOptionsSchema(planRoute({ from: 'eml', to: 'pdf' })).shape),
      'of a page that we have made',
    )
  })

  test('the `encoding` option is available for texts, HTML, subtitles and tables, and `delimiter` and `headers` for CSV', () => {
    for (const [from, to] of [
      ...[
        ['txt', 'pdf'],
        ['txt', 'epub'],
        ['html', 'pdf'],
        ['html', 'docx'],
        ['html', 'png'],
      ],
      ...[
        ['srt', 'vtt'],
        ['ass', 'srt'],
        ['md', 'docx'],
        ['csv', 'xlsx'],
        ['csv', 'md'],
        ['tsv', 'ods'],
      ],
    ] as [FormatId, FormatId][]) {
      const names = Object.keys(createOptionsSchema(planRoute({ from, to })).shape)
      assert.ok(names.includes('encoding'), `${from} to ${to}`)
      if (from === 'csv') assert.ok(names.includes('delimiter') && names.includes('headers'), to)
    }
  })
})

describe('lists of targets and conversions', () => {
  test('lists of targets leave out rarely used formats such as MIFF, which can still be requested', () => {
    const engineForEverything = engine('libreoffice', 'office', [
      can(['docx'], ['pdf', 'html', 'png', 'jpg', 'miff', 'dpx', 'flac', 'wma'], 1),
    ])
    assert.deepEqual(listTargets('docx', [engineForEverything]).toSorted(), [
      'flac',
      'html',
      'jpg',
      'pdf',
      'png',
    ])
    assert.equal(planRoute({ from: 'docx', to: 'miff', engines: [engineForEverything] }).steps.length, 1)
    assert.equal(conversions([engineForEverything]).length, 8)
  })

  test('lists of targets start with the category of the source', () => {
    assert.deepEqual(listTargets('heic', engines), ['jpg', 'png', 'webp', 'gif', 'tiff', 'pdf'])
    assert.deepEqual(listTargets('mp4', engines), [])
  })

  test('the list of conversions contains every listed target of every format', () => {
    const listedConversions = conversions(engines)
    for (const { from, to, route } of listedConversions) {
      assert.equal(route.steps[0].from, from)
      assert.equal(route.steps.at(-1)?.to, to)
    }
    const keys = new Set(listedConversions.map(({ from, to }) => `${from} ${to}`))
    for (const { id } of formats)
      for (const to of listTargets(id, engines)) assert.ok(keys.has(`${id} ${to}`), `${id} to ${to}`)
  })

  test('the list of all conversions between 200 formats takes less than two seconds of CPU time', () => {
    const ids = formats.slice(0, 200).map(({ id }) => id)
    const universalEngine = engine('vips', 'image', [can(ids, ids, 1)])
    const cpuBefore = process.cpuUsage()
    const count = conversions([universalEngine, engine('ffmpeg', 'av', [can(ids, ids, 2)])]).length
    // The count excludes unproven pairs.
    assert.ok(count > ids.length * ids.length * 0.8, `${count} pairs`)
    // Measures CPU time, because other tests run at the same time.
    const { user } = process.cpuUsage(cpuBefore)
    assert.ok(user < 2_000_000, `${user} µs`)
  })
})

test('planFiles rejects a file that does not fit on the disk of its worker, and checks each file separately', () => {
  const createFileOfSize = (size: number) => ({
    key: 'k',
    filename: 'a.pdf',
    format: 'pdf',
    mimeType: 'application/pdf',
    size,
    sha256: '',
  })
  const spec = {
    operation: 'convert',
    to: 'png',
    options: { dpi: 72, quality: 1 },
    additionalFilesField: 'file',
  } as const
  const mib = 1024 ** 2
  assert.equal(
    planFiles([createFileOfSize(mib), createFileOfSize(mib)], spec, [pages]).inputPlans.length,
    2,
    'each file is checked separately',
  )
  assert.throws(() => planFiles([createFileOfSize(mib + 1)], spec, [pages]), {
    code: 'FILE_TOO_LARGE',
    message:
      'The file a.pdf has 2 MiB; this conversion accepts at most 1 MiB. Send a smaller file, or split it.',
    details: { field: 'file', maxBytes: mib, size: mib + 1 },
  })
})
