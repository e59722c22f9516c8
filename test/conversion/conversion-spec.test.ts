import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import * as z from 'zod'
import { requireInputs } from '../../lib/conversion/check-inputs.ts'
import { requireInputsFitWorker, workerDiskBytes } from '../../lib/conversion/disk-limits.ts'
import { maxRoutes, pickMostInformative, planFallback } from '../../lib/conversion/fallback-route.ts'
import { addOption, knownOptions, parseEngine, stepsWithOptions } from '../../lib/conversion/options.ts'
import { requireAutoPdfEngine } from '../../lib/conversion/pdf-engine.ts'
import { type ConversionSpec, groupInputs, planFiles, routeFiles } from '../../lib/conversion/plan-files.ts'
import {
  createExportTask,
  createFetchTask,
  fileUrlField,
  remoteFields,
} from '../../lib/conversion/remote-files.ts'
import { targetFormatOf, toolOf } from '../../lib/conversion/target-format.ts'
import { captureLimitS, pollAfterS, timeLimitOf, transferLimitS } from '../../lib/conversion/time-limits.ts'
import { storedFile } from '../../lib/conversion/to-stored-file.ts'
import { isUnreadableError } from '../../lib/conversion/unreadable-error.ts'
import { engines } from '../../lib/engines/index.ts'
import { documentOfOtherKind } from '../../lib/formats/locked-office.ts'
import type { InputPlan, JobError, StoredFile, TriedRoute } from '../../lib/jobs/job.ts'
import { file } from '../jobs/records.ts'
import { planRoute } from '../plan/with-all-engines.ts'

const of = (name: string, format: string, more: Partial<StoredFile> = {}): StoredFile => ({
  ...{ ...file(name), format, ...more },
})
const wish = (
  operation: ConversionSpec['operation'],
  more: Partial<ConversionSpec> = {},
): ConversionSpec => ({
  ...{ operation, options: {}, additionalFilesField: 'additionalFile', ...more },
})

describe('a target', () => {
  test('has three names, and is known by any of its own', () => {
    assert.equal(targetFormatOf({ targetFormat: 'jpg' }), 'jpg')
    assert.equal(targetFormatOf({ output_format: 'JPEG', target: '' }), 'jpg')
    assert.equal(targetFormatOf({ target: 'pdf', targetFormat: 'pdf' }), 'pdf')
    assert.equal(targetFormatOf({}), undefined)
    assert.equal(targetFormatOf({ targetFormat: '' }), undefined)
  })

  test('that is said twice differently, or is none, is refused by the name of its field', () => {
    assert.throws(() => targetFormatOf({ targetFormat: 'pdf', target: 'png' }), {
      code: 'INVALID_INPUT',
      message: /differ: pdf, png/,
      details: { field: 'targetFormat' },
    })
    assert.throws(() => targetFormatOf({ targetFormat: 'pdf', target: 'x'.repeat(99) }), {
      message: `targetFormat, output_format and target are aliases of one field, but have different values: pdf, ${'x'.repeat(64)}.`,
    })
    assert.throws(
      () => targetFormatOf({ target: 'x'.repeat(99) }, 'tasks.a'),
      (error: Error) => {
        assert.equal(
          error.message,
          `tasks.a: "${'x'.repeat(64)}" is not a supported format. GET /v1/formats lists the supported formats.`,
        )
        return true
      },
    )
  })

  test('may be a tool, or an engine that is to make it', () => {
    assert.equal(toolOf('Rotate-PDF'), 'rotate-pdf')
    assert.deepEqual([toolOf(undefined), toolOf('')], [undefined, undefined])
    assert.throws(() => toolOf('fold-pdf'), /expected one of .*rotate-pdf.*, got "fold-pdf"/)
    assert.equal(parseEngine('VIPS'), 'vips')
    for (const none of [undefined, '', 'auto']) assert.equal(parseEngine(none), undefined)
    for (const pdfEngine of ['auto', 'AUTO', '']) requireAutoPdfEngine({ pdfEngine }, 'free')
    assert.throws(() => requireAutoPdfEngine({ pdf_engine: 'other' }, 'pro'), {
      code: 'INSUFFICIENT_PERMISSIONS',
      message: /^pdfEngine: the plan pro /,
    })
    for (const plan of ['business', 'self-hosted'] as const)
      assert.throws(() => requireAutoPdfEngine({ pdfEngine: 'other' }, plan), {
        code: 'UNSUPPORTED_CONVERSION',
        message: /no renderer .* is configured/,
        details: { field: 'pdfEngine', expected: ['auto'] },
      })
    // Of pages there is one engine, whose name is nobody's business.
    for (const wrong of ['word', 'pdf'])
      assert.throws(() => parseEngine(wrong), {
        code: 'INVALID_INPUT',
        message: /^engine: expected one of /,
      })
    assert.throws(
      () => parseEngine('x'.repeat(65)),
      (error: { message: string; details: Record<string, unknown> }) => {
        assert.match(error.message, /got "x{64}"\.$/)
        assert.equal(error.details['field'], 'engine')
        assert.ok((error.details['expected'] as string[]).includes('vips'))
        return true
      },
    )
    assert.throws(
      () => toolOf('x'.repeat(65)),
      (error: { message: string; details: Record<string, unknown> }) => {
        assert.match(error.message, /got "x{64}"\.$/)
        assert.equal(error.details['field'], 'toolOperation')
        assert.ok((error.details['expected'] as string[]).includes('rotate-pdf'))
        return true
      },
    )
  })
})

