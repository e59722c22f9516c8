import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type * as z from 'zod'
import type { StoredFile } from '../../lib/model/job.ts'
import {
  findTaskOperation,
  findTransferOperation,
  getTransferQueue,
  isTransferOperation,
  requireProcessOperation,
  taskOperations,
} from '../../lib/tasks/index.ts'
import { TaskSpec } from '../../lib/tasks/operation.ts'
import { pdfToolOperations } from '../../lib/tasks/pdf-tools.ts'
import { file } from '../jobs/records.ts'

const pdf: StoredFile = { ...file('a.pdf'), format: 'pdf' }

const image: StoredFile = file('a.png')

const createSpec = (name: string, fields: Record<string, unknown>, files: readonly StoredFile[] = [pdf]) => {
  const operation = requireProcessOperation(name)
  return operation.toConversionSpec(files, operation.parseSpec(fields))
}

describe('the conversion spec of a task', () => {
  test('the conversion spec of a task has a target, an engine and a filename; all other fields are options', () => {
    const { parseSpec } = requireProcessOperation('convert')
    const fields = {
      output_format: 'JPEG',
      engine: 'VIPS',
      filename: 'b.jpg',
      dpi: 72,
      options: { quality: 5 },
    }
    assert.deepEqual(parseSpec(fields), {
      to: 'jpg',
      engine: 'vips',
      filename: 'b.jpg',
      options: { dpi: 72, quality: 5 },
    })
    assert.deepEqual(TaskSpec.parse(parseSpec(fields)), parseSpec(fields), 'and is that after it was stored')
    assert.deepEqual(parseSpec({ output_format: 'png', engine: 'auto' }), { to: 'png', options: {} })
    assert.throws(() => parseSpec({}), { code: 'INVALID_REQUEST', details: { field: 'output_format' } })
    assert.throws(() => parseSpec({ output_format: 'nothing' }), { code: 'UNSUPPORTED_FORMAT' })
    assert.throws(() => parseSpec({ output_format: 'png', engine: 'word' }), /expected one of .*vips/)
  })

  test('the conversion spec of a convert task has the operation convert, the target and the options', () => {
    assert.deepEqual(createSpec('convert', { output_format: 'docx', mode: 'fast' }), {
      operation: 'convert',
      to: 'docx',
      engine: undefined,
      options: { mode: 'fast' },
      additionalFilesField: 'input',
    })
  })

  test('the conversion spec of a compress task translates the profile to engine options', () => {
    const parseOperation = (fields: Record<string, unknown>, files?: StoredFile[]) => {
      const { operation, options } = createSpec('compress', fields, files)
      return [operation, options]
    }
    assert.deepEqual(parseOperation({ quality: 5 }), ['compress', { quality: 5 }])
    assert.deepEqual(parseOperation({ profile: 'web' }), ['compress', { quality: 'medium' }])
    assert.deepEqual(parseOperation({ profile: 'max' }, [image]), ['compress', { quality: 'low' }])
    // Explicit options override the profile.
    assert.deepEqual(parseOperation({ profile: 'max', quality: 7 }), ['compress', { quality: 7 }])
    assert.deepEqual(parseOperation({ profile: 'ebook', dpi: 9 }), [
      'compress-pdf',
      { dpi: 9, pdfQuality: 'ebook' },
    ])
    for (const profile of ['screen', 'ebook', 'printer', 'prepress', 'web', 'max', 'odd']) {
      const { success } = requireProcessOperation('compress').fields.safeParse({ input: 'a', profile })
      assert.equal(success, profile !== 'odd', profile)
    }
    assert.throws(() => parseOperation({ profile: 'ebook' }, [image]), {
      code: 'INVALID_INPUT',
      details: { field: 'profile', expected: ['web', 'max'] },
    })
  })

  test('the conversion spec of a merge task has the default target of merge_type, unless output_format is sent', () => {
    assert.equal(createSpec('merge', { merge_type: 'pdf' }).to, 'pdf')
    assert.equal(createSpec('merge', { merge_type: 'image' }).to, 'png')
    assert.equal(createSpec('merge', { merge_type: 'image', output_format: 'tiff' }).to, 'tiff')
    assert.equal(createSpec('merge', { merge_type: 'video' }).to, undefined)
    assert.deepEqual(createSpec('merge', { merge_type: 'pdf' }).options, {})
  })

  test('the conversion spec of a task without output_format has the default target of its operation', () => {
    const defaultTargets = [
      ['thumbnail', 'png'],
      ['metadata', 'json'],
      ['archive', 'zip'],
      ['watermark', undefined],
      ['extract', undefined],
    ] as const
    for (const [name, to] of defaultTargets) {
      assert.deepEqual([createSpec(name, {}).operation, createSpec(name, {}).to], [name, to])
      assert.equal(createSpec(name, { output_format: 'jpg' }).to, 'jpg')
    }
  })
})

