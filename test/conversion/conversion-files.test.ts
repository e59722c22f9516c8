import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { engines } from '../../lib/engines/index.ts'
import type { InputPlan, StoredFile } from '../../lib/model/job.ts'
import { requireCompatibleInputs } from '../../lib/plan/check-inputs.ts'
import { getWorkerDiskBytes, requireInputsFitWorker } from '../../lib/plan/disk-limits.ts'
import { groupInputs } from '../../lib/plan/file-lists.ts'
import { type ConversionSpec, planFiles, routeFiles } from '../../lib/plan/plan-files.ts'
import { toStoredFile } from '../../lib/uploads/to-stored-file.ts'
import { planRoute } from '../plan/with-all-engines.ts'
import { createStoredFile, specWith } from './support/specs.ts'

describe('the files of a conversion request', () => {
  const mergeRoute = planRoute({ from: 'jpg', to: 'png', operation: 'merge' })

  test('a conversion request is rejected unless the number and formats of its files fit the operation', () => {
    const rules = { route: mergeRoute, operation: 'merge', field: 'files' } as const
    requireCompatibleInputs([createStoredFile('b.png', 'png')], rules)
    assert.throws(
      () => requireCompatibleInputs([], rules),
      (error: { code: string; details: Record<string, unknown> }) => {
        const { field, min, got } = error.details
        assert.deepEqual([error.code, field, min, got], ['INVALID_INPUT', 'files', 2, 1])
        return true
      },
    )
    assert.throws(
      () =>
        requireCompatibleInputs([createStoredFile('b.png', 'png'), createStoredFile('c.mp3', 'mp3')], rules),
      (error: Error) => {
        assert.match(error.message, /^files: file 3 \(c\.mp3\) is mp3, which cannot be combined/)
        assert.equal((error as unknown as { details: { index: number } }).details.index, 2)
        return true
      },
    )
    const { max } = mergeRoute.steps[0].capability.more ?? { max: 0 }
    const createFiles = (count: number) =>
      Array.from({ length: count }, () => createStoredFile('b.png', 'png'))
    requireCompatibleInputs(createFiles(max), rules)
    assert.throws(() => requireCompatibleInputs(createFiles(max + 1), rules), { code: 'INVALID_INPUT' })
  })

  test('an operation with one input rejects further files', () => {
    const route = planRoute({ from: 'png', to: 'jpg' })
    const rules = { route, operation: 'convert', field: 'additionalFile' } as const
    requireCompatibleInputs([], rules)
    assert.throws(() => requireCompatibleInputs([createStoredFile('b.png', 'png')], rules), {
      code: 'INVALID_REQUEST',
      details: { field: 'additionalFile', max: 1, got: 2 },
    })
  })

  test('a conversion processes each file separately, while a merge processes all files together', () => {
    const files = [createStoredFile('a.png', 'png'), createStoredFile('b.jpg', 'jpg')]
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
    assert.equal(plannedInputs.timeLimitS, 120)
    assert.equal(plannedInputs.inputPlans[0]?.steps[0]?.options['quality'], 5)
    assert.equal(
      planFiles([createStoredFile('a.png', 'png')], specWith('compress'), engines).inputPlans[0]?.steps.at(-1)
        ?.to,
      'png',
    )
  })

  test('a conversion uses the pinned engine or one that supports the file, and a file that fits on no worker disk is rejected', () => {
    const getEngines = (file: StoredFile, moreFields: Partial<ConversionSpec>) =>
      planFiles([file], specWith('convert', { to: 'png', ...moreFields }), engines).inputPlans[0]?.steps.map(
        ({ engine }) => engine,
      )
    assert.deepEqual(getEngines(createStoredFile('a.jpg', 'jpg'), { engine: 'imagemagick' }), ['imagemagick'])
    assert.deepEqual(getEngines(createStoredFile('a.svg', 'svg'), {}), ['vips'])
    assert.deepEqual(getEngines(createStoredFile('a.svg', 'svg', { traits: ['browser-drawing'] }), {}), [
      'chromium',
    ])
    assert.throws(() => getEngines(createStoredFile('a.jpg', 'jpg', { size: 1e15 }), {}), {
      code: 'FILE_TOO_LARGE',
    })
  })

  test('a conversion request without files, or with a file of unknown format, is rejected', () => {
    assert.throws(() => routeFiles([], specWith('convert', { to: 'pdf' }), engines), { code: 'NO_FILES' })
    assert.throws(
      () => routeFiles([createStoredFile('a.odd', 'odd')], specWith('convert', { to: 'pdf' }), engines),
      {
        code: 'UNSUPPORTED_FORMAT',
        message: /of a\.odd is unknown/,
        details: { filename: 'a.odd' },
      },
    )
  })

  test('a password-protected file requires a password, unless it is an XLSX or XLSB workbook or is only archived', () => {
    const plan = (format: string, to: ConversionSpec['to'], options = {}) =>
      planFiles(
        [createStoredFile('a', format, { locked: true })],
        specWith('convert', { to, options }),
        engines,
      )
    assert.throws(() => plan('docx', 'pdf'), { code: 'FILE_ENCRYPTED' })
    assert.equal(plan('docx', 'pdf', { password: 'x' }).inputPlans.length, 1)
    for (const sheet of ['xlsx', 'xlsm', 'xlsb', 'xltx', 'xltm'])
      assert.equal(plan(sheet, 'pdf').inputPlans.length, 1, sheet)
    for (const otherFormat of ['xls', 'ods', 'pptx', 'odt'])
      assert.throws(() => plan(otherFormat, 'pdf'), { code: 'FILE_ENCRYPTED' }, otherFormat)
    // Packing does not open the file.
    const archivePlan = planFiles(
      [createStoredFile('a', 'docx', { locked: true })],
      specWith('archive', { to: 'zip' }),
      engines,
    )
    assert.equal(archivePlan.inputPlans.length, 1)
    const unencryptedPlan = planFiles(
      [createStoredFile('a', 'docx')],
      specWith('convert', { to: 'pdf' }),
      engines,
    )
    assert.equal(unencryptedPlan.inputPlans.length, 1)
  })
})

