import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import * as z from 'zod'
import { CaptureFields, pickOptions } from '../../lib/capture/capture-fields.ts'
import { AppError } from '../../lib/errors.ts'
import { addTaskToError, maxTasks, parseTasks } from '../../lib/tasks/parse-tasks.ts'
import { TaskMap } from '../../lib/tasks/reference.ts'

describe('capturing a website', () => {
  const getFieldErrors = (fields: object) =>
    CaptureFields.safeParse({ url: 'https://a.test', ...fields }).error?.issues.map(({ path, message }) => [
      path.join('.'),
      message,
    ])
  const createUnsupportedFieldError = (field: string, format: string) => [
    [field, `not supported for ${format}; leave it out`],
  ]

  test('a website capture rejects paper options for images, and image options for PDFs', () => {
    const paperFields = {
      page_size: 'A4',
      landscape: true,
      margin_top: '1mm',
      margin_right: '1mm',
      margin_bottom: '1mm',
      margin_left: '1mm',
      header_text: 'a',
      footer_text: 'a',
      print_background: false,
    }
    assert.equal(getFieldErrors(paperFields), undefined)
    for (const [field, value] of Object.entries(paperFields))
      for (const format of ['png', 'jpg', 'webp', 'jpeg'])
        assert.deepEqual(
          getFieldErrors({ output_format: format, [field]: value }),
          createUnsupportedFieldError(field, format),
        )
    const imageFields = { full_page: true, quality: 50 }
    assert.equal(getFieldErrors({ ...imageFields, output_format: 'jpg' }), undefined)
    for (const [field, value] of Object.entries(imageFields))
      assert.deepEqual(getFieldErrors({ [field]: value }), createUnsupportedFieldError(field, 'pdf'))
    assert.deepEqual(
      getFieldErrors({ output_format: 'png', quality: 50 }),
      createUnsupportedFieldError('quality', 'png'),
    )
    assert.equal(
      getFieldErrors({ width: 800, height: 600 }),
      undefined,
      'both formats support a viewport size',
    )
  })

  test('the allowed scale of a website capture depends on the output format', () => {
    for (const [format, minScale, maxScale] of [
      ['pdf', 0.1, 2],
      ['png', 0.5, 4],
      ['webp', 0.5, 4],
    ] as const) {
      const wrongScale = [['scale', `expected a number from ${minScale} to ${maxScale}`]]
      for (const scale of [minScale, maxScale])
        assert.equal(getFieldErrors({ output_format: format, scale }), undefined)
      // Values outside of both ranges are also rejected by the schema.
      for (const scale of [minScale - 0.01, maxScale + 0.01].filter((value) => value >= 0.1 && value <= 4))
        assert.deepEqual(getFieldErrors({ output_format: format, scale }), wrongScale, format)
      assert.equal(getFieldErrors({ output_format: format }), undefined)
    }
  })

  test('the descriptions of capture-website fields such as width and full_page contain the default', () => {
    const shape: Readonly<Record<string, { readonly description?: string | undefined } | undefined>> =
      CaptureFields.shape
    for (const [field, usualValue] of [
      ['width', '1280'],
      ['full_page', 'true'],
      ['print_background', 'true'],
    ] as const)
      assert.match(shape[field]?.description ?? '', new RegExp(`[^.]; ${usualValue} by default$`))
    assert.match(shape['quality']?.description ?? '', /a larger file\.$/, 'it has none')
  })

  test('a website capture passes options to its engine under the engine’s names', () => {
    const options = z.object({ pageSize: z.string(), scale: z.number(), landscape: z.boolean() })
    const fields = { page_size: 'A5', scale: 2, pageSize: 'A6', quality: 5 }
    assert.deepEqual(pickOptions(fields, options), { pageSize: 'A5', scale: 2 })
  })
})

