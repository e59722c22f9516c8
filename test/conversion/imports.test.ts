import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { describe, test } from 'node:test'
import { Files } from '../../lib/aws/files.ts'
import { openImports } from '../../lib/conversion/imports.ts'
import type { ImportSource } from '../../lib/conversion/job-request.ts'
import { startJob } from '../../lib/conversion/start-job.ts'
import { newId } from '../../lib/ids.ts'
import { maxInlineBytes } from '../../lib/tasks/import-base64.ts'
import { parseTasks } from '../../lib/tasks/parse-tasks.ts'
import { maxSingleUploadBytes } from '../../lib/uploads/uploads.ts'
import { createExport, importTask, openMaker, owner } from './job-maker.ts'

const maker = openMaker()

const createRawImport = (file: string, filename = 'a.txt') => ({ operation: 'import/raw', file, filename })
const createBase64Import = (file: string) => ({ operation: 'import/base64', file, filename: 'a.txt' })
const openTaskImports = (tasks: Record<string, object>, services = maker.app.services) =>
  openImports(parseTasks({ ...tasks, out: createExport(Object.keys(tasks)) }), {
    principal: { ownerId: owner },
    services,
  })
const requireSource = (importSource: ImportSource | undefined) => {
  assert.ok(importSource && 'source' in importSource)
  return importSource.source
}
const requireAwaited = (importSource: ImportSource | undefined) => {
  assert.ok(importSource && 'awaited' in importSource)
  return importSource
}
const isStored = async (key: string) => (await maker.app.services.files.head(key)) !== undefined
const withConfig = (change: object) => {
  const { services } = maker.app
  return { ...services, config: { ...services.config, ...change } }
}

describe('inline files in requests', () => {
  const bytes = Buffer.from('Grüße')

  test('an inline file is stored before its job, as UTF-8 text or decoded base64', async () => {
    const { imports } = await openTaskImports({
      a: createRawImport('Grüße', '../b.txt'),
      b: createBase64Import(bytes.toString('base64')),
    })
    for (const name of ['a', 'b']) {
      const source = requireSource(imports.get(name))
      assert.match(source.key, /^received\/2d\/upl_\w+$/)
      assert.deepEqual(
        [source.field, source.filename, source.size],
        ['file', name === 'a' ? 'b.txt' : 'a.txt', bytes.length],
      )
      assert.equal(source.sha256, createHash('sha256').update(bytes).digest('hex'))
      assert.deepEqual(Buffer.from(await source.read(1, 3)), bytes.subarray(1, 3))
      assert.deepEqual(Buffer.from(await maker.app.services.files.read(source.key, 0, 99)), bytes)
    }
  })

  test('an inline file may be standard, URL-safe or wrapped base64 or a data URL, and invalid base64 is rejected', async () => {
    const odd = Buffer.from([0xfb, 0xff, 0xfe, 0x01])
    for (const text of [
      '+//+AQ==',
      '-__-AQ',
      '+//+\r\nAQ==\n',
      'data:image/png;base64,+//+AQ==',
      'data:text/plain;charset=utf-8;base64,+//+AQ==',
    ]) {
      const { imports, discard } = await openTaskImports({ a: createBase64Import(text) })
      assert.deepEqual(Buffer.from(await requireSource(imports.get('a')).read(0, 9)), odd, text)
      await discard()
    }
    for (const text of ['AAAAA', 'A', 'AA=A', 'AA===', 'A A=', 'ä', 'xdata:image/png;base64,AAAA'])
      await assert.rejects(openTaskImports({ a: createBase64Import(text) }), {
        code: 'INVALID_INPUT',
        message: /^tasks\.a\.file: expected the content of the file in base64/,
        details: { field: 'tasks.a.file', task: 'a' },
      })
  })

  test('an inline file is deleted if its job is not created', async () => {
    const tasks = { a: createRawImport('a'), b: createRawImport('b') }
    const openedImports = await openTaskImports(tasks)
    const [keptSource, droppedSource] = ['a', 'b'].map((name) =>
      requireSource(openedImports.imports.get(name)),
    )
    assert.ok(keptSource && droppedSource)
    keptSource.adopt()
    await openedImports.discard()
    assert.deepEqual([await isStored(keptSource.key), await isStored(droppedSource.key)], [true, false])
    const openedAgain = await openTaskImports(tasks)
    const parsedTasks = parseTasks({ ...tasks, out: createExport(['a', 'b']) })
    await startJob(
      { owner, requestId: 'req_1', tasks: parsedTasks, imports: openedAgain.imports },
      maker.app.services,
    )
    await openedAgain.discard()
    for (const importSource of openedAgain.imports.values())
      assert.ok(await isStored(requireSource(importSource).key))
  })

  test('an inline file is deleted if another inline file of the request is invalid', async () => {
    const storedKeys: string[] = []
    const { config } = maker.app.services
    const files = new (class extends Files {
      override putBytes(key: string, ...args: [Uint8Array, string]) {
        storedKeys.push(key)
        return super.putBytes(key, ...args)
      }
    })(config)
    const services = { ...maker.app.services, files }
    await assert.rejects(openTaskImports({ a: createRawImport('a'), b: createBase64Import('A') }, services), {
      code: 'INVALID_INPUT',
    })
    assert.equal(storedKeys.length, 1)
    // No further import is started.
    const manyTasks = Object.fromEntries(
      Array.from({ length: 40 }, (_, at) => [`t${at}`, createRawImport(`${at}`)]),
    )
    await assert.rejects(openTaskImports({ b: createBase64Import('A'), ...manyTasks }, services), {
      code: 'INVALID_INPUT',
    })
    assert.ok(storedKeys.length < 20, `${storedKeys.length} were stored`)
    for (const key of storedKeys) assert.equal(await isStored(key), false)
  })

  test('an inline file must be within the limit for inline files and within the file size limit of the plan', async () => {
    const largeText = 'x'.repeat(maxInlineBytes + 1)
    await assert.rejects(openTaskImports({ a: createRawImport(largeText) }), {
      code: 'FILE_TOO_LARGE',
      message: 'tasks.a: The file is larger than the limit of 10 MiB.',
      details: { field: 'tasks.a.file', task: 'a', maxBytes: maxInlineBytes, size: maxInlineBytes + 1 },
    })
    const mib = 1024 ** 2
    const smallLimits = withConfig({ MAX_FILE_MB: 1 })
    await (await openTaskImports({ a: createRawImport('x'.repeat(mib)) }, smallLimits)).discard()
    await assert.rejects(openTaskImports({ a: createRawImport('x'.repeat(mib + 1)) }, smallLimits), {
      code: 'FILE_TOO_LARGE',
    })
  })

  test('inline files and uploads of a job request keep the order of the tasks that import them', async () => {
    const manyTasks = Object.fromEntries(
      Array.from({ length: 20 }, (_, at) => [`t${at}`, createRawImport(`${at}`)]),
    )
    const openedImports = await openTaskImports({
      ...manyTasks,
      u: importTask,
      f: { operation: 'import/url', url: 'https://a.test/' },
    })
    assert.deepEqual([...openedImports.imports.keys()], [...Object.keys(manyTasks), 'u'])
    await openedImports.discard()
    await openedImports.discard()
  })
})