describe('worker disk space', () => {
  const mib = 1024 ** 2
  const createEngineStub = (image: string, diskMb: number) =>
    ({ image, limits: { diskMb, memoryMb: 1, timeoutS: 1 } }) as (typeof engines)[0] // a stub with only the members that are used
  const workers = [
    createEngineStub('image', 2),
    createEngineStub('image', 3.5),
    createEngineStub('av', 9),
    createEngineStub('image', 1),
  ]
  const steps = (...images: string[]) => images.map((image) => ({ image })) as InputPlan['steps']
  const createFilesOfSize = (...sizes: number[]) =>
    sizes.map((size, at) => createStoredFile(`${at}.png`, 'png', { size }))

  test('a worker has as much disk space as the most demanding engine of its container image needs', () => {
    assert.deepEqual(
      ['image', 'av', 'none'].map((image) => getWorkerDiskBytes(image, workers)),
      [3.5 * mib, 9 * mib, 0],
    )
  })

  test('all files of a task must fit on the disk of the worker for its next step, while completed steps are not checked', () => {
    const piece = { steps: steps('image', 'av'), step: 0, files: createFilesOfSize(2 * mib, 1.5 * mib) }
    requireInputsFitWorker(piece, workers)
    const largerPlan = { ...piece, files: createFilesOfSize(2 * mib, 1.5 * mib + 1) }
    assert.throws(() => requireInputsFitWorker(largerPlan, workers), {
      code: 'FILE_TOO_LARGE',
      message: /^The 2 files have 4 MiB; .* accepts at most 3 MiB\. Send/,
      details: { field: 'file', maxBytes: 3.5 * mib, size: 3.5 * mib + 1 },
    })
    assert.throws(
      () => requireInputsFitWorker({ ...largerPlan, files: createFilesOfSize(3.6 * mib) }, workers),
      {
        message: /^The file 0\.png has 4 MiB; /,
      },
    )
    requireInputsFitWorker({ ...largerPlan, step: 1 }, workers)
    requireInputsFitWorker({ ...largerPlan, step: 2 }, workers)
  })
})

test('a stored file gets the extension of its format, unless its name already has that extension', () => {
  const file = { key: 'k', size: 1, sha256: 'ab' }
  const jpg = { format: 'jpg', mimeType: 'image/jpeg' } as const
  const getFilename = (filename: string) => toStoredFile({ ...file, filename }, jpg).filename
  assert.deepEqual(['a.JPEG', 'a.jpg', 'a.png', 'a'].map(getFilename), ['a.JPEG', 'a.jpg', 'a.jpg', 'a.jpg'])
  assert.deepEqual(toStoredFile({ ...file, filename: 'a.jpg' }, jpg), {
    ...file,
    filename: 'a.jpg',
    ...jpg,
  })
  assert.equal(toStoredFile({ ...file, filename: 'a.jpg', etag: '"1"' }, jpg).etag, '"1"')
})
