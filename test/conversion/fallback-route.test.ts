import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import * as z from 'zod'
import {
  createExportTask,
  createFetchTask,
  exportRequestFields,
  fileUrlField,
} from '../../lib/conversion/remote-files.ts'
import { engines } from '../../lib/engines/index.ts'
import { createDocumentKindMismatchError } from '../../lib/formats/locked-office.ts'
import type { JobError, TriedRoute } from '../../lib/model/job.ts'
import { maxRoutes, pickMostInformative, planFallback } from '../../lib/plan/fallback-route.ts'
import type { ConversionSpec } from '../../lib/plan/plan-files.ts'
import { isUnreadableError } from '../../lib/plan/unreadable-error.ts'
import { defined } from '../../lib/validation/defined.ts'
import { createStoredFile, specWith } from './support/specs.ts'

describe('fallbacks for unreadable files', () => {
  const createError = (code: string, details?: Record<string, unknown>): JobError =>
    ({ code, message: code, ...defined({ details }) }) as JobError // codes of errors.ts

  test('errors about damaged files, unsupported features or lost content mark a file as unreadable, and other errors do not', () => {
    for (const unreadableErrors of [
      createError('CORRUPT_FILE'),
      createError('UNSUPPORTED_FORMAT', { reason: 'feature' }),
      createError('UNSUPPORTED_FORMAT', { reason: 'other-kind' }),
      createError('CONVERSION_FAILED', { reason: 'content-lost' }),
    ])
      assert.equal(isUnreadableError(unreadableErrors), true, unreadableErrors.code)
    for (const read of [
      createError('UNSUPPORTED_FORMAT'),
      createError('CONVERSION_FAILED'),
      createError('PDF_ENCRYPTED'),
      createError('CORRUPT_X', { reason: 'feature' }),
    ])
      assert.equal(isUnreadableError(read), false, read.code)
  })

  describe('encrypted files with a wrong extension', () => {
    const misnamedFiles = [createStoredFile('a.docx', 'docx', { locked: true })]
    const kindMismatch = { error: createDocumentKindMismatchError('docx', 'xlsx'), steps: [] }
    const nextPlan = (
      to: ConversionSpec['to'],
      moreFields: Partial<ConversionSpec> = {},
      moreTriedRoutes: readonly TriedRoute[] = [],
    ) =>
      planFallback(misnamedFiles, specWith('convert', { to, options: { password: 'x' }, ...moreFields }), {
        index: 0,
        triedRoutes: [kindMismatch, ...moreTriedRoutes],
        engines,
      })
    const listStepsTo = (piece: ReturnType<typeof nextPlan>) =>
      'steps' in piece ? piece.steps.map(({ operation, from, to }) => `${operation} ${from} ${to}`) : piece

    test('an encrypted file with a wrong extension is planned with its detected format, even with a pinned engine', () => {
      for (const engine of [undefined, 'libreoffice'] as const) {
        const piece = nextPlan('pdf', { engine })
        assert.deepEqual(listStepsTo(piece), ['unlock xlsx xlsx', 'convert xlsx pdf'])
        assert.deepEqual('files' in piece && piece.files.map(({ format, filename }) => [format, filename]), [
          ['xlsx', 'a.docx'],
        ])
      }
    })

    test('an encrypted file with a wrong extension is rejected if its detected format has no route to the target', () => {
      const noFallback = nextPlan('odp', { engine: 'ffmpeg' })
      assert.equal('error' in noFallback && noFallback.error.code, 'UNSUPPORTED_CONVERSION')
      assert.match('error' in noFallback ? noFallback.error.message : '', /\(xlsx\) to .*\(odp\)/)
    })

    test('an encrypted file with a wrong extension is reported as damaged if it cannot be read in its detected format', () => {
      const steps = [{ engine: 'libreoffice', from: 'xlsx', to: 'ods' }]
      const damagedPlan = nextPlan('ods', {}, [{ error: createError('CORRUPT_FILE'), steps }])
      assert.deepEqual(damagedPlan, { error: createError('CORRUPT_FILE') })
    })
  })

  test('a file that an engine could not read is converted to the same target by another engine', () => {
    const [docx] = [createStoredFile('a.docx', 'docx')]
    assert.ok(docx)
    const steps = [{ engine: 'libreoffice', from: 'docx', to: 'odt' }]
    const piece = planFallback([docx], specWith('convert', { to: 'odt' }), {
      index: 0,
      triedRoutes: [{ error: createError('CORRUPT_FILE'), steps }],
      engines,
    })
    assert.ok('steps' in piece, JSON.stringify(piece))
    assert.equal(piece.steps.at(-1)?.to, 'odt')
    assert.notEqual(piece.steps[0]?.engine, 'libreoffice')
  })

  test('a file that no engine could read fails with the most informative error of all attempts', () => {
    const rankedErrors = [
      createError('TIMEOUT'),
      createError('CORRUPT_FILE'),
      createError('CONVERSION_FAILED', { reason: 'content-lost' }),
      createError('UNSUPPORTED_FORMAT'),
      createError('FILE_TOO_LARGE'),
      createError('INVALID_INPUT', { reason: 'wrong-password' }),
      createError('PDF_ENCRYPTED'),
    ]
    for (const [at, one] of rankedErrors.entries()) {
      for (const lessInformativeError of rankedErrors.slice(0, at)) {
        assert.equal(pickMostInformative([lessInformativeError, one]), one)
        assert.equal(pickMostInformative([one, lessInformativeError]), one)
      }
    }
    const [, rankedError] = rankedErrors
    assert.equal(
      pickMostInformative([rankedError ?? createError(''), createError('CORRUPT_FILE')]),
      rankedError,
    )
  })
})