describe('the time of a task', () => {
  const piece = (...steps: [operation: string, from: string, to: string][]): InputPlan => ({
    steps: steps.map(([operation, from, to]) => ({
      ...{ operation, from, to, engine: 'x', image: 'x', options: {} },
    })) as unknown as InputPlan['steps'], // as much of them as is looked at
    ...{ step: 0, files: [] },
  })

  test('is that of the slowest category on its way', () => {
    const limits: [limitS: number, steps: [string, string, string][]][] = [
      [120, [['convert', 'png', 'jpg']]],
      [
        600,
        [
          ['convert', 'docx', 'pdf'],
          ['convert', 'pdf', 'jpg'],
        ],
      ],
      [600, [['convert', 'epub', 'mobi']]],
      [1800, [['convert', 'mp4', 'gif']]],
      [1800, [['convert', 'wav', 'mp3']]],
      [900, [['extract', 'zip', 'zip']]],
      [300, [['convert', 'ttf', 'otf']]],
      [2700, [['merge', 'png', 'png']]],
    ]
    for (const [limitS, steps] of limits) assert.equal(timeLimitOf([piece(...steps)]), limitS, steps.join())
    const both = [piece(['convert', 'png', 'jpg']), piece(['convert', 'mp4', 'gif'])]
    assert.equal(timeLimitOf(both), 1800)
  })

  test('that brings files is an hour, and of a website five minutes', () => {
    assert.deepEqual([transferLimitS, captureLimitS], [3600, 300])
  })

  test('says how often it is worth asking', () => {
    assert.deepEqual([2, 120, 121, 600, 601].map(pollAfterS), [2, 2, 5, 5, 10])
  })
})