describe('registered task operations', () => {
  test('a task operation is found by its name or alias', () => {
    for (const operation of taskOperations) {
      assert.equal(findTaskOperation(operation.name), operation)
      if (operation.alias) assert.equal(findTaskOperation(operation.alias), operation)
      if (operation.kind !== 'process')
        assert.throws(() => requireProcessOperation(operation.name), /is not a processing operation/)
    }
    assert.equal(findTaskOperation('toString'), undefined)
  })

  test('task operations declare the fields with credentials, URLs, headers and cookies as secrets', () => {
    const [s3, azure, gcs, sftp] = [
      ['access_key_id', 'secret_access_key', 'session_token'],
      ['sas_token', 'storage_access_key'],
      ['credentials'],
      ['password', 'private_key', 'passphrase'],
    ]
    const sealedFields = taskOperations.flatMap((taskOperation) =>
      'secrets' in taskOperation && taskOperation.secrets
        ? [[taskOperation.name, taskOperation.secrets]]
        : [],
    )
    assert.deepEqual(Object.fromEntries(sealedFields), {
      'import/url': ['url', 'headers'],
      'capture-website': ['url', 'headers', 'cookies'],
      'import/s3': s3,
      'import/blobstore': azure,
      'import/gcs': gcs,
      'import/sftp': sftp,
      'export/s3': s3,
      'export/blobstore': azure,
      'export/gcs': gcs,
      'export/sftp': sftp,
    })
    for (const kind of ['import', 'export'])
      assert.equal(findTaskOperation(`${kind}/blob`)?.name, `${kind}/blobstore`, 'as others call it')
  })

  test('the operation import/url rejects reserved and invalid request headers', () => {
    const { fields } = findTaskOperation('import/url') ?? {}
    const acceptsHeaders = (headers: Record<string, string>) =>
      fields?.safeParse({ url: 'https://a.test/b', headers }).success
    assert.equal(acceptsHeaders({ Authorization: 'Bearer x', 'X-Own': 'a\tb' }), true)
    for (const name of ['Host', 'Content-Length', 'TRANSFER-ENCODING', 'range', 'a b', 'ü', ''])
      assert.equal(acceptsHeaders({ [name]: 'x' }), false, name)
    for (const value of ['a\r\nb', 'ü', 'x'.repeat(4001)]) assert.equal(acceptsHeaders({ a: value }), false)
    const createFields = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, at) => [`h${at}`, 'x']))
    assert.deepEqual([acceptsHeaders(createFields(20)), acceptsHeaders(createFields(21))], [true, false])
  })

  test('the operation import/sftp requires either file or path, and a password or private key', () => {
    const { fields } = findTaskOperation('import/sftp') ?? {}
    const access = { host: 'a.test', username: 'ann', password: 'x' }
    const acceptsPlace = (pathFields: object) => fields?.safeParse({ ...access, ...pathFields }).success
    assert.deepEqual(
      [{ file: 'a' }, { path: 'b' }, {}, { file: 'a', path: 'b' }, { file: '' }, { file: 'a\0' }].map(
        acceptsPlace,
      ),
      [true, true, false, false, false, false],
    )
    assert.equal(
      fields?.safeParse({ host: 'a.test', username: 'ann', file: 'a' }).success,
      false,
      'no secret',
    )
    assert.deepEqual(
      [4096, 4097].map((length) => acceptsPlace({ file: 'x'.repeat(length) })),
      [true, false],
    )
    const getDescription = (name: string, field: string) =>
      findTaskOperation(name)?.fields.shape[field]?.description
    assert.match(getDescription('import/sftp', 'path') ?? '', /^Folder of the files/)
    assert.match(getDescription('import/s3', 'key_prefix') ?? '', /^Prefix of the file names/)
  })

  test('capture-website rejects invalid cookies and fields that its output_format does not support', () => {
    const { fields } = findTaskOperation('capture-website') ?? {}
    const findWrongFields = (givenFields: object) => {
      const { error } = fields?.safeParse({ url: 'https://a.test', ...givenFields }) ?? {}
      return error?.issues.map(({ path }) => path.join('.'))
    }
    assert.equal(findWrongFields({ output_format: 'png', width: 800, height: 600, scale: 4 }), undefined)
    assert.equal(findWrongFields({ output_format: 'jpg', quality: 50 }), undefined)
    assert.equal(findWrongFields({ cookies: { session: 'a=b' } }), undefined)
    for (const value of [';b', 'a;b', 'a b', 'a,', '"', 'x'.repeat(4001)])
      assert.deepEqual(
        findWrongFields({ cookies: { session: value } }),
        ['cookies.session'],
        value.slice(0, 9),
      )
    assert.deepEqual(findWrongFields({ output_format: 'png', quality: 50 }), ['quality'])
    assert.deepEqual(findWrongFields({ output_format: 'pdf', scale: 4 }), ['scale'])
    assert.deepEqual(findWrongFields({ output_format: 'jpg', scale: 0.1 }), ['scale'])
  })

  test('capture-website uses the capture queue, and imports and exports such as import/url use the transfer queue', () => {
    const queues = taskOperations
      .filter(isTransferOperation)
      .map((taskOperation) => [taskOperation.name, getTransferQueue(taskOperation)])
    assert.equal(Object.fromEntries(queues)['capture-website'], 'capture')
    assert.equal(Object.fromEntries(queues)['import/url'], 'transfer')
    assert.equal(Object.fromEntries(queues)['export/s3'], 'transfer')
    assert.equal(Object.fromEntries(queues)['export/url'], 'transfer', 'it packs several files')
    assert.equal(findTransferOperation('convert'), undefined)
  })
})