describe('fallback routes', () => {
  const failure = (code: string): JobError => ({ code, message: `${code}.` }) as JobError // codes of errors.ts
  const png = createStoredFile('a.png', 'png')
  const createEngine = (id: string, option?: string, from = ['png'], schema: z.ZodType = z.number()) =>
    ({
      id,
      image: 'image',
      limits: { memoryMb: 1, diskMb: 1, timeoutS: 1 },
      capabilities: [
        {
          operation: 'convert',
          from,
          to: ['jpg'],
          cost: 1,
          options: z.object(option ? { [option]: schema.optional() } : {}),
        },
      ],
    }) as unknown as (typeof engines)[0] // these tests only plan
  const unreadableErrors = (...ids: string[]) =>
    ids.map((engine) => ({
      error: failure('CORRUPT_FILE'),
      steps: [{ engine, from: 'png', to: 'jpg' }],
    })) as [TriedRoute, ...TriedRoute[]] // one at least
  const nextPlan = (
    allEngines: readonly (typeof engines)[0][],
    triedRoutes: readonly [TriedRoute, ...TriedRoute[]],
    moreFields: Partial<ConversionSpec> = {},
  ) =>
    planFallback(
      [createStoredFile('first.png', 'png'), png],
      specWith('convert', { to: 'jpg', ...moreFields }),
      {
        index: 1,
        triedRoutes,
        engines: allEngines,
      },
    )
  const [a, b, c, d] = ['vips', 'imagemagick', 'ffmpeg', 'pdf'].map((id) => createEngine(id))
  assert.ok(a && b && c && d)

  test('a fallback route starts with the next untried engine, up to three routes in total', () => {
    const triedRoutes = unreadableErrors('vips', 'imagemagick')
    const piece = nextPlan([a, b, c, d], triedRoutes)
    assert.ok('steps' in piece, JSON.stringify(piece))
    assert.deepEqual(
      [piece.steps[0]?.engine, piece.step, piece.files, piece.tried],
      ['ffmpeg', 0, [png], triedRoutes],
    )
    assert.deepEqual(nextPlan([a, b, c, d], unreadableErrors('vips', 'imagemagick', 'ffmpeg')), {
      error: failure('CORRUPT_FILE'),
    })
    assert.equal(maxRoutes, 3)
  })

  test('a conversion with a pinned engine has no fallback route, but its error mentions other engines', () => {
    assert.deepEqual(nextPlan([a, b], unreadableErrors('vips'), { engine: 'vips' }), {
      error: {
        code: 'CORRUPT_FILE',
        message:
          'CORRUPT_FILE. Only vips was tried, because the request selects it as "engine". Leave "engine" out to try other engines.',
        details: { engine: 'vips' },
      },
    })
    assert.deepEqual(nextPlan([a], unreadableErrors('vips'), { engine: 'vips' }), {
      error: failure('CORRUPT_FILE'),
    })
  })

  test('a fallback route supports all options of the first route', () => {
    const options = { dpi: 7, odd: 1 }
    const engineWithDpi = createEngine('vips', 'dpi')
    const firstFallbackStep = (...otherEngines: readonly (typeof engines)[0][]) => {
      const piece = nextPlan([engineWithDpi, ...otherEngines], unreadableErrors('vips'), { options })
      return 'steps' in piece ? piece.steps[0] : piece.error.code
    }
    assert.equal(firstFallbackStep(b), 'CORRUPT_FILE', 'it does not know dpi')
    const step = firstFallbackStep(b, createEngine('ffmpeg', 'dpi'))
    assert.ok(typeof step === 'object')
    assert.deepEqual([step.engine, step.options], ['ffmpeg', { dpi: 7 }])
    assert.equal(
      firstFallbackStep(createEngine('ffmpeg', 'dpi', ['png'], z.literal(9))),
      'CORRUPT_FILE',
      'it knows no such value',
    )
  })

  test('the fallback plan for one encrypted file with a wrong extension covers only that file, and uses its detected format', () => {
    const misnamedFile = createStoredFile('a.docx', 'docx', { locked: true })
    const otherFile = createStoredFile('b.docx', 'docx')
    const triedRoutes = [{ error: createDocumentKindMismatchError('docx', 'xlsx'), steps: [] }] as [
      TriedRoute,
    ]
    const piece = planFallback(
      [otherFile, misnamedFile],
      specWith('convert', { to: 'pdf', options: { password: 'x' } }),
      {
        index: 1,
        triedRoutes,
        engines,
      },
    )
    assert.ok('steps' in piece, JSON.stringify(piece))
    const [file] = piece.files
    assert.equal(piece.files.length, 1)
    assert.deepEqual(
      [file?.filename, file?.format, file?.mimeType],
      ['a.docx', 'xlsx', 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'],
    )
    assert.deepEqual(piece.tried, triedRoutes)
  })
})

describe('remote files and exported results', () => {
  test('a remote file is fetched by a separate import task', () => {
    const fetchTask = createFetchTask('in', { url: 'https://a.test/x', filename: 'x.png', field: 'url' })
    assert.deepEqual(
      [
        fetchTask.name,
        fetchTask.operation.name,
        fetchTask.input,
        fetchTask.continueOnError,
        fetchTask.fields,
      ],
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
    assert.deepEqual(z.object(exportRequestFields).parse({}), {})
    const sentFields = { exportMethod: 's3', exportPath: 'a', exportConfig: '{}' }
    assert.deepEqual(z.object(exportRequestFields).parse(sentFields), sentFields)
  })

  const exportConfig = {
    bucket: 'results',
    region: 'eu-central-1',
    access_key_id: 'a',
    secret_access_key: 'b',
  }

  test('a result is exported by a separate export task, configured by an object or JSON', () => {
    for (const config of [exportConfig, JSON.stringify(exportConfig)]) {
      const task = createExportTask(
        { exportMethod: 's3', exportPath: '{name}.{ext}', exportConfig: config },
        ['work'],
      )
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

  test('an export with an invalid field is rejected with the field name', () => {
    const getInvalidField = (body: Parameters<typeof createExportTask>[0]) => {
      try {
        createExportTask(body, ['work'])
      } catch (error) {
        return (error as { details: { field: string } }).details.field
      }
      return undefined
    }
    assert.equal(getInvalidField({ exportPath: 'a' }), 'exportMethod')
    assert.equal(getInvalidField({ exportConfig: {} }), 'exportMethod')
    // `url` is not an export method, because links are always provided.
    for (const exportMethod of ['tape', 'url'])
      assert.equal(getInvalidField({ exportMethod }), 'exportMethod')
    assert.equal(getInvalidField({ exportMethod: 's3', exportConfig: '{' }), 'exportConfig')
    assert.equal(
      getInvalidField({ exportMethod: 's3', exportConfig: { ...exportConfig, bucket: 'x' } }),
      'exportConfig.bucket',
    )
    assert.equal(
      getInvalidField({ exportMethod: 's3', exportConfig: { ...exportConfig, key: 'b' }, exportPath: 'a' }),
      'exportPath',
    )
    assert.equal(
      getInvalidField({ exportMethod: 's3', exportPath: 'a', exportConfig: '' }),
      'exportConfig.bucket',
    )
    const path = 'a'.repeat(1025)
    assert.equal(getInvalidField({ exportMethod: 's3', exportConfig, exportPath: path }), 'exportPath')
    assert.equal(
      getInvalidField({ exportMethod: 's3', exportConfig: { ...exportConfig, key: path } }),
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