describe('files', () => {
  const merge = planRoute({ from: 'jpg', to: 'png', operation: 'merge' })

  test('that go together are as many and of such formats as the operation takes', () => {
    const rules = { route: merge, operation: 'merge', field: 'files' } as const
    requireInputs([of('b.png', 'png')], rules)
    assert.throws(
      () => requireInputs([], rules),
      (error: { code: string; details: Record<string, unknown> }) => {
        const { field, min, got } = error.details
        assert.deepEqual([error.code, field, min, got], ['INVALID_INPUT', 'files', 2, 1])
        return true
      },
    )
    assert.throws(
      () => requireInputs([of('b.png', 'png'), of('c.mp3', 'mp3')], rules),
      (error: Error) => {
        assert.match(error.message, /^files: file 3 \(c\.mp3\) is mp3, which does not go together/)
        assert.equal((error as unknown as { details: { index: number } }).details.index, 2)
        return true
      },
    )
    const { max } = merge.steps[0].capability.more ?? { max: 0 }
    const many = (count: number) => Array.from({ length: count }, () => of('b.png', 'png'))
    requireInputs(many(max), rules)
    assert.throws(() => requireInputs(many(max + 1), rules), { code: 'INVALID_INPUT' })
  })

  test('after the first are refused where one is taken', () => {
    const route = planRoute({ from: 'png', to: 'jpg' })
    const rules = { route, operation: 'convert', field: 'additionalFile' } as const
    requireInputs([], rules)
    assert.throws(() => requireInputs([of('b.png', 'png')], rules), {
      code: 'INVALID_REQUEST',
      details: { field: 'additionalFile', max: 1, got: 2 },
    })
  })

  test('are converted each for itself, and worked on together otherwise', () => {
    const files = [of('a.png', 'png'), of('b.jpg', 'jpg')]
    assert.deepEqual(groupInputs(files, wish('convert')), [[files[0]], [files[1]]])
    assert.deepEqual(groupInputs(files, wish('merge')), [files])
    const planned = planFiles(
      files,
      wish('convert', { to: 'webp', options: { quality: 5, odd: 1 } }),
      engines,
    )
    assert.deepEqual(
      planned.inputPlans.map(({ steps, step, files: [one] }) => [
        one?.filename,
        steps[0]?.from,
        steps.at(-1)?.to,
        step,
      ]),
      [
        ['a.png', 'png', 'webp', 0],
        ['b.jpg', 'jpg', 'webp', 0],
      ],
    )
    assert.deepEqual(
      planned.warnings.map(({ code, field }) => [code, field]),
      [
        ['UNKNOWN_PARAMETER', 'odd'],
        ['UNKNOWN_PARAMETER', 'odd'],
      ],
    )
    assert.equal(planned.limitS, 120)
    assert.equal(planned.inputPlans[0]?.steps[0]?.options['quality'], 5)
    assert.equal(
      planFiles([of('a.png', 'png')], wish('compress'), engines).inputPlans[0]?.steps.at(-1)?.to,
      'png',
    )
  })

  test('go by the engine that is wanted, or that does justice to them, if they find room', () => {
    const enginesOf = (file: StoredFile, more: Partial<ConversionSpec>) =>
      planFiles([file], wish('convert', { to: 'png', ...more }), engines).inputPlans[0]?.steps.map(
        ({ engine }) => engine,
      )
    assert.deepEqual(enginesOf(of('a.jpg', 'jpg'), { engine: 'imagemagick' }), ['imagemagick'])
    assert.deepEqual(enginesOf(of('a.svg', 'svg'), {}), ['vips'])
    assert.deepEqual(enginesOf(of('a.svg', 'svg', { traits: ['browser-drawing'] }), {}), ['chromium'])
    assert.throws(() => enginesOf(of('a.jpg', 'jpg', { size: 1e15 }), {}), { code: 'FILE_TOO_LARGE' })
  })

  test('of nothing, or of no known format, are told so', () => {
    assert.throws(() => routeFiles([], wish('convert', { to: 'pdf' }), engines), { code: 'NO_FILES' })
    assert.throws(() => routeFiles([of('a.odd', 'odd')], wish('convert', { to: 'pdf' }), engines), {
      code: 'UNSUPPORTED_FORMAT',
      message: /of a\.odd is not known/,
      details: { filename: 'a.odd' },
    })
  })

  test('that are locked need a password, sheets only where the office cannot do without', () => {
    const plan = (format: string, to: ConversionSpec['to'], options = {}) =>
      planFiles([of('a', format, { locked: true })], wish('convert', { to, options }), engines)
    assert.throws(() => plan('docx', 'pdf'), { code: 'FILE_ENCRYPTED' })
    assert.equal(plan('docx', 'pdf', { password: 'x' }).inputPlans.length, 1)
    for (const sheet of ['xlsx', 'xlsm', 'xlsb', 'xltx', 'xltm'])
      assert.equal(plan(sheet, 'pdf').inputPlans.length, 1, sheet)
    for (const other of ['xls', 'ods', 'pptx', 'odt'])
      assert.throws(() => plan(other, 'pdf'), { code: 'FILE_ENCRYPTED' }, other)
    // What is packed is not opened for it.
    const packed = planFiles([of('a', 'docx', { locked: true })], wish('archive', { to: 'zip' }), engines)
    assert.equal(packed.inputPlans.length, 1)
    const open = planFiles([of('a', 'docx')], wish('convert', { to: 'pdf' }), engines)
    assert.equal(open.inputPlans.length, 1)
  })
})

