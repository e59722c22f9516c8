import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { describe, test } from 'node:test'
import type * as z from 'zod'
import { CaptureFields } from '../../lib/capture/capture-fields.ts'
import { findPublicOperation, findTaskOperation, taskOperations } from '../../lib/tasks/index.ts'
import { packResultsOperation } from '../../lib/tasks/pack-results.ts'

const conversionFields = 'output_format? engine? filename? options?'

const s3 =
  'bucket region endpoint? access_key_id secret_access_key session_token? path_style? key? key_prefix?'

const blob = 'storage_account container sas_token? storage_access_key? endpoint? blob? blob_prefix?'

const gcs = 'bucket project_id? credentials key? key_prefix?'

const sftpFields =
  'host port=22 username password? private_key? passphrase? host_key_fingerprint? file? path?'

const keptFields = 'cache_control? content_disposition? metadata?'
const archiveField = 'archive_multiple_files?'

/** The fields in order, with optional fields and defaults marked. */
const documentedFields: readonly (readonly [name: string, fields: string])[] = [
  ['import/upload', 'upload_id? filename? redirect? sha256? max_file_size?'],
  ['import/base64', 'file filename'],
  ['import/raw', 'file filename'],
  ['import/url', 'url filename? headers? sha256? max_size?'],
  ['import/s3', s3],
  ['import/blobstore import/blob', blob],
  ['import/gcs', gcs],
  ['import/sftp', sftpFields],
  [
    'capture-website',
    `url output_format=pdf filename? headers? cookies? wait_until=load wait_for_element? wait_time=0 timeout=30 width?
     height? full_page? scale? quality? page_size? landscape? margin_top? margin_right? margin_bottom? margin_left?
     header_text? footer_text? print_background?`,
  ],
  ['convert', conversionFields],
  ['compress', 'engine? filename? options? profile?'],
  ['merge', `${conversionFields} merge_type?`],
  ...['thumbnail', 'watermark', 'metadata', 'metadata/write', 'archive', 'extract'].map(
    (name) => [name, conversionFields] as const,
  ),
  ...`ocr-pdf split-pdf encrypt-pdf decrypt-pdf rotate-pdf compress-pdf to-pdfa extract-pdf-pages remove-pdf-pages
      extract-pdf-images add-watermark-pdf merge-pdf flatten-pdf repair-pdf reorder-pdf-pages add-page-numbers-pdf
      edit-pdf-metadata linearize-pdf crop-pdf redact-pdf sanitize-pdf grayscale-pdf remove-blank-pages-pdf pdf-info`
    .split(/\s+/)
    .map((name) => [name, conversionFields] as const),
  ['export/url', `inline? filename? ${archiveField} expires_in?`],
  [
    'export/s3',
    `${s3} acl? cache_control? content_disposition? metadata? server_side_encryption? tagging? ${archiveField}`,
  ],
  ['export/blobstore export/blob', `${blob} ${keptFields} ${archiveField}`],
  ['export/gcs', `${gcs} acl? ${keptFields} ${archiveField}`],
  ['export/sftp', `${sftpFields} ${archiveField}`],
]

test('task operations have the documented names, fields and defaults', () => {
  const shownOperations = taskOperations.map(({ name, alias, fields }) => {
    const each = Object.entries(fields.shape as Record<string, z.ZodType>).map(([field, schema]) => {
      const { success, data } = schema.safeParse(undefined)
      return data === undefined ? `${field}${success ? '?' : ''}` : `${field}=${data}`
    })
    return [alias ? `${name} ${alias}` : name, each.join(' ')]
  })
  assert.deepEqual(
    shownOperations,
    documentedFields.map(([name, fields]) => [name, fields.replace(/\s+/g, ' ')]),
  )
  const listKinds = (kind: string) =>
    taskOperations.filter((taskOperation) => taskOperation.kind === kind).map(({ name }) => name)
  assert.deepEqual(
    listKinds('export'),
    [...'url s3 blobstore gcs sftp'.split(' ')].map((name) => `export/${name}`),
  )
  for (const name of listKinds('import')) assert.match(name, /^import\/|^capture-website$/)
  for (const name of listKinds('process')) assert.doesNotMatch(name, /port\/|^capture/)
})