/** Number of input tasks of each operation. */
const inputs: Record<string, [min: number, max: number]> = {
  convert: [1, 1000],
  merge: [1, 1000],
  archive: [1, 1000],
  compress: [1, 1],
  thumbnail: [1, 1],
  watermark: [1, 2],
  metadata: [1, 1],
  'metadata/write': [1, 1],
  extract: [1, 1],
}

test('each process operation accepts the expected number of input tasks', () => {
  for (const [name, [min, max]] of Object.entries(inputs))
    assert.deepEqual(requireProcessOperation(name).inputs, { min, max }, name)
  for (const { name } of pdfToolOperations)
    assert.deepEqual(requireProcessOperation(name).inputs, { min: 1, max: 1000 }, name)
})

test('every task operation has a summary, and every field of a task operation has a description', () => {
  for (const { name, summary, fields } of taskOperations) {
    assert.match(summary, /^\p{Lu}.*[^.]$/u, name)
    // The shape of an object schema contains schemas.
    for (const [field, schema] of Object.entries(fields.shape))
      assert.ok((schema as z.ZodType).description, `${name} ${field}`)
  }
})

test('convert, thumbnail and split-pdf have the field output_format, and compress does not', () => {
  for (const [name, has] of [
    ['compress', false],
    ['convert', true],
    ['thumbnail', true],
    ['split-pdf', true],
  ] as const)
    assert.equal('output_format' in requireProcessOperation(name).fields.shape, has, name)
})