describe('files and the worker of their next step', () => {
  const mib = 1024 ** 2
  const worker = (image: string, diskMb: number) =>
    ({ image, limits: { diskMb, memoryMb: 1, timeoutS: 1 } }) as unknown as (typeof engines)[0] // no more is asked
  const workers = [worker('image', 2), worker('image', 3.5), worker('av', 9), worker('image', 1)]
  const steps = (...images: string[]) => images.map((image) => ({ image })) as unknown as InputPlan['steps']
  const sized = (...sizes: number[]) => sizes.map((size, at) => of(`${at}.png`, 'png', { size }))

  test('have as much room as the engine that asks for most', () => {
    assert.deepEqual(
      ['image', 'av', 'none'].map((image) => workerDiskBytes(image, workers)),
      [3.5 * mib, 9 * mib, 0],
    )
  })

  test('are refused when they do not find it together, and not for steps that are over', () => {
    const piece = { steps: steps('image', 'av'), step: 0, files: sized(2 * mib, 1.5 * mib) }
    requireInputsFitWorker(piece, workers)
    const more = { ...piece, files: sized(2 * mib, 1.5 * mib + 1) }
    assert.throws(() => requireInputsFitWorker(more, workers), {
      ...{ code: 'FILE_TOO_LARGE', message: /^The 2 files have 4 MiB; .* can hold 3 MiB\. Send/ },
      details: { field: 'file', maxBytes: 3.5 * mib, size: 3.5 * mib + 1 },
    })
    assert.throws(() => requireInputsFitWorker({ ...more, files: sized(3.6 * mib) }, workers), {
      message: /^The file 0\.png has 4 MiB; /,
    })
    requireInputsFitWorker({ ...more, step: 1 }, workers)
    requireInputsFitWorker({ ...more, step: 2 }, workers)
  })
})

test('a file that is stored gets the ending of what it is, unless it has one', () => {
  const given = { key: 'k', size: 1, sha256: 'ab' }
  const jpg = { format: 'jpg', mimeType: 'image/jpeg' } as const
  const nameOf = (filename: string) => storedFile({ ...given, filename }, jpg).filename
  assert.deepEqual(['a.JPEG', 'a.jpg', 'a.png', 'a'].map(nameOf), ['a.JPEG', 'a.jpg', 'a.jpg', 'a.jpg'])
  assert.deepEqual(storedFile({ ...given, filename: 'a.jpg' }, jpg), { ...given, filename: 'a.jpg', ...jpg })
  assert.equal(storedFile({ ...given, filename: 'a.jpg', etag: '"1"' }, jpg).etag, '"1"')
})