describe('awaited uploads', () => {
  test('an awaited upload can be sent with a form or PUT within an hour', async () => {
    const sha256 = createHash('sha256').update('a').digest('hex')
    const requestedFields = { filename: '../b.txt', sha256, redirect: 'https://a.test/', max_file_size: 1000 }
    const { imports } = await openTaskImports({ a: { ...importTask, ...requestedFields } })
    const { awaited, form } = requireAwaited(imports.get('a'))
    assert.match(awaited.key, new RegExp(`^uploads/2d/${awaited.id}$`))
    const { filename, maxSize, contentType } = awaited
    assert.deepEqual(
      [awaited.owner, filename, maxSize, contentType],
      [owner, 'b.txt', 1000, 'application/octet-stream'],
    )
    const hoursUntil = (time: unknown) => (Date.parse(String(time)) - Date.parse(awaited.createdAt)) / 3.6e6
    // A client that starts just before the expiry needs time to send the file.
    assert.deepEqual([hoursUntil(form['expires_at']), hoursUntil(awaited.expiresAt)], [1, 2])
    assert.ok(Math.abs(Date.parse(awaited.createdAt) - Date.now()) < 60_000)
    const { parameters } = form['form'] as { parameters: Record<string, string> }
    assert.deepEqual(
      [parameters['key'], parameters['success_action_redirect'], parameters['x-amz-checksum-sha256']],
      [awaited.key, 'https://a.test/', Buffer.from(sha256, 'hex').toString('base64')],
    )
    const { url, headers } = form['put'] as { url: string; headers: Record<string, string> }
    const put = (body: string) => fetch(url, { method: 'PUT', headers, body })
    assert.equal((await put('b')).status, 400)
    assert.equal((await put('a')).status, 200)
    assert.ok(await isStored(awaited.key))
  })

  test('an awaited upload is limited by the size limits of PUT, the plan and the task', async () => {
    const getMaxBytes = async (fields: object, change: object = {}) => {
      const { imports } = await openTaskImports({ a: { ...importTask, ...fields } }, withConfig(change))
      return requireAwaited(imports.get('a')).awaited.maxSize
    }
    assert.equal(await getMaxBytes({}), maxSingleUploadBytes)
    assert.equal(await getMaxBytes({ max_file_size: 10 }), 10)
    assert.equal(await getMaxBytes({ max_file_size: 10 * maxSingleUploadBytes }), maxSingleUploadBytes)
    assert.equal(await getMaxBytes({}, { MAX_FILE_MB: 2 }), 2 * 1024 ** 2)
  })
})

test('while the disk is full, new files and uploads are rejected, but a stored upload can be used', async () => {
  const fullDisk = withConfig({ MIN_FREE_DISK_GB: 1e9 })
  for (const task of [createRawImport('a'), createBase64Import('AAAA'), importTask])
    await assert.rejects(openTaskImports({ a: task }, fullDisk), { code: 'INSUFFICIENT_DISK_SPACE' })
  const { id, key } = await maker.upload()
  await maker.app.services.files.putBytes(key, Buffer.from('a'), 'text/plain')
  const { imports } = await openTaskImports(
    { a: { ...importTask, upload_id: id, filename: 'c.txt' } },
    fullDisk,
  )
  const { field, filename } = requireSource(imports.get('a'))
  assert.deepEqual([field, filename], ['upload_id', 'c.txt'])
  const unknownId = newId('upl')
  await assert.rejects(openTaskImports({ a: { ...importTask, upload_id: unknownId } }), {
    code: 'UPLOAD_NOT_FOUND',
    details: { field: 'tasks.a.upload_id', task: 'a' },
  })
})
