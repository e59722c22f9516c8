import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { AppError } from '../../lib/errors.ts'
import { maxInlineBytes } from '../../lib/tasks/import-base64.ts'
import { findTaskOperation, findTransferOperation } from '../../lib/tasks/index.ts'
import { addTaskToError, parseTasks } from '../../lib/tasks/parse-tasks.ts'
import { TaskMap } from '../../lib/tasks/reference.ts'

const raw = { operation: 'import/raw', filename: 'a.md', file: '# A' }

const createExport = (input: unknown) => ({ operation: 'export/url', input })

describe('importing a file from a URL', () => {
  const { fields } = findTaskOperation('import/url') ?? {}
  const isWrong = (extraFields: object) =>
    fields?.safeParse({ url: 'https://a.test/', ...extraFields }).success === false

  test('an import from a URL accepts request headers, except reserved headers', () => {
    assert.equal(
      isWrong({ headers: { Authorization: 'Bearer x', 'x-a': '' }, sha256: 'A'.repeat(64), max_size: 1 }),
      false,
    )
    for (const name of [
      'Host',
      'connection',
      'Content-Length',
      'transfer-encoding',
      'upgrade',
      'te',
      'trailer',
    ])
      assert.ok(isWrong({ headers: { [name]: 'x' } }), name)
    for (const name of [
      'Keep-Alive',
      'expect',
      'range',
      'if-range',
      'accept-encoding',
      'Proxy-Authorization',
    ])
      assert.ok(isWrong({ headers: { [name]: 'x' } }), name)
    const createFields = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, at) => [`x-${at}`, '']))
    assert.deepEqual(
      [isWrong({ headers: createFields(20) }), isWrong({ headers: createFields(21) })],
      [false, true],
    )
    for (const headers of [{ 'a b': 'x' }, { a: 'x\r\nb: y' }, { a: 'x'.repeat(4001) }])
      assert.ok(isWrong({ headers }))
  })

  test('an import from a URL requires an HTTP URL, and a valid hash and size', () => {
    for (const moreFields of [
      { url: 'ftp://a.test/' },
      { url: 'a' },
      { sha256: 'a'.repeat(63) },
      { max_size: 0 },
      { x: 1 },
    ])
      assert.ok(isWrong(moreFields), JSON.stringify(moreFields))
  })
})

test('maxInlineBytes, the limit of a file inside a request, is 10 MiB', () => {
  assert.equal(maxInlineBytes, 10 * 1024 * 1024)
})