test('every task operation has a summary, and every operation of a store has an implementation', async () => {
  for (const operation of taskOperations) {
    assert.doesNotMatch(operation.summary, /undefined/)
    const { find, capture, openStore } = operation as {
      [Name in 'find' | 'capture' | 'openStore']?: () => Promise<unknown>
    }
    const load = find ?? capture ?? openStore
    if (load) assert.equal(typeof (await load()), 'function', operation.name)
    const isExternal = operation.kind !== 'process' && !/\/(upload|base64|raw|url)$/.test(operation.name)
    if (isExternal || operation.name === 'import/url') assert.ok(load, operation.name)
  }
})

test('the operation import/results, which packs results, cannot be requested by clients', () => {
  assert.equal(findTaskOperation('import/results'), packResultsOperation)
  assert.equal(findPublicOperation('import/results'), undefined)
  assert.equal(findPublicOperation('none'), undefined)
  assert.equal(findPublicOperation('convert')?.name, 'convert')
  const { kind, packs, fields } = packResultsOperation
  assert.deepEqual([kind, packs], ['import', true])
  const wantedFields = {
    jobIds: ['job_1'],
    tasks: ['a'],
    folders: { job_1: 'b' },
    filename: 'c',
    manifest: true,
  }
  assert.deepEqual(fields.parse(wantedFields), wantedFields)
  assert.equal(fields.safeParse({ ...wantedFields, jobIds: [] }).success, false)
})