describe('limits of a request for tasks', () => {
  const raw = { operation: 'import/raw', filename: 'a.md', file: '# A' }
  const createExport = (input: unknown) => ({ operation: 'export/url', input })
  const getRefusal = (tasks: Record<string, unknown>) => {
    try {
      parseTasks(tasks)
    } catch (error) {
      assert.ok(error instanceof AppError)
      return error
    }
    return assert.fail('they are taken')
  }

  test('the error for a request with too many tasks contains the maximum', () => {
    const manyTasks = Object.fromEntries(Array.from({ length: maxTasks + 1 }, (_, at) => [`t${at}`, raw]))
    assert.deepEqual(getRefusal(manyTasks).details, { field: 'tasks', max: 1000, got: 1001 })
    assert.deepEqual(getRefusal({}).details, { field: 'tasks' })
    const inputs = Object.keys(manyTasks)
    assert.equal(getRefusal({ a: raw, out: createExport(inputs) }).details?.['field'], 'tasks.out.input')
    assert.equal(getRefusal({ a: raw, out: createExport([]) }).details?.['field'], 'tasks.out.input')
  })

  test('errors truncate unknown names of operations, tasks and fields to 64 characters', () => {
    const name = 'x'.repeat(64)
    assert.match(
      getRefusal({ a: { operation: `${name}y` }, out: createExport('a') }).message,
      new RegExp(`"${name}"`),
    )
    assert.match(
      getRefusal({ a: raw, out: createExport(`${name}y`) }).message,
      new RegExp(`the task "${name}",`),
    )
    const unknownFieldError = getRefusal({ a: { ...raw, [`${name}y`]: 1 }, out: createExport('a') })
    assert.match(unknownFieldError.message, new RegExp(`^tasks\\.a\\.${name}: not a field of import/raw`))
    assert.deepEqual(unknownFieldError.details, {
      field: `tasks.a.${name}`,
      task: 'a',
      expected: ['file', 'filename'],
    })
    assert.deepEqual(getRefusal({ a: { operation: 'fly' } }).details, {
      field: 'tasks.a.operation',
      task: 'a',
    })
    assert.equal(getRefusal({ a: {} }).details?.['field'], 'tasks.a.operation')
    for (const wrongName of ['', 'a b', 'ä', 'a\n', `${name}y`])
      assert.match(getRefusal({ [wrongName]: raw }).message, /is not a valid task name/)
    assert.equal(parseTasks({ [name]: raw, out: createExport(name) }).length, 2)
    assert.equal(parseTasks({ 'a-_1': raw, out: createExport('a-_1') })[0]?.name, 'a-_1')
    for (const invalidTasks of ['text', 1, undefined, null, []])
      assert.match(getRefusal({ a: invalidTasks }).message, /^tasks\.a: expected an object with an operation/)
  })

  test('the error for an invalid task keeps its cause for the log', () => {
    const cause = new Error('of the engine')
    const error = addTaskToError('a', new AppError('NO_FILES', 'It has no files.', undefined, { cause }))
    assert.ok(error instanceof AppError)
    assert.equal(error.cause, cause)
    // A field with the name of the task stands for the task itself.
    const sameError = addTaskToError('a', new AppError('NO_FILES', 'a: it has none.', { field: 'a' }))
    assert.deepEqual(sameError instanceof AppError && sameError.details, { field: 'tasks.a', task: 'a' })
  })

  test('a task may be the input of several tasks, but inputs must not form a cycle', () => {
    const createArchiveTask = (input: unknown) => ({ operation: 'archive', input })
    const branchingTasks = {
      out: createExport(['c', 'd']),
      d: createArchiveTask('b'),
      c: createArchiveTask(['b', 'a']),
      b: createArchiveTask('a'),
      a: raw,
    }
    assert.deepEqual(
      parseTasks(branchingTasks).map(({ name, input }) => [name, input]),
      [
        ['out', ['c', 'd']],
        ['d', ['b']],
        ['c', ['b', 'a']],
        ['b', ['a']],
        ['a', []],
      ],
    )
    const cycleError = getRefusal({
      a: raw,
      b: createArchiveTask(['a', 'd']),
      c: createArchiveTask('b'),
      d: createArchiveTask('c'),
      out: createExport(['b', 'd']),
    })
    assert.deepEqual(cycleError.details, {
      task: 'b',
      field: 'tasks.b.input',
      error: 'its inputs form a cycle that leads back to it',
    })
  })

  test('the task schemas of the API reference accept input and continue_on_error where tasks support them', () => {
    const task = (fields: object) => TaskMap.safeParse({ a: fields }).success
    assert.ok(task({ operation: 'archive', input: ['a', 'b'], continue_on_error: true }))
    assert.ok(!task({ operation: 'archive' }))
    assert.ok(task({ ...raw, continue_on_error: true }))
    assert.ok(!task({ ...createExport('a'), continue_on_error: true }))
    assert.match(TaskMap.description ?? '', /1000 tasks/)
    const ids = z.toJSONSchema(TaskMap, { io: 'input' }).$defs ?? {}
    for (const id of ['TaskConvert', 'TaskImportUrl', 'TaskMetadataWrite', 'TaskOcrPdf'])
      assert.ok(id in ids, id)
  })
})
