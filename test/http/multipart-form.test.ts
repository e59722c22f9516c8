import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { addAbortSignal, PassThrough, Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { describe, test } from 'node:test'
import type { Files } from '../../lib/aws/files.ts'
import { type FormOptions, readMultipartForm } from '../../lib/http/body/multipart-form.ts'
import { createFileTooLargeError } from '../../lib/uploads/size-errors.ts'

/** Creates an in-memory bucket with the methods that forms use. If `storeError` is given, storing a file throws it. */
function createBucket(storeError?: Error) {
  const storedFiles = new Map<string, Buffer>()
  const deletions: (readonly string[])[] = []
  const files = {
    putStream: async (key: string, stream: Readable, _type: string, signal: AbortSignal) => {
      if (storeError) throw storeError
      storedFiles.set(key, Buffer.alloc(0))
      storedFiles.set(key, await buffer(addAbortSignal(signal, stream)))
    },
    read: async (key: string, start: number, end: number) => storedFiles.get(key)?.subarray(start, end),
    delete: async (keys: readonly string[]) => {
      deletions.push(keys)
      for (const key of keys) storedFiles.delete(key)
    },
  } as unknown as Files
  return { stored: storedFiles, deletions, files }
}

async function read(form: FormData, files: Files, moreOptions: Partial<FormOptions> = {}) {
  const request = new Request('http://localhost', { method: 'POST', body: form })
  const headers = { 'content-type': request.headers.get('content-type') ?? '' }
  const body = Readable.from([Buffer.from(await request.arrayBuffer())])
  return readMultipartForm(body, {
    headers,
    fileFields: ['file', 'image'],
    maxFileBytes: 1000,
    files,
    retentionHours: 24,
    ...moreOptions,
  })
}

const createForm = (fieldCount: number, fileCount = 0) => {
  const form = new FormData()
  for (let at = 0; at < fieldCount; at++) form.append(`field-${at}`, `${at}`)
  for (let at = 0; at < fileCount; at++) form.append('file', new Blob([`${at}`]), `${at}.txt`)
  return form
}

describe('parsing multipart forms', () => {
  test('the files of a form are stored in the bucket with their size and hash', async () => {
    const { stored, files, deletions } = createBucket()
    const content = Buffer.from(Array.from({ length: 1000 }, (_, at) => at % 256))
    const form = createForm(2)
    form.append('file', new Blob([content]), 'folder/grüße.bin')
    form.append('image', new Blob([]), 'b.png')
    const result = await read(form, files)
    assert.deepEqual(result.fields, { 'field-0': '0', 'field-1': '1' })
    const [one, otherFile] = result.files
    assert.ok(one && otherFile)
    assert.deepEqual([one.field, one.filename, one.size], ['file', 'grüße.bin', 1000])
    assert.equal(one.sha256, createHash('sha256').update(content).digest('hex'))
    assert.deepEqual([otherFile.field, otherFile.filename, otherFile.size], ['image', 'b.png', 0])
    assert.match(one.key, /^received\/2d\/upl_/)
    assert.deepEqual(stored.get(one.key), content)
    assert.deepEqual(Buffer.from(await one.read(10, 20)), content.subarray(10, 20))
    one.adopt()
    await result.discard()
    assert.deepEqual([...stored.keys()], [one.key])
    otherFile.adopt()
    await result.discard()
    assert.equal(deletions.length, 1, 'no file is left to delete')
  })

  test('bytes of a form file that are no longer in memory are read from the bucket', async () => {
    const { files } = createBucket()
    const content = Buffer.from(Array.from({ length: 200_000 }, (_, at) => at % 251))
    const form = createForm(0)
    form.append('file', new Blob([content]), 'a.bin')
    const [one] = (await read(form, files, { maxFileBytes: 200_000 })).files
    assert.deepEqual(Buffer.from((await one?.read(0, 150_000)) ?? []), content.subarray(0, 150_000))
  })

  test('a form with a file over the limit leaves no object in the bucket, and a file of exactly the limit is accepted', async () => {
    const { stored, files } = createBucket()
    const createFormOfSize = (bytes: number) => {
      const form = createForm(0, 1)
      form.append('file', new Blob([Buffer.alloc(bytes)]), 'a.bin')
      return form
    }
    await assert.rejects(read(createFormOfSize(1001), files), {
      code: 'FILE_TOO_LARGE',
      message: 'The file is larger than the limit of 0 MiB.',
      details: { field: 'file', maxBytes: 1000 },
    })
    assert.equal(stored.size, 0)
    assert.equal((await read(createFormOfSize(1000), files)).files.length, 2)
    assert.deepEqual(createFileTooLargeError(5 * 1024 ** 2, 7).details, {
      field: 'file',
      maxBytes: 5 * 1024 ** 2,
      size: 7,
    })
    assert.match(createFileTooLargeError(5.9 * 1024 ** 2).message, / 5 MiB\./)
  })

  test('a multipart form with too many fields or parts is refused', async () => {
    const { files, stored } = createBucket()
    const largestForm = await read(createForm(200, 200), files)
    assert.deepEqual([Object.keys(largestForm.fields).length, largestForm.files.length], [200, 200])
    await largestForm.discard()
    for (const form of [createForm(201), createForm(200, 201), createForm(0, 401)])
      await assert.rejects(read(form, files), { code: 'INVALID_REQUEST', details: { max: 400 } })
    assert.equal(stored.size, 0)
  })

  test('form fields over 1 MiB, repeated form fields and files in unexpected form fields are rejected', async () => {
    const { files } = createBucket()
    const of = (...pairs: [name: string, value: string | Blob][]) => {
      const form = createForm(0)
      for (const [name, value] of pairs)
        if (typeof value === 'string') form.append(name, value)
        else form.append(name, value, 'a.bin')
      return form
    }
    const maxField = 'x'.repeat(1024 ** 2)
    assert.equal((await read(of(['text', maxField]), files)).fields['text']?.length, maxField.length)
    await assert.rejects(read(of(['text', `${maxField}x`]), files), {
      code: 'INVALID_INPUT',
      details: { field: 'text' },
    })
    await assert.rejects(read(of(['text', 'a'], ['text', 'b']), files), { details: { field: 'text' } })
    assert.deepEqual((await read(of(['toString', 'a']), files)).fields, { toString: 'a' })
    await assert.rejects(read(of(['file', 'photo'], ['file', 'photo']), files), {
      code: 'NO_FILES',
      message: /^file: expected a file, got a field without a file name\. .* filename="photo\.png"\.$/,
      details: { field: 'file' },
    })
    assert.deepEqual((await read(of(['file', '']), files)).fields, { file: '' }, 'a file that was not chosen')
    await assert.rejects(read(of(['other', new Blob(['x'])]), files), {
      code: 'INVALID_INPUT',
      message: 'other: unexpected file. Send it in the field `file` or `image`.',
      details: { field: 'other', expected: ['file', 'image'] },
    })
  })

  test('a form whose file cannot be stored fails with the error of the bucket', async () => {
    const { files } = createBucket(new Error('the bucket is away'))
    await assert.rejects(read(createForm(1, 3), files), { message: 'the bucket is away' })
  })

  test('an incomplete form, or one without a boundary, is refused and leaves no object in the bucket', async () => {
    const { files, stored } = createBucket()
    const options = { fileFields: ['file'], maxFileBytes: 1000, files, retentionHours: 24 }
    const send = (body: Readable, type: string | undefined = 'multipart/form-data; boundary=x') =>
      readMultipartForm(body, { ...options, headers: { 'content-type': type } })
    await assert.rejects(send(Readable.from([]), 'multipart/form-data'), {
      message: /with a boundary, got none/,
    })
    const head = '--x\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\nsome'
    await assert.rejects(send(Readable.from([Buffer.from(head)])), { message: /incomplete or malformed/ })
    const truncatedForm = new PassThrough()
    truncatedForm.write(head)
    setImmediate(() => truncatedForm.destroy(new Error('reset')))
    await assert.rejects(send(truncatedForm), {
      code: 'INVALID_REQUEST',
      message: /connection was closed before the whole/,
    })
    assert.equal(stored.size, 0)
  })

  test('a form with a control character in a file name is rejected, and the error names the field and the character', async () => {
    const { files, stored } = createBucket()
    const options = { fileFields: ['file'], maxFileBytes: 1_000_000, files, retentionHours: 24 }
    const send = (text: string, chunkBytes: number) => {
      const bytes = Buffer.from(text)
      const chunks = Array.from({ length: Math.ceil(bytes.length / chunkBytes) }, (_, at) =>
        bytes.subarray(at * chunkBytes, (at + 1) * chunkBytes),
      )
      const headers = { 'content-type': 'multipart/form-data; boundary="x y"' }
      return readMultipartForm(Readable.from(chunks), { ...options, headers })
    }
    const createPart = (disposition: string, content = '\u0001 \u0007') =>
      `--x y\r\nContent-Disposition: form-data; ${disposition}\r\n\r\n${content}\r\n`
    // The content may contain characters that are rejected in names.
    const fileBefore = createPart('name="file"; filename="b.bin"', '\u0002'.repeat(100_000))
    for (const [code, character] of [
      ['\u0000', 'U+0000'],
      ['\u0007', 'U+0007'],
      ['\u001b', 'U+001B'],
      ['\u007f', 'U+007F'],
      ['\n', 'U+000A'],
      ['\r', 'U+000D'],
    ])
      for (const chunkBytes of [7, 65_536])
        for (const partsBefore of ['', fileBefore])
          await assert.rejects(
            send(
              `${partsBefore}${createPart(`name="file"; filename="a${code}b.txt"`)}--x y--\r\n`,
              chunkBytes,
            ),
            {
              code: 'INVALID_REQUEST',
              message: `file: the name of the file or field contains the control character ${character}. Remove it, or percent-encode it.`,
              details: { field: 'file', character },
            },
          )
    await assert.rejects(send('--x y\r\nContent Disposition\r\n\r\n--x y--\r\n', 100), {
      message: 'A part of the form has a malformed header. Let your HTTP client create the form.',
    })
    assert.equal(stored.size, 0)
  })
})