describe('tasks of external stores', () => {
  const access = {
    bucket: 'images',
    region: 'eu-central-1',
    access_key_id: 'a',
    secret_access_key: 'b',
  }
  const accepts = (name: string, fields: object) =>
    findTaskOperation(name)?.fields.safeParse({ ...access, ...fields }).success

  test('an import from an external store accepts a key or a prefix, but not both', () => {
    assert.equal(accepts('import/s3', { key: 'a' }), true)
    assert.equal(accepts('import/s3', { key_prefix: 'a' }), true)
    for (const wrongFields of [
      {},
      { key: 'a', key_prefix: 'a' },
      { key: '' },
      { key: 'a'.repeat(1025) },
      { key: 'a', x: 1 },
    ])
      assert.equal(accepts('import/s3', wrongFields), false, JSON.stringify(wrongFields).slice(0, 40))
    const container = {
      storage_account: 'images',
      container: 'images',
      storage_access_key: 'a',
    }
    const acceptsBlobName = (blob: string) =>
      findTaskOperation('import/blobstore')?.fields.safeParse({ ...container, blob }).success
    assert.deepEqual(['a', '', 'a'.repeat(1025)].map(acceptsBlobName), [true, false, false])
  })

  test('exports to S3, Google Cloud and Azure have the fields cache_control, content_disposition and metadata', () => {
    const keptFields = { cache_control: 'no-store', content_disposition: 'inline', metadata: { a: 'b' } }
    assert.equal(accepts('export/s3', { ...keptFields, acl: 'private', tagging: { a: 'b' } }), true)
    assert.equal(accepts('export/s3', { acl: 'everyone' }), false)
    for (const name of ['export/gcs', 'export/blobstore', 'export/s3']) {
      const { shape } = findTaskOperation(name)?.fields ?? { shape: {} }
      for (const field of Object.keys(keptFields)) assert.ok(field in shape, `${name} ${field}`)
    }
  })

  test('the task operations of external stores list the fields that are stored encrypted', () => {
    const getSecretFields = (name: string) => {
      const operation = findTaskOperation(name)
      return operation && 'secrets' in operation ? operation.secrets : undefined
    }
    for (const [store, secrets] of [
      ['s3', ['access_key_id', 'secret_access_key', 'session_token']],
      ['blobstore', ['sas_token', 'storage_access_key']],
      ['gcs', ['credentials']],
      ['sftp', ['password', 'private_key', 'passphrase']],
    ] as const)
      for (const way of ['import', 'export'])
        assert.deepEqual(getSecretFields(`${way}/${store}`), secrets, store)
    assert.deepEqual(getSecretFields('import/url'), ['url', 'headers'])
  })
})

describe('tasks of an SFTP server', () => {
  const accepts = (fields: object) =>
    findTaskOperation('import/sftp')?.fields.safeParse({ host: 'a', username: 'b', file: 'c', ...fields })
      .success

  test('import/sftp requires a password or a private key in a supported format', () => {
    assert.equal(accepts({ password: 'x' }), true)
    const createPemKey = (kind: string) => `-----BEGIN ${kind}-----\r\nAAAA\r\n-----END ${kind}-----\n`
    for (const kind of ['OPENSSH', 'RSA', 'EC'])
      assert.equal(accepts({ private_key: createPemKey(`${kind} PRIVATE KEY`) }), true, kind)
    assert.equal(
      accepts({ private_key: 'PuTTY-User-Key-File-2: ssh-rsa\nEncryption: none\nComment: a' }),
      true,
    )
    for (const key of [
      'x',
      createPemKey('PUBLIC KEY'),
      createPemKey('PRIVATE KEY'),
      createPemKey('EC PRIVATE KEY').replaceAll(/\r?\n/g, ' '),
      'ssh-rsa A',
    ])
      assert.equal(accepts({ private_key: key }), false, key)
    assert.equal(accepts({ passphrase: 'x' }), false)
  })

  test('import/sftp requires a valid host, port and host_key_fingerprint', () => {
    const acceptsFields = (fields: object) => accepts({ password: 'x', ...fields })
    for (const host of ['a.test', '10.0.0.1', '[::1]']) assert.equal(acceptsFields({ host }), true, host)
    for (const host of ['a b', 'a/b', 'sftp://a', '']) assert.equal(acceptsFields({ host }), false, host)
    assert.deepEqual(
      [0, 1, 65_535, 65_536].map((port) => acceptsFields({ port })),
      [false, true, true, false],
    )
    const createFingerprint = (length: number) => ({ host_key_fingerprint: `SHA256:${'a'.repeat(length)}` })
    assert.deepEqual([42, 43, 44].map(createFingerprint).map(acceptsFields), [false, true, false])
  })
})

test('each export to a store declares the fields of its target path', () => {
  const getPathFields = (name: string) => {
    const operation = findTaskOperation(name)
    return operation?.kind === 'export' ? operation.pathFields : undefined
  }
  for (const store of ['s3', 'gcs'])
    assert.deepEqual(getPathFields(`export/${store}`), { path: 'key', prefix: 'key_prefix' })
  assert.deepEqual(getPathFields('export/blobstore'), { path: 'blob', prefix: 'blob_prefix' })
  assert.deepEqual(getPathFields('export/sftp'), { path: 'file', prefix: 'path', isFolder: true })
})
