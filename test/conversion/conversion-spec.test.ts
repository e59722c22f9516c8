import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import * as z from 'zod'
import type { InputPlan } from '../../lib/model/job.ts'
import { addOption, applyOptions, listKnownOptions, parseEngine } from '../../lib/plan/options.ts'
import { requireAutoPdfEngine } from '../../lib/plan/pdf-engine.ts'
import { parseTargetFormat, parseToolOperation } from '../../lib/plan/target-format.ts'
import { captureLimitS, getPollIntervalS, getTimeLimitS, transferLimitS } from '../../lib/plan/time-limits.ts'
import { planRoute } from '../plan/with-all-engines.ts'

describe('the target of a conversion request', () => {
  test('the target format of a conversion request may be in targetFormat, output_format or target, and may be an alias', () => {
    assert.equal(parseTargetFormat({ targetFormat: 'jpg' }), 'jpg')
    assert.equal(parseTargetFormat({ output_format: 'JPEG', target: '' }), 'jpg')
    assert.equal(parseTargetFormat({ target: 'pdf', targetFormat: 'pdf' }), 'pdf')
    assert.equal(parseTargetFormat({}), undefined)
    assert.equal(parseTargetFormat({ targetFormat: '' }), undefined)
  })

  test('a conversion request with an unknown target, or different targets in two fields, is rejected with the field name', () => {
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

  test('the fields toolOperation, engine and pdfEngine of a conversion request accept only supported values', () => {
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

describe('task time limits', () => {
  const piece = (...steps: [operation: string, from: string, to: string][]): InputPlan => ({
    steps: steps.map(([operation, from, to]) => ({
      operation,
      from,
      to,
      engine: 'x',
      image: 'x',
      options: {},
    })) as InputPlan['steps'], // a stub with only the members that are used
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
    for (const [limitS, steps] of limits) assert.equal(getTimeLimitS([piece(...steps)]), limitS, steps.join())
    const bothPlans = [piece(['convert', 'png', 'jpg']), piece(['convert', 'mp4', 'gif'])]
    assert.equal(getTimeLimitS(bothPlans), 1800)
  })

  test('the time limit of a task is an hour for transfers, and five minutes for website captures', () => {
    assert.deepEqual([transferLimitS, captureLimitS], [3600, 300])
  })

  test('the time limit of a task determines the recommended polling interval', () => {
    assert.deepEqual([2, 120, 121, 600, 601].map(getPollIntervalS), [2, 2, 5, 5, 10])
  })
})

describe('conversion options', () => {
  const route = planRoute({ from: 'png', to: 'jpg' })

  test('an option value that has no effect and an unknown option are ignored with a warning', () => {
    const docxRoute = planRoute({ from: 'pdf', to: 'docx' })
    const long = 'x'.repeat(100)
    const { steps, warnings } = applyOptions(docxRoute, { mode: long, [long]: 1, pdfEngine: 'auto' })
    assert.equal(steps[0]?.options['mode'] === long, false)
    const [mode, unknown, ...rest] = warnings
    assert.deepEqual([mode?.code, mode?.field, rest], ['OPTION_NOT_USED', 'mode', []])
    assert.match(mode?.message ?? '', /^mode: "x{79} has no effect here and was ignored\. hybrid /)
    assert.deepEqual([unknown?.code, unknown?.field], ['UNKNOWN_PARAMETER', 'x'.repeat(64)])
    const [step] = route.steps
    const plainStep = { ...step, capability: { ...step.capability, options: z.object({}) } }
    assert.match(
      applyOptions({ steps: [plainStep], cost: 1 }, { odd: 1 }).warnings[0]?.message ?? '',
      /^"odd" is not an option of this conversion and was ignored; it has no options\.$/,
    )
  })

  test('options are accepted in camelCase and snake_case, and the warning about an unknown option lists the supported options', () => {
    assert.deepEqual(listKnownOptions(route, { jpeg_quality: 7, width: 5, odd: 1 }), ['jpegQuality', 'width'])
    const { steps, warnings } = applyOptions(route, { jpeg_quality: '7', odd: 1 })
    assert.equal(steps[0]?.options['jpegQuality'], 7)
    const [warning] = warnings
    assert.deepEqual([warning?.code, warning?.field, warnings.length], ['UNKNOWN_PARAMETER', 'odd', 1])
    assert.match(warning?.message ?? '', /"odd" is not an option .* it supports .*jpegQuality/)
    assert.throws(
      () => applyOptions(route, { jpegQuality: 101, width: 0 }),
      (error: { details: object }) => {
        const { errors } = error.details as { errors: { field: string }[] }
        assert.deepEqual(errors.map(({ field }) => field).toSorted(), ['jpegQuality', 'width'])
        return true
      },
    )
  })

  test('an option may have the name of a property of Object.prototype', () => {
    const options: Record<string, unknown> = {}
    for (const name of ['constructor', 'toString', 'hasOwnProperty']) addOption(options, name, 1)
    assert.deepEqual(Object.keys(options), ['constructor', 'toString', 'hasOwnProperty'])
    assert.deepEqual(
      listKnownOptions(planRoute({ from: 'png', to: 'jpg' }), { constructor: 1, quality: 1 }),
      ['quality'],
    )
  })

  test('an option may be sent twice with the same value, but not with different values', () => {
    const options: Record<string, unknown> = {}
    addOption(options, 'dpi', 7)
    addOption(options, 'dpi', '7')
    assert.throws(() => addOption(options, 'dpi', 8), { code: 'INVALID_INPUT', details: { field: 'dpi' } })
    assert.throws(() => applyOptions(route, { jpegQuality: 7, jpeg_quality: 8 }), {
      code: 'INVALID_INPUT',
    })
  })
})
