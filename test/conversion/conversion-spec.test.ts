import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import * as z from 'zod'
import { engines } from '../../lib/engines/index.ts'
import type { InputPlan, StoredFile } from '../../lib/model/job.ts'
import { requireInputs } from '../../lib/plan/check-inputs.ts'
import { requireInputsFitWorker, workerDiskBytes } from '../../lib/plan/disk-limits.ts'
import { addOption, knownOptions, parseEngine, stepsWithOptions } from '../../lib/plan/options.ts'
import { requireAutoPdfEngine } from '../../lib/plan/pdf-engine.ts'
import { type ConversionSpec, groupInputs, planFiles, routeFiles } from '../../lib/plan/plan-files.ts'
import { parseTargetFormat, parseToolOperation } from '../../lib/plan/target-format.ts'
import { captureLimitS, pollAfterS, timeLimitOf, transferLimitS } from '../../lib/plan/time-limits.ts'
import { toStoredFile } from '../../lib/uploads/to-stored-file.ts'
import { planRoute } from '../plan/with-all-engines.ts'
import { of, specWith } from './support/specs.ts'

describe('the target of a conversion request', () => {
  test('a target format may be sent in three different fields and may be an alias', () => {
    assert.equal(parseTargetFormat({ targetFormat: 'jpg' }), 'jpg')
    assert.equal(parseTargetFormat({ output_format: 'JPEG', target: '' }), 'jpg')
    assert.equal(parseTargetFormat({ target: 'pdf', targetFormat: 'pdf' }), 'pdf')
    assert.equal(parseTargetFormat({}), undefined)
    assert.equal(parseTargetFormat({ targetFormat: '' }), undefined)
  })

  test('an unknown target, or different targets in two fields, are rejected with the field name', () => {
    assert.throws(() => parseTargetFormat({ targetFormat: 'pdf', target: 'png' }), {
      code: 'INVALID_INPUT',
      message: /different values: pdf, png/,
      details: { field: 'targetFormat' },
    })
    assert.throws(() => parseTargetFormat({ targetFormat: 'pdf', target: 'x'.repeat(99) }), {
      message: `targetFormat, output_format and target are aliases of one field, but have different values: pdf, ${'x'.repeat(64)}.`,
    })
    assert.throws(
      () => parseTargetFormat({ target: 'x'.repeat(99) }, 'tasks.a'),
      (error: Error) => {
        assert.equal(
          error.message,
          `tasks.a: "${'x'.repeat(64)}" is not a supported format. GET /v1/formats lists the supported formats.`,
        )
        return true
      },
    )
  })

  test('a request can name a tool as its target, or a format with a pinned engine', () => {
    assert.equal(parseToolOperation('Rotate-PDF'), 'rotate-pdf')
    assert.deepEqual([parseToolOperation(undefined), parseToolOperation('')], [undefined, undefined])
    assert.throws(() => parseToolOperation('fold-pdf'), /expected one of .*rotate-pdf.*, got "fold-pdf"/)
    assert.equal(parseEngine('VIPS'), 'vips')
    for (const noEngine of [undefined, '', 'auto']) assert.equal(parseEngine(noEngine), undefined)
    for (const pdfEngine of ['auto', 'AUTO', '']) requireAutoPdfEngine({ pdfEngine }, 'free')
    assert.throws(() => requireAutoPdfEngine({ pdf_engine: 'other' }, 'pro'), {
      code: 'INSUFFICIENT_PERMISSIONS',
      message: /^pdfEngine: the plan pro /,
    })
    for (const plan of ['business', 'self-hosted'] as const)
      assert.throws(() => requireAutoPdfEngine({ pdfEngine: 'other' }, plan), {
        code: 'UNSUPPORTED_CONVERSION',
        message: /this service only supports auto/,
        details: { field: 'pdfEngine', expected: ['auto'] },
      })
    // The engine of PDF pages cannot be selected, because there is only one.
    for (const wrongEngine of ['word', 'pdf'])
      assert.throws(() => parseEngine(wrongEngine), {
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
      () => parseToolOperation('x'.repeat(65)),
      (error: { message: string; details: Record<string, unknown> }) => {
        assert.match(error.message, /got "x{64}"\.$/)
        assert.equal(error.details['field'], 'toolOperation')
        assert.ok((error.details['expected'] as string[]).includes('rotate-pdf'))
        return true
      },
    )
  })
})

describe('the time limit of a task', () => {
  const piece = (...steps: [operation: string, from: string, to: string][]): InputPlan => ({
    steps: steps.map(([operation, from, to]) => ({
      operation,
      from,
      to,
      engine: 'x',
      image: 'x',
      options: {},
    })) as InputPlan['steps'], // only the members that are used
    step: 0,
    files: [],
  })

  test('the time limit of a task is that of the slowest category on its route', () => {
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
    const bothPlans = [piece(['convert', 'png', 'jpg']), piece(['convert', 'mp4', 'gif'])]
    assert.equal(timeLimitOf(bothPlans), 1800)
  })

  test('the time limit of a task is an hour for transfers, and five minutes for website captures', () => {
    assert.deepEqual([transferLimitS, captureLimitS], [3600, 300])
  })

  test('the time limit of a task determines the recommended polling interval', () => {
    assert.deepEqual([2, 120, 121, 600, 601].map(pollAfterS), [2, 2, 5, 5, 10])
  })
})

describe('the files of a conversion request', () => {
  const merge = planRoute({ from: 'jpg', to: 'png', operation: 'merge' })

  test('the number and formats of the files must match the operation', () => {
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
        assert.match(error.message, /^files: file 3 \(c\.mp3\) is mp3, which cannot be combined/)
        assert.equal((error as unknown as { details: { index: number } }).details.index, 2)
        return true
      },
    )
    const { max } = merge.steps[0].capability.more ?? { max: 0 }
    const manyFiles = (count: number) => Array.from({ length: count }, () => of('b.png', 'png'))
    requireInputs(manyFiles(max), rules)
    assert.throws(() => requireInputs(manyFiles(max + 1), rules), { code: 'INVALID_INPUT' })
  })

  test('operations with one input reject files after the first', () => {
    const route = planRoute({ from: 'png', to: 'jpg' })
    const rules = { route, operation: 'convert', field: 'additionalFile' } as const
    requireInputs([], rules)
    assert.throws(() => requireInputs([of('b.png', 'png')], rules), {
      code: 'INVALID_REQUEST',
      details: { field: 'additionalFile', max: 1, got: 2 },
    })
  })

  test('conversions process each file separately, other operations process all files together', () => {
    const files = [of('a.png', 'png'), of('b.jpg', 'jpg')]
    assert.deepEqual(groupInputs(files, specWith('convert')), [[files[0]], [files[1]]])
    assert.deepEqual(groupInputs(files, specWith('merge')), [files])
    const plannedInputs = planFiles(
      files,
      specWith('convert', { to: 'webp', options: { quality: 5, odd: 1 } }),
      engines,
    )
    assert.deepEqual(
      plannedInputs.inputPlans.map(({ steps, step, files: [one] }) => [
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
      plannedInputs.warnings.map(({ code, field }) => [code, field]),
      [
        ['UNKNOWN_PARAMETER', 'odd'],
        ['UNKNOWN_PARAMETER', 'odd'],
      ],
    )
    assert.equal(plannedInputs.limitS, 120)
    assert.equal(plannedInputs.inputPlans[0]?.steps[0]?.options['quality'], 5)
    assert.equal(
      planFiles([of('a.png', 'png')], specWith('compress'), engines).inputPlans[0]?.steps.at(-1)?.to,
      'png',
    )
  })

  test("a file is converted by the pinned engine or one that supports its traits, if it fits on the worker's disk", () => {
    const enginesOf = (file: StoredFile, moreFields: Partial<ConversionSpec>) =>
      planFiles([file], specWith('convert', { to: 'png', ...moreFields }), engines).inputPlans[0]?.steps.map(
        ({ engine }) => engine,
      )
    assert.deepEqual(enginesOf(of('a.jpg', 'jpg'), { engine: 'imagemagick' }), ['imagemagick'])
    assert.deepEqual(enginesOf(of('a.svg', 'svg'), {}), ['vips'])
    assert.deepEqual(enginesOf(of('a.svg', 'svg', { traits: ['browser-drawing'] }), {}), ['chromium'])
    assert.throws(() => enginesOf(of('a.jpg', 'jpg', { size: 1e15 }), {}), { code: 'FILE_TOO_LARGE' })
  })

  test('missing files and files of unknown format are rejected', () => {
    assert.throws(() => routeFiles([], specWith('convert', { to: 'pdf' }), engines), { code: 'NO_FILES' })
    assert.throws(() => routeFiles([of('a.odd', 'odd')], specWith('convert', { to: 'pdf' }), engines), {
      code: 'UNSUPPORTED_FORMAT',
      message: /of a\.odd is unknown/,
      details: { filename: 'a.odd' },
    })
  })

  test('password-protected files require a password, except spreadsheets that LibreOffice can open', () => {
    const plan = (format: string, to: ConversionSpec['to'], options = {}) =>
      planFiles([of('a', format, { locked: true })], specWith('convert', { to, options }), engines)
    assert.throws(() => plan('docx', 'pdf'), { code: 'FILE_ENCRYPTED' })
    assert.equal(plan('docx', 'pdf', { password: 'x' }).inputPlans.length, 1)
    for (const sheet of ['xlsx', 'xlsm', 'xlsb', 'xltx', 'xltm'])
      assert.equal(plan(sheet, 'pdf').inputPlans.length, 1, sheet)
    for (const otherFormat of ['xls', 'ods', 'pptx', 'odt'])
      assert.throws(() => plan(otherFormat, 'pdf'), { code: 'FILE_ENCRYPTED' }, otherFormat)
    // Packing does not open the file.
    const packedPlan = planFiles(
      [of('a', 'docx', { locked: true })],
      specWith('archive', { to: 'zip' }),
      engines,
    )
    assert.equal(packedPlan.inputPlans.length, 1)
    const openPlan = planFiles([of('a', 'docx')], specWith('convert', { to: 'pdf' }), engines)
    assert.equal(openPlan.inputPlans.length, 1)
  })
})

describe("the disk that the next step's worker needs", () => {
  const mib = 1024 ** 2
  const worker = (image: string, diskMb: number) =>
    ({ image, limits: { diskMb, memoryMb: 1, timeoutS: 1 } }) as (typeof engines)[0] // only the members that are used
  const workers = [worker('image', 2), worker('image', 3.5), worker('av', 9), worker('image', 1)]
  const steps = (...images: string[]) => images.map((image) => ({ image })) as InputPlan['steps']
  const filesOfSize = (...sizes: number[]) => sizes.map((size, at) => of(`${at}.png`, 'png', { size }))

  test("the disk that the next step's worker needs is the maximum over the engines of its image", () => {
    assert.deepEqual(
      ['image', 'av', 'none'].map((image) => workerDiskBytes(image, workers)),
      [3.5 * mib, 9 * mib, 0],
    )
  })

  test("the disk that the next step's worker needs counts all files together, but not completed steps", () => {
    const piece = { steps: steps('image', 'av'), step: 0, files: filesOfSize(2 * mib, 1.5 * mib) }
    requireInputsFitWorker(piece, workers)
    const largerPlan = { ...piece, files: filesOfSize(2 * mib, 1.5 * mib + 1) }
    assert.throws(() => requireInputsFitWorker(largerPlan, workers), {
      code: 'FILE_TOO_LARGE',
      message: /^The 2 files have 4 MiB; .* accepts at most 3 MiB\. Send/,
      details: { field: 'file', maxBytes: 3.5 * mib, size: 3.5 * mib + 1 },
    })
    assert.throws(() => requireInputsFitWorker({ ...largerPlan, files: filesOfSize(3.6 * mib) }, workers), {
      message: /^The file 0\.png has 4 MiB; /,
    })
    requireInputsFitWorker({ ...largerPlan, step: 1 }, workers)
    requireInputsFitWorker({ ...largerPlan, step: 2 }, workers)
  })
})

test('a stored file is renamed to the extension of its format, unless it already has it', () => {
  const givenFile = { key: 'k', size: 1, sha256: 'ab' }
  const jpg = { format: 'jpg', mimeType: 'image/jpeg' } as const
  const nameOf = (filename: string) => toStoredFile({ ...givenFile, filename }, jpg).filename
  assert.deepEqual(['a.JPEG', 'a.jpg', 'a.png', 'a'].map(nameOf), ['a.JPEG', 'a.jpg', 'a.jpg', 'a.jpg'])
  assert.deepEqual(toStoredFile({ ...givenFile, filename: 'a.jpg' }, jpg), {
    ...givenFile,
    filename: 'a.jpg',
    ...jpg,
  })
  assert.equal(toStoredFile({ ...givenFile, filename: 'a.jpg', etag: '"1"' }, jpg).etag, '"1"')
})

describe('the options of a conversion request', () => {
  const route = planRoute({ from: 'png', to: 'jpg' })

  test('invalid values of lenient options are ignored with a warning', () => {
    const docx = planRoute({ from: 'pdf', to: 'docx' })
    const long = 'x'.repeat(100)
    const { steps, warnings } = stepsWithOptions(docx, { mode: long, [long]: 1, pdfEngine: 'auto' })
    assert.equal(steps[0]?.options['mode'] === long, false)
    const [mode, unknown, ...rest] = warnings
    assert.deepEqual([mode?.code, mode?.field, rest], ['OPTION_NOT_USED', 'mode', []])
    assert.match(mode?.message ?? '', /^mode: "x{79} has no effect here and was ignored\. hybrid /)
    assert.deepEqual([unknown?.code, unknown?.field], ['UNKNOWN_PARAMETER', 'x'.repeat(64)])
    const [step] = route.steps
    const plainStep = { ...step, capability: { ...step.capability, options: z.object({}) } }
    assert.match(
      stepsWithOptions({ steps: [plainStep], cost: 1 }, { odd: 1 }).warnings[0]?.message ?? '',
      /^"odd" is not an option of this conversion and was ignored; it has no options\.$/,
    )
  })

  test('options are accepted in camelCase and snake_case, and unknown ones cause a warning with the supported ones', () => {
    assert.deepEqual(knownOptions(route, { jpeg_quality: 7, width: 5, odd: 1 }), ['jpegQuality', 'width'])
    const { steps, warnings } = stepsWithOptions(route, { jpeg_quality: '7', odd: 1 })
    assert.equal(steps[0]?.options['jpegQuality'], 7)
    const [warning] = warnings
    assert.deepEqual([warning?.code, warning?.field, warnings.length], ['UNKNOWN_PARAMETER', 'odd', 1])
    assert.match(warning?.message ?? '', /"odd" is not an option .* it supports .*jpegQuality/)
    assert.throws(
      () => stepsWithOptions(route, { jpegQuality: 101, width: 0 }),
      (error: { details: object }) => {
        const { errors } = error.details as { errors: { field: string }[] }
        assert.deepEqual(errors.map(({ field }) => field).toSorted(), ['jpegQuality', 'width'])
        return true
      },
    )
  })

  test('options may be named like properties of Object.prototype', () => {
    const options: Record<string, unknown> = {}
    for (const name of ['constructor', 'toString', 'hasOwnProperty']) addOption(options, name, 1)
    assert.deepEqual(Object.keys(options), ['constructor', 'toString', 'hasOwnProperty'])
    assert.deepEqual(knownOptions(planRoute({ from: 'png', to: 'jpg' }), { constructor: 1, quality: 1 }), [
      'quality',
    ])
  })

  test('options may be sent twice with the same value, but not with different ones', () => {
    const options: Record<string, unknown> = {}
    addOption(options, 'dpi', 7)
    addOption(options, 'dpi', '7')
    assert.throws(() => addOption(options, 'dpi', 8), { code: 'INVALID_INPUT', details: { field: 'dpi' } })
    assert.throws(() => stepsWithOptions(route, { jpegQuality: 7, jpeg_quality: 8 }), {
      code: 'INVALID_INPUT',
    })
  })
})