describe('validation of field values', () => {
  const blobAccess = { storage_account: 'box', container: 'box', storage_access_key: 'a' }
  const { privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 1024,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  })
  const otherKey = generateKeyPairSync('ec', {
    namedCurve: 'P-256',
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  })
  const key = { client_email: 'a@b.test', private_key: privateKey }
  const wholeTasks: Readonly<Record<string, Record<string, unknown>>> = {
    'import/upload': {},
    'import/raw': { file: 'a', filename: 'a' },
    'import/base64': { file: 'a', filename: 'a' },
    'import/url': { url: 'https://a.test/' },
    'export/s3': { bucket: 'box', region: 'a', access_key_id: 'a', secret_access_key: 'a' },
    'export/blobstore': blobAccess,
    'export/gcs': { bucket: 'box', credentials: key },
    'import/gcs': { bucket: 'box', credentials: key, key: 'a' },
    'import/sftp': { host: 'a.test', username: 'a', password: 'a', file: 'a' },
    'export/sftp': { host: 'a.test', username: 'a', password: 'a' },
    'export/url': {},
    convert: { output_format: 'pdf' },
    merge: {},
    'capture-website': { url: 'https://a.test/' },
  }
  const long = (length: number) => 'x'.repeat(length)
  const hex = 'aB3'.repeat(22).slice(0, 64)
  const createSshKey = (length: number) => {
    const [begin, end] = ['-----BEGIN RSA PRIVATE KEY-----\n', '\n-----END RSA PRIVATE KEY-----']
    return `${begin}${long(length - begin.length - end.length)}${end}`
  }
  /** Values at the limit that are accepted, and values that are not. */
  const limits: readonly (readonly [name: string, field: string, taken: unknown[], refused: unknown[]])[] = [
    ['import/upload', 'filename', ['a', long(1024)], ['', long(1025)]],
    [
      'import/upload',
      'redirect',
      ['https://a.test/', 'http://a.test/'],
      ['ftp://a.test/', 'javascript:a', 'a'],
    ],
    ['import/upload', 'sha256', [hex], [long(64), `${hex}0`, hex.slice(1), `${hex.slice(1)}g`]],
    ['import/upload', 'max_file_size', [1], [0, 1.5, '1']],
    ['import/raw', 'file', ['a'], ['']],
    ['import/raw', 'filename', [long(1024)], ['', long(1025)]],
    ['import/base64', 'file', ['a'], ['']],
    ['import/url', 'url', [`https://a.test/${long(4081)}`], [`https://a.test/${long(4082)}`]],
    ['import/url', 'filename', [long(1024)], ['', long(1025)]],
    ['import/url', 'sha256', [hex], [`${hex}0`, `0${hex}`]],
    ['import/url', 'max_size', [1], [0, 1.5]],
    [
      'import/url',
      'headers',
      [{ [long(100)]: long(4000) }, {}],
      [{ [long(101)]: 'a' }, { a: 'b\n' }, { 'a:': 'b' }],
    ],
    ['export/s3', 'bucket', ['abc', long(255)], ['ab', long(256)]],
    ['export/s3', 'region', ['a', long(64)], ['', long(65)]],
    ['export/s3', 'endpoint', ['https://a.test', 'http://a.test'], ['ftp://a.test', 'a.test']],
    ['export/s3', 'access_key_id', [long(256)], ['', long(257), 'a b', 'a\n']],
    ['export/s3', 'secret_access_key', [long(256), 'ü'], ['', long(257)]],
    ['export/s3', 'session_token', [long(8192)], [long(8193), 'a b']],
    [
      'export/s3',
      'acl',
      'private public-read public-read-write authenticated-read bucket-owner-full-control'.split(' '),
      ['publicRead'],
    ],
    ['export/s3', 'cache_control', [long(256)], [long(257)]],
    ['export/s3', 'content_disposition', [long(512)], [long(513)]],
    ['export/s3', 'metadata', [{ 'a.b-c_1': '' }], [{ 'a b': 'c' }, { '': 'c' }, { é: 'c' }]],
    ['export/s3', 'server_side_encryption', ['AES256', 'aws:kms'], ['none']],
    ['export/blobstore', 'storage_account', ['abc', long(24)], ['ab', long(25), 'aBc', 'a-b']],
    [
      'export/blobstore',
      'container',
      ['abc', '$root', long(63), '1-a'],
      ['ab', long(64), '-ab', 'aBc', '$rooty'],
    ],
    ['export/blobstore', 'sas_token', [long(4096)], ['', long(4097)]],
    ['export/blobstore', 'storage_access_key', [long(256)], ['', long(257)]],
    [
      'export/blobstore',
      'metadata',
      [{ _a1: 'b' }, { a: 'b' }],
      [{ '1a': 'b' }, { 'a-b': 'c' }, { ' a': 'b' }],
    ],
    ['export/gcs', 'bucket', ['a.b', 'a_-1', long(222)], ['ab', long(223), '-ab', 'ab-', 'aBc']],
    ['export/gcs', 'project_id', [long(256)], [long(257)]],
    [
      'export/gcs',
      'acl',
      'authenticatedRead bucketOwnerFullControl bucketOwnerRead private projectPrivate publicRead'.split(' '),
      ['public-read'],
    ],
    ['export/gcs', 'metadata', [{ 'ä b': 'ö' }], [{ a: 1 }]],
    [
      'export/gcs',
      'credentials',
      [key, { ...key, type: 'service_account', other: 1 }],
      [
        ...[{ ...key, type: 'authorized_user' }, { ...key, client_email: 'a' }, {}],
        ...[
          { ...key, private_key: otherKey.privateKey },
          { ...key, private_key: 'a' },
        ],
      ],
    ],
    ['import/gcs', 'key', [long(1024)], ['', long(1025)]],
    ['import/sftp', 'host', [`${long(249)}.com`, '[::1]'], [`${long(250)}.com`, 'a_b c']],
    ['import/sftp', 'username', ['a', long(256)], ['', long(257)]],
    ['import/sftp', 'password', [long(1024)], ['', long(1025)]],
    ['import/sftp', 'private_key', [createSshKey(16_384)], ['', createSshKey(16_385), long(16_384)]],
    ['import/sftp', 'passphrase', ['', long(1024)], [long(1025)]],
    ['export/sftp', 'file', ['a', long(4096)], ['', long(4097)]],
    ['export/url', 'filename', ['a', long(200)], ['', long(201)]],
    ['export/url', 'inline', [true, false], ['true']],
    ['convert', 'filename', ['a', long(200)], ['', long(201)]],
    ['convert', 'options', [{ a: 1 }], ['a', 1]],
    ['merge', 'merge_type', ['pdf', 'video', 'audio', 'image'], ['archive']],
    [
      'capture-website',
      'url',
      [`https://a.test/${long(4081)}`, 'http://a.test'],
      ['ftp://a.test', `https://a.test/${long(4082)}`],
    ],
    ['capture-website', 'output_format', ['pdf', 'png', 'jpg', 'webp', 'jpeg'], ['gif']],
    ['capture-website', 'filename', ['a', long(200)], ['', long(201)]],
    [
      'capture-website',
      'cookies',
      [{ [long(100)]: long(4000) }, { a: '' }],
      [{ [long(101)]: 'a' }, { a: long(4001) }, { 'a=': 'b' }],
    ],
    ['capture-website', 'wait_until', ['load', 'domcontentloaded', 'networkidle0', 'networkidle2'], ['idle']],
    ['capture-website', 'wait_for_element', ['a', long(500)], ['', long(501)]],
    ['capture-website', 'wait_time', [0, 30_000], [-1, 30_001, 1.5]],
    ['capture-website', 'timeout', [1, 90], [0, 91, 1.5]],
    ['capture-website', 'scale', [0.1, 2], [0.09, 2.1]],
  ]
  for (const [name, field, acceptedValue, refusedValue] of limits)
    test(`${name} accepts valid values of ${field} and rejects invalid values`, () => {
      const { fields } = findTaskOperation(name) ?? assert.fail('there is none')
      const findWrongFields = (value: unknown) => {
        const { error } = fields.safeParse({ ...wholeTasks[name], [field]: value })
        return error && [...new Set(error.issues.map(({ path }) => path[0]))]
      }
      for (const value of acceptedValue)
        assert.equal(findWrongFields(value), undefined, String(value).slice(0, 80))
      for (const value of refusedValue)
        assert.deepEqual(findWrongFields(value), [field], String(value).slice(0, 80))
    })

  test('capture-website accepts at most 50 cookies', () => {
    const acceptsCookies = (count: number) => {
      const cookies = Object.fromEntries(Array.from({ length: count }, (_, at) => [`c${at}`, 'x']))
      return CaptureFields.safeParse({ url: 'https://a.test', cookies }).success
    }
    assert.deepEqual([acceptsCookies(50), acceptsCookies(51)], [true, false])
  })

  test('if alternative SFTP fields such as file and path are missing or conflict, the error names the first field', () => {
    const getFieldErrors = (name: string, fields: object) =>
      findTaskOperation(name)
        ?.fields.safeParse(fields)
        .error?.issues.map(({ path, message }) => [path.join('.'), message])
    const server = { host: 'a.test', username: 'a' }
    for (const name of ['import/sftp', 'export/sftp'])
      assert.deepEqual(getFieldErrors(name, { ...server, file: 'a' }), [
        ['password', 'expected password or private_key'],
      ])
    const expectedErrors = [['file', 'expected either file or path']]
    assert.deepEqual(getFieldErrors('import/sftp', { ...server, password: 'a' }), expectedErrors)
    assert.deepEqual(
      getFieldErrors('import/sftp', { ...server, password: 'a', file: 'a', path: 'b' }),
      expectedErrors,
    )
  })
})