describe('options', () => {
  const route = planRoute({ from: 'png', to: 'jpg' })

  test('that mean nothing here are dropped where that harms nobody, and told', () => {
    const docx = planRoute({ from: 'pdf', to: 'docx' })
    const long = 'x'.repeat(100)
    const { steps, warnings } = stepsWithOptions(docx, { mode: long, [long]: 1, pdfEngine: 'auto' })
    assert.equal(steps[0]?.options['mode'] === long, false)
    const [mode, unknown, ...rest] = warnings
    assert.deepEqual([mode?.code, mode?.field, rest], ['OPTION_NOT_USED', 'mode', []])
    assert.match(mode?.message ?? '', /^mode: "x{79} means nothing here and was dropped\. hybrid /)
    assert.deepEqual([unknown?.code, unknown?.field], ['UNKNOWN_PARAMETER', 'x'.repeat(64)])
    const [step] = route.steps
    const plain = { ...step, capability: { ...step.capability, options: z.object({}) } }
    assert.match(
      stepsWithOptions({ steps: [plain], cost: 1 }, { odd: 1 }).warnings[0]?.message ?? '',
      /^"odd" is not an option of this conversion and was ignored; it has no options\.$/,
    )
  })

  test('are known in either spelling, and what is none is told with those that there are', () => {
    assert.deepEqual(knownOptions(route, { jpeg_quality: 7, width: 5, odd: 1 }), ['jpegQuality', 'width'])
    const { steps, warnings } = stepsWithOptions(route, { jpeg_quality: '7', odd: 1 })
    assert.equal(steps[0]?.options['jpegQuality'], 7)
    const [warning] = warnings
    assert.deepEqual([warning?.code, warning?.field, warnings.length], ['UNKNOWN_PARAMETER', 'odd', 1])
    assert.match(warning?.message ?? '', /"odd" is no option .* it takes .*jpegQuality/)
    assert.throws(
      () => stepsWithOptions(route, { jpegQuality: 101, width: 0 }),
      (error: { details: object }) => {
        const { errors } = error.details as { errors: { field: string }[] }
        assert.deepEqual(errors.map(({ field }) => field).toSorted(), ['jpegQuality', 'width'])
        return true
      },
    )
  })

  test('may have the name of what every object has', () => {
    const options: Record<string, unknown> = {}
    for (const name of ['constructor', 'toString', 'hasOwnProperty']) addOption(options, name, 1)
    assert.deepEqual(Object.keys(options), ['constructor', 'toString', 'hasOwnProperty'])
    assert.deepEqual(knownOptions(planRoute({ from: 'png', to: 'jpg' }), { constructor: 1, quality: 1 }), [
      'quality',
    ])
  })

  test('may be said twice alike, but not differently', () => {
    const options: Record<string, unknown> = {}
    addOption(options, 'dpi', 7)
    addOption(options, 'dpi', '7')
    assert.throws(() => addOption(options, 'dpi', 8), { code: 'INVALID_INPUT', details: { field: 'dpi' } })
    assert.throws(() => stepsWithOptions(route, { jpegQuality: 7, jpeg_quality: 8 }), {
      code: 'INVALID_INPUT',
    })
  })
})

describe('a file that one engine could not read', () => {
  const error = (code: string, details?: Record<string, unknown>): JobError =>
    ({ code, message: code, ...(details && { details }) }) as JobError // codes of errors.ts

  test('is tried by another where that one may', () => {
    for (const unread of [
      error('CORRUPT_FILE'),
      error('UNSUPPORTED_FORMAT', { reason: 'feature' }),
      error('UNSUPPORTED_FORMAT', { reason: 'other-kind' }),
      error('CONVERSION_FAILED', { reason: 'content-lost' }),
    ])
      assert.equal(isUnreadableError(unread), true, unread.code)
    for (const read of [
      error('UNSUPPORTED_FORMAT'),
      error('CONVERSION_FAILED'),
      error('PDF_ENCRYPTED'),
      error('CORRUPT_X', { reason: 'feature' }),
    ])
      assert.equal(isUnreadableError(read), false, read.code)
  })

  describe('as it was named as another program’s behind its password', () => {
    const misnamed = [of('a.docx', 'docx', { locked: true })]
    const opened = { error: documentOfOtherKind('docx', 'xlsx'), steps: [] }
    const next = (
      to: ConversionSpec['to'],
      more: Partial<ConversionSpec> = {},
      after: readonly TriedRoute[] = [],
    ) =>
      planFallback(misnamed, wish('convert', { to, options: { password: 'x' }, ...more }), {
        ...{ index: 0, tried: [opened, ...after], engines },
      })
    const stepsTo = (piece: ReturnType<typeof next>) =>
      'steps' in piece ? piece.steps.map(({ operation, from, to }) => `${operation} ${from} ${to}`) : piece

    test('is opened as what it is, by the engine that is wanted too', () => {
      for (const engine of [undefined, 'libreoffice'] as const) {
        const piece = next('pdf', { engine })
        assert.deepEqual(stepsTo(piece), ['unlock xlsx xlsx', 'convert xlsx pdf'])
        assert.deepEqual('files' in piece && piece.files.map(({ format, filename }) => [format, filename]), [
          ['xlsx', 'a.docx'],
        ])
      }
    })

    test('is told of as what it is, where that does not become what is wanted', () => {
      const none = next('odp', { engine: 'ffmpeg' })
      assert.equal('error' in none && none.error.code, 'UNSUPPORTED_CONVERSION')
      assert.match('error' in none ? none.error.message : '', /\(xlsx\) to .*\(odp\)/)
    })

    test('goes no way that its reader could not, and is told of by that', () => {
      const steps = [{ engine: 'libreoffice', from: 'xlsx', to: 'ods' }]
      const damaged = next('ods', {}, [{ error: error('CORRUPT_FILE'), steps }])
      assert.deepEqual(damaged, { error: error('CORRUPT_FILE') })
    })
  })

  test('that one engine cannot read becomes the same format by another', () => {
    const [docx] = [of('a.docx', 'docx')]
    assert.ok(docx)
    const steps = [{ engine: 'libreoffice', from: 'docx', to: 'odt' }]
    const piece = planFallback([docx], wish('convert', { to: 'odt' }), {
      ...{ index: 0, tried: [{ error: error('CORRUPT_FILE'), steps }], engines },
    })
    assert.ok('steps' in piece, JSON.stringify(piece))
    assert.equal(piece.steps.at(-1)?.to, 'odt')
    assert.notEqual(piece.steps[0]?.engine, 'libreoffice')
  })

  test('is told of by what its sender can act on, the first of what says as much', () => {
    const ranked = [
      error('TIMEOUT'),
      error('CORRUPT_FILE'),
      error('CONVERSION_FAILED', { reason: 'content-lost' }),
      error('UNSUPPORTED_FORMAT'),
      error('FILE_TOO_LARGE'),
      error('INVALID_INPUT', { reason: 'wrong-password' }),
      error('PDF_ENCRYPTED'),
    ]
    for (const [at, one] of ranked.entries()) {
      for (const less of ranked.slice(0, at)) {
        assert.equal(pickMostInformative([less, one]), one)
        assert.equal(pickMostInformative([one, less]), one)
      }
    }
    const [, first] = ranked
    assert.equal(pickMostInformative([first ?? error(''), error('CORRUPT_FILE')]), first)
  })
})

describe('another way', () => {
  const failure = (code: string): JobError => ({ code, message: `${code}.` }) as JobError // codes of errors.ts
  const png = of('a.png', 'png')
  const engineOf = (id: string, option?: string, from = ['png'], schema: z.ZodType = z.number()) =>
    ({
      ...{ id, image: 'image', limits: { memoryMb: 1, diskMb: 1, timeoutS: 1 } },
      capabilities: [
        {
          ...{ operation: 'convert', from, to: ['jpg'], cost: 1 },
          options: z.object(option ? { [option]: schema.optional() } : {}),
        },
      ],
    }) as unknown as (typeof engines)[0] // These only plan.
  const unread = (...ids: string[]) =>
    ids.map((engine) => ({
      error: failure('CORRUPT_FILE'),
      steps: [{ engine, from: 'png', to: 'jpg' }],
    })) as [TriedRoute, ...TriedRoute[]] // one at least
  const next = (
    known: readonly (typeof engines)[0][],
    tried: readonly [TriedRoute, ...TriedRoute[]],
    more: Partial<ConversionSpec> = {},
  ) =>
    planFallback([of('first.png', 'png'), png], wish('convert', { to: 'jpg', ...more }), {
      index: 1,
      tried,
      engines: known,
    })
  const [a, b, c, d] = ['vips', 'imagemagick', 'ffmpeg', 'pdf'].map((id) => engineOf(id))
  assert.ok(a && b && c && d)

  test('is gone from the start by the next engine, with what was tried, three in all', () => {
    const tried = unread('vips', 'imagemagick')
    const piece = next([a, b, c, d], tried)
    assert.ok('steps' in piece, JSON.stringify(piece))
    assert.deepEqual(
      [piece.steps[0]?.engine, piece.step, piece.files, piece.tried],
      ['ffmpeg', 0, [png], tried],
    )
    assert.deepEqual(next([a, b, c, d], unread('vips', 'imagemagick', 'ffmpeg')), {
      error: failure('CORRUPT_FILE'),
    })
    assert.equal(maxRoutes, 3)
  })

  test('is not gone where one engine is wanted, which is told where there is another', () => {
    assert.deepEqual(next([a, b], unread('vips'), { engine: 'vips' }), {
      error: {
        code: 'CORRUPT_FILE',
        message:
          'CORRUPT_FILE. Only vips was tried, because engine requests it; leave engine out to try other engines.',
        details: { engine: 'vips' },
      },
    })
    assert.deepEqual(next([a], unread('vips'), { engine: 'vips' }), { error: failure('CORRUPT_FILE') })
  })

  test('takes all that was asked of the first one, or is none', () => {
    const options = { dpi: 7, odd: 1 }
    const known = engineOf('vips', 'dpi')
    const by = (...others: readonly (typeof engines)[0][]) => {
      const piece = next([known, ...others], unread('vips'), { options })
      return 'steps' in piece ? piece.steps[0] : piece.error.code
    }
    assert.equal(by(b), 'CORRUPT_FILE', 'it does not know dpi')
    const step = by(b, engineOf('ffmpeg', 'dpi'))
    assert.ok(typeof step === 'object')
    assert.deepEqual([step.engine, step.options], ['ffmpeg', { dpi: 7 }])
    assert.equal(
      by(engineOf('ffmpeg', 'dpi', ['png'], z.literal(9))),
      'CORRUPT_FILE',
      'it knows no such value',
    )
  })

  test('of a file that was named as another’s leaves the others as they are', () => {
    const misnamed = of('a.docx', 'docx', { locked: true })
    const other = of('b.docx', 'docx')
    const tried = [{ error: documentOfOtherKind('docx', 'xlsx'), steps: [] }] as [TriedRoute]
    const piece = planFallback(
      [other, misnamed],
      wish('convert', { to: 'pdf', options: { password: 'x' } }),
      {
        ...{ index: 1, tried, engines },
      },
    )
    assert.ok('steps' in piece, JSON.stringify(piece))
    const [file] = piece.files
    assert.equal(piece.files.length, 1)
    assert.deepEqual(
      [file?.filename, file?.format, file?.mimeType],
      ['a.docx', 'xlsx', 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'],
    )
    assert.deepEqual(piece.tried, tried)
  })
})

describe('a file from elsewhere, or a result that goes there', () => {
  test('is fetched by a task of its own', () => {
    const fetched = createFetchTask('in', { url: 'https://a.test/x', filename: 'x.png', field: 'url' })
    assert.deepEqual(
      [fetched.name, fetched.operation.name, fetched.input, fetched.continueOnError, fetched.fields],
      ['in', 'import/url', [], false, { url: 'https://a.test/x', filename: 'x.png' }],
    )
    for (const url of ['ftp://a.test/x', 'x', ''])
      assert.throws(() => createFetchTask('in', { url, field: 'items.0.url' }), {
        code: 'INVALID_INPUT',
        details: { field: 'items.0.url' },
      })
    assert.throws(() => createFetchTask('in', { url: 'x'.repeat(101), field: 'url' }), {
      message: `url: expected a URL that starts with https:// or http://, got "${'x'.repeat(100)}".`,
    })
    assert.deepEqual(createFetchTask('in', { url: 'https://a.test/x', field: 'url' }).fields, {
      url: 'https://a.test/x',
    })
    assert.deepEqual(
      ['', 'x', 'x'.repeat(4096), 'x'.repeat(4097)].map((url) => fileUrlField.safeParse(url).success),
      [...[false, true, true, false]],
    )
    assert.deepEqual(z.object(remoteFields).parse({}), {})
    const sent = { exportMethod: 's3', exportPath: 'a', exportConfig: '{}' }
    assert.deepEqual(z.object(remoteFields).parse(sent), sent)
  })

  const exportConfig = {
    ...{ bucket: 'results', region: 'eu-central-1' },
    ...{ access_key_id: 'a', secret_access_key: 'b' },
  }

  test('is stored by a task of its own, its configuration an object or JSON', () => {
    for (const given of [exportConfig, JSON.stringify(exportConfig)]) {
      const task = createExportTask({ exportMethod: 's3', exportPath: '{name}.{ext}', exportConfig: given }, [
        'work',
      ])
      assert.deepEqual(
        [task?.name, task?.operation.name, task?.input, task?.fields],
        ['export-store', 'export/s3', ['work'], { ...exportConfig, key: '{name}.{ext}' }],
      )
    }
    assert.equal(createExportTask({ exportMethod: 's3', exportConfig }, [])?.continueOnError, false)
    assert.equal('key' in (createExportTask({ exportMethod: 's3', exportConfig }, [])?.fields ?? {}), false)
    assert.equal(createExportTask({}, ['work']), undefined)
    assert.equal(createExportTask({ exportPath: '', exportConfig: '' }, ['work']), undefined)
  })

  test('is refused by the name of the field that is wrong', () => {
    const fieldOf = (body: Parameters<typeof createExportTask>[0]) => {
      try {
        createExportTask(body, ['work'])
      } catch (error) {
        return (error as { details: { field: string } }).details.field
      }
      return undefined
    }
    assert.equal(fieldOf({ exportPath: 'a' }), 'exportMethod')
    assert.equal(fieldOf({ exportConfig: {} }), 'exportMethod')
    // A link is given out anyway.
    for (const exportMethod of ['tape', 'url']) assert.equal(fieldOf({ exportMethod }), 'exportMethod')
    assert.equal(fieldOf({ exportMethod: 's3', exportConfig: '{' }), 'exportConfig')
    assert.equal(
      fieldOf({ exportMethod: 's3', exportConfig: { ...exportConfig, bucket: 'x' } }),
      'exportConfig.bucket',
    )
    assert.equal(
      fieldOf({ exportMethod: 's3', exportConfig: { ...exportConfig, key: 'b' }, exportPath: 'a' }),
      'exportPath',
    )
    assert.equal(fieldOf({ exportMethod: 's3', exportPath: 'a', exportConfig: '' }), 'exportConfig.bucket')
    const path = 'a'.repeat(1025)
    assert.equal(fieldOf({ exportMethod: 's3', exportConfig, exportPath: path }), 'exportPath')
    assert.equal(
      fieldOf({ exportMethod: 's3', exportConfig: { ...exportConfig, key: path } }),
      'exportConfig.key',
    )
    assert.throws(
      () => createExportTask({ exportMethod: 'tape' }, []),
      /: expected s3, blobstore, gcs or sftp, got "tape"/,
    )
    assert.throws(() => createExportTask({ exportMethod: 'x'.repeat(65) }, []), {
      message: `exportMethod: expected s3, blobstore, gcs or sftp, got "${'x'.repeat(64)}".`,
      details: { field: 'exportMethod', expected: ['s3', 'blobstore', 'gcs', 'sftp'] },
    })
    assert.throws(
      () => createExportTask({ exportConfig: { bucket: 'x' } }, []),
      /exportMethod is missing: exportConfig says how/,
    )
  })
})