describe('parsing the tasks of a request', () => {
  test('the tasks of a request accept field names in either spelling, and keep options unchanged', () => {
    const tasks = {
      a: raw,
      b: { operation: 'convert', input: 'a', outputFormat: 'html', continueOnError: true, someOption: 1 },
      c: createExport(['b', 'a']),
    }
    const [a, b, c] = parseTasks(tasks)
    assert.deepEqual([a?.input, b?.input, c?.input], [[], ['a'], ['b', 'a']])
    assert.deepEqual([a?.continueOnError, b?.continueOnError], [false, true])
    assert.deepEqual(b?.fields, { output_format: 'html', someOption: 1 })
    assert.deepEqual(
      [a?.name, a?.operation.name, a?.fields],
      ['a', 'import/raw', { filename: 'a.md', file: '# A' }],
    )
  })

  const refusedRequests: [
    caseName: string,
    tasks: Record<string, unknown>,
    message: RegExp,
    task?: string,
  ][] = [
    ['no task', {}, /at least one task/],
    [
      'more than a thousand tasks',
      Object.fromEntries(Array.from({ length: 1001 }, (_, at) => [`t${at}`, raw])),
      /at most 1000/,
    ],
    [
      'a task name of 65 characters',
      { ['a'.repeat(65)]: raw },
      /^tasks\.a{64}: "a{64}" is not a valid task name/,
    ],
    ['a task that is a list', { a: [] }, /expected an object/],
    ['a task that is null', { a: null }, /expected an object/],
    [
      'an unknown operation',
      { a: { operation: 'fly' } },
      /"fly" does not exist; expected one of import\/upload,/,
    ],
    [
      'an unknown field',
      { a: { ...raw, extra: 1 } },
      /tasks\.a\.extra: not a field of import\/raw, which supports file, filename/,
    ],
    [
      'an import task with input',
      { a: { ...raw, input: 'b' }, b: raw, c: createExport('a') },
      /takes no input/,
    ],
    ['a missing input task', { a: raw, c: createExport('b') }, /names the task "b", which does not exist/],
    [
      'a task that is its own input',
      { b: { operation: 'convert', output_format: 'pdf', input: 'b' } },
      /is its own input/,
    ],
    [
      'an export as input',
      { a: raw, b: createExport('a'), c: createExport('b') },
      /input names b, but exports provide no files/,
    ],
    [
      'a task without input',
      { a: raw, b: { operation: 'export/url' }, c: createExport('a') },
      /tasks\.b: input is missing/,
    ],
    ['the same input twice', { a: raw, c: createExport(['a', 'a']) }, /names a task twice/],
    [
      'too many inputs of a task',
      { a: raw, b: raw, t: { operation: 'thumbnail', input: ['a', 'b'] }, c: createExport('t') },
      /at most 1 input tasks, got 2/,
    ],
    [
      'a task whose files are not used',
      { a: raw, b: raw, c: createExport('a') },
      /tasks\.b: no task uses its files/,
    ],
    [
      'a cycle of inputs',
      {
        a: raw,
        b: { operation: 'archive', input: ['a', 'd'] },
        d: { operation: 'extract', input: 'b' },
        c: createExport('d'),
      },
      /tasks\.b: its inputs form a cycle/,
    ],
  ]
  for (const [caseName, tasks, message] of refusedRequests) {
    test(`a request with ${caseName} is rejected`, () => {
      assert.throws(() => parseTasks(tasks), { name: 'AppError', message })
    })
  }

  test('the error for invalid task fields contains the path of each invalid field in the request', () => {
    assert.throws(
      () => parseTasks({ a: { ...raw, filename: '', file: 1 }, c: createExport('a') }),
      (error: { details: { field: string; task: string; errors: readonly { field: string }[] } }) => {
        const { field, errors, task } = error.details
        assert.deepEqual([field, task], ['tasks.a.file', 'a'])
        assert.deepEqual(
          errors.map((one) => one.field),
          ['tasks.a.file', 'tasks.a.filename'],
        )
        return true
      },
    )
  })

  test('the tasks of a request need an operation, valid inputs and a target in the documented fields', () => {
    for (const [task, message] of [
      [{}, 'operation: it is missing; expected the name of an operation such as import/upload or convert.'],
      [
        { operation: 'convert', input: [] },
        'input: expected the name of a task, an object with task and file, or a list of 1 to 1000 of them, got [].',
      ],
      [
        { operation: 'convert', input: ['a', 7] },
        'input.1: expected the name of a task, or an object with task and file, got 7.',
      ],
      [
        { operation: 'convert', input: 'a', targetFormat: 'pdf' },
        'output_format: it is missing; expected the id of a format such as pdf. Tasks name it output_format, not targetFormat.',
      ],
    ] as const)
      assert.throws(() => parseTasks({ a: raw, b: task }), { message: `tasks.b.${message}` })
  })

  test('tasks without a target, with an unknown engine or with unused files are rejected with details', () => {
    const tasksWithoutTarget = { a: raw, b: { operation: 'convert', input: 'a' }, c: createExport('b') }
    assert.throws(() => parseTasks(tasksWithoutTarget), {
      details: { field: 'tasks.b.output_format', task: 'b' },
    })
    const tasksWithUnknownEngine = {
      a: raw,
      b: { operation: 'convert', input: 'a', output_format: 'pdf', engine: 'word' },
    }
    assert.throws(
      () => parseTasks({ ...tasksWithUnknownEngine, c: createExport('b') }),
      (error: { details: Record<string, unknown> }) => {
        assert.equal(error.details['field'], 'tasks.b.engine')
        assert.ok(Array.isArray(error.details['expected']))
        return true
      },
    )
    assert.throws(() => parseTasks({ a: raw }), {
      details: {
        task: 'a',
        field: 'tasks.a',
        error: 'no task uses its files; add an export/url task with its name as input',
      },
    })
  })

  test('an error of the task graph names the input field of the task', () => {
    for (const b of [
      { operation: 'compress' },
      { operation: 'compress', input: 'none' },
      { operation: 'compress', input: 'b' },
      { operation: 'compress', input: ['a', 'a'] },
      { operation: 'compress', input: ['a', 'c'] },
      { ...raw, input: 'a' },
    ])
      assert.throws(
        () => parseTasks({ a: raw, b, c: createExport('b') }),
        ({ details }: { details: Record<string, unknown> }) => {
          assert.deepEqual([details['field'], details['task']], ['tasks.b.input', 'b'])
          return true
        },
        JSON.stringify(b),
      )
  })

  test('a request can contain up to a thousand tasks', () => {
    const manyTasks = Object.fromEntries(Array.from({ length: 999 }, (_, at) => [`t${at}`, raw]))
    assert.equal(parseTasks({ ...manyTasks, c: createExport(Object.keys(manyTasks)) }).length, 1000)
  })

  test('the task schema of the API reference accepts valid tasks, and rejects a missing or forbidden input', () => {
    const tasks = {
      a: raw,
      b: { operation: 'convert', input: ['a'], continue_on_error: true, output_format: 'pdf' },
    }
    assert.deepEqual(TaskMap.parse({ ...tasks, c: createExport('b') }), { ...tasks, c: createExport('b') })
    assert.equal(TaskMap.safeParse({ a: { operation: 'convert', output_format: 'pdf' } }).success, false)
    assert.equal(TaskMap.safeParse({ a: { ...raw, input: 'x' } }).success, false)
  })
})

describe('values sent to a store', () => {
  const s3 = { bucket: 'box', region: 'eu-central-1', access_key_id: 'AK', secret_access_key: 's' }
  const sftpFields = { host: 'example.com', username: 'me', password: 'p' }
  const blob = { storage_account: 'box', container: 'box', storage_access_key: 'a2V5' }
  const cases: readonly [string, Record<string, unknown>, string][] = [
    ['export/s3', { ...s3, metadata: { a: 'b\r\nx-amz-acl: public-read' } }, 'metadata.a'],
    ['export/s3', { ...s3, metadata: { a: 'ü' } }, 'metadata.a'],
    ['export/s3', { ...s3, metadata: { 'a: b': 'c' } }, 'metadata'],
    ['export/s3', { ...s3, cache_control: 'no-store\nx: y' }, 'cache_control'],
    ['export/s3', { ...s3, access_key_id: 'AK\r\nx: y' }, 'access_key_id'],
    [
      'export/blobstore',
      { ...blob, content_disposition: 'attachment; filename="ü.pdf"' },
      'content_disposition',
    ],
    ['export/blobstore', { ...blob, metadata: { a: '\n' } }, 'metadata.a'],
    ['export/gcs', { bucket: 'box', cache_control: '\r' }, 'cache_control'],
    ['export/sftp', { ...sftpFields, file: 'a\0b' }, 'file'],
    ['import/sftp', { ...sftpFields, path: 'a\0b' }, 'path'],
  ]
  for (const [name, fields, field] of cases)
    test(`the store operation ${name} rejects ${field} ${JSON.stringify(fields[field.split('.')[0] ?? ''])}`, () => {
      const { issues = [] } =
        findTransferOperation(name)?.fields.safeParse(fields).error ?? assert.fail('it is taken')
      assert.ok(
        issues.some(({ path }) => path.join('.').startsWith(field)),
        JSON.stringify(issues),
      )
    })

  test('export/s3 accepts metadata, content_disposition and key values that S3 can handle', () => {
    const acceptedTasks = {
      metadata: { 'x-a.b_c': 'd e~' },
      content_disposition: "attachment; filename*=UTF-8''%C3%A4.pdf",
    }
    assert.ok(
      findTransferOperation('export/s3')?.fields.safeParse({ ...s3, ...acceptedTasks, key: 'ü\n/{name}' })
        .success,
    )
  })
})

test('the error for an invalid task field contains the name of the task, truncated to the maximum length, and the field', () => {
  const long = 'x'.repeat(70)
  const error = addTaskToError(
    long,
    new AppError('INVALID_INPUT', 'dpi: expected a number.', { field: 'dpi', got: 1 }),
  )
  assert.ok(error instanceof AppError)
  const task = 'x'.repeat(64)
  assert.equal(error.message, `tasks.${task}.dpi: expected a number.`)
  assert.deepEqual(error.details, { field: `tasks.${task}.dpi`, got: 1, task })
  const plainError = addTaskToError('a', new AppError('NO_FILES', 'It has none.'))
  assert.ok(plainError instanceof AppError)
  assert.deepEqual(
    [plainError.message, plainError.details],
    ['tasks.a: It has none.', { field: 'tasks.a', task: 'a' }],
  )
  const bug = new TypeError('of a bug')
  assert.equal(addTaskToError('a', bug), bug)
})
