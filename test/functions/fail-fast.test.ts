import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { after, before } from '../hooks.ts'
import { type EmbeddedApp, openApp } from '../http/embedded-app.ts'

/** Errors that can be found without the file are reported when the request arrives, even if its file arrives later. */

let app: EmbeddedApp
before(async () => {
  app = await openApp()
})
after(() => app.close())

type Options = Readonly<Record<string, unknown>>

interface Row {
  readonly operation: string
  readonly options: Options
  readonly field: string
  readonly code?: string
  readonly from?: string
  readonly to?: string
}

const rows: readonly Row[] = [
  { operation: 'crop-pdf', options: {}, field: 'cropBox' },
  { operation: 'crop-pdf', options: { cropBox: '0,0,9,9', marginTop: '1cm' }, field: 'cropBox' },
  { operation: 'crop-pdf', options: { margin_left: '-5mm' }, field: 'marginLeft' },
  { operation: 'crop-pdf', options: { marginLeft: 'wide' }, field: 'marginLeft' },
  { operation: 'add-watermark-pdf', options: {}, field: 'watermarkText' },
  { operation: 'watermark', options: { watermarkText: '' }, field: 'watermarkText', from: 'png' },
  { operation: 'edit-pdf-metadata', options: {}, field: 'title' },
  { operation: 'metadata/write', options: { strip: 'false' }, field: 'title', from: 'jpg' },
  { operation: 'remove-pdf-pages', options: { pages: '1-last' }, field: 'pages' },
  { operation: 'extract-pdf-pages', options: { pages: '0-3' }, field: 'pages' },
  { operation: 'extract-pdf-pages', options: {}, field: 'pages', code: 'INVALID_REQUEST' },
  { operation: 'encrypt-pdf', options: {}, field: 'password', code: 'INVALID_REQUEST' },
  { operation: 'redact-pdf', options: {}, field: 'terms', code: 'INVALID_REQUEST' },
  { operation: 'rotate-pdf', options: { rotate: 45 }, field: 'rotate' },
  { operation: 'convert', from: 'mp4', to: 'gif', options: { start: '5', end: '00:00:05' }, field: 'end' },
  { operation: 'convert', from: 'wav', to: 'mp3', options: { start: 9, end: 3 }, field: 'end' },
  { operation: 'convert', from: 'png', to: 'jpg', options: { jpegQuality: 101 }, field: 'jpegQuality' },
  {
    operation: 'convert',
    from: 'docx',
    to: 'pdf',
    options: { pageSize: 'A5', marginLeft: '80mm', marginRight: '150mm' },
    field: 'marginLeft',
  },
]

const describeRow = ({ operation, options }: Row) => `${operation} ${JSON.stringify(options)}`

describe('checks of conversion requests', () => {
  test('POST /v1/convert/check refuses options that cannot work, and the error names the field', async () => {
    for (const row of rows) {
      const { operation, options, field, from = 'pdf', to, code = 'INVALID_INPUT' } = row
      const target = to ? { targetFormat: to } : { toolOperation: operation }
      const { status, json } = await app.send('POST', '/v1/convert/check', {
        body: { from, ...target, options },
      })
      assert.deepEqual(
        [status, json.error?.code, json.error?.details?.field],
        [400, code, field],
        describeRow(row),
      )
    }
  })

  test('combineImages requires images and a PDF target', async () => {
    const getInvalidField = async (path: string, body: object) => {
      const { status, json } = await app.send('POST', path, { body })
      return [status, json.error?.details?.field]
    }
    const combine = { combineImages: true, targetFormat: 'pdf' }
    const check = '/v1/convert/check'
    assert.deepEqual(await getInvalidField(check, { from: 'webp', ...combine }), [200, undefined])
    assert.deepEqual(await getInvalidField(check, { from: 'pdf', ...combine }), [400, 'from'])
    const toImage = { combineImages: true, targetFormat: 'webp' }
    assert.deepEqual(await getInvalidField(check, { from: 'png', ...toImage }), [400, 'targetFormat'])
    const fileUrl = 'https://example.com/a.png'
    assert.deepEqual(await getInvalidField('/v1/convert', { fileUrl, ...toImage }), [400, 'targetFormat'])
    const combineWithTool = { ...combine, toolOperation: 'compress' }
    assert.deepEqual(await getInvalidField(check, { from: 'png', ...combineWithTool }), [
      400,
      'combineImages',
    ])
    assert.deepEqual(await getInvalidField('/v1/convert', { fileUrl, ...combineWithTool }), [
      400,
      'combineImages',
    ])
  })

  test('an empty field counts as missing, unless the option may be empty', async () => {
    const check = async (body: object) => (await app.send('POST', '/v1/convert/check', { body })).status
    const imageRequest = { from: 'pdf', targetFormat: 'jpg' }
    assert.equal(await check({ ...imageRequest, pages: '', dpi: '', password: '' }), 200)
    assert.equal(await check({ ...imageRequest, pages: ' ' }), 400)
    assert.equal(await check({ from: 'pdf', toolOperation: 'extract-pdf-pages', pages: '' }), 400)
    assert.equal(await check({ from: 'pdf', toolOperation: 'edit-pdf-metadata', author: '' }), 200)
    // Without the password, the archive would not be protected.
    const archiveRequest = { from: 'pdf', toolOperation: 'archive', targetFormat: 'zip' }
    assert.equal(await check({ ...archiveRequest, password: 'key' }), 200)
    assert.equal(await check({ ...archiveRequest, password: '' }), 400)
  })

  test('a job that cannot work is refused at creation even if its file must still be fetched', async () => {
    for (const row of rows) {
      const { operation, options, field, to, code = 'INVALID_INPUT' } = row
      const tasks = {
        source: { operation: 'import/url', url: 'https://example.com/file' },
        work: { operation, input: 'source', options, ...(to && { output_format: to }) },
        out: { operation: 'export/url', input: 'work' },
      }
      const { status, json } = await app.send('POST', '/v1/jobs', { body: { tasks } })
      const path = `tasks.work.${field}`
      assert.deepEqual(
        [status, json.error?.code, json.error?.details?.field],
        [400, code, path],
        describeRow(row),
      )
    }
  })

  test('a workflow that cannot work is refused when it is saved', async () => {
    const tasks = {
      source: { operation: 'import/url', url: 'https://example.com/file' },
      work: { operation: 'crop-pdf', input: 'source' },
      out: { operation: 'export/url', input: 'work' },
    }
    const { status, json } = await app.send('POST', '/v1/workflows', {
      body: { name: 'crop', cron: '0 3 * * *', tasks },
    })
    assert.deepEqual([status, json.error.details.field], [400, 'tasks.work.cropBox'])
  })

  test('a boolean parameter is accepted in common spellings, and an empty one counts as missing', async () => {
    const check = async (strip: string) =>
      (
        await app.send('POST', '/v1/convert/check', {
          body: { from: 'jpg', toolOperation: 'metadata/write', strip },
        })
      ).status
    for (const yes of ['true', '1', 'yes', 'on', 'TRUE', 'Yes']) assert.equal(await check(yes), 200, yes)
    // Without `strip` there is nothing to do.
    for (const no of ['false', '0', 'no', 'OFF', '', 'maybe', 'constructor'])
      assert.equal(await check(no), 400, no)
    for (const [answer, status] of Object.entries({
      YES: 200,
      off: 200,
      '': 200,
      maybe: 400,
      constructor: 400,
    }))
      assert.equal(
        (await app.send('GET', '/v1/formats', { query: { canRead: answer } })).status,
        status,
        answer,
      )
  })

  test('POST /v1/convert/check accepts valid conversion options', async () => {
    for (const [body, name] of [
      [{ from: 'pdf', toolOperation: 'add-watermark-pdf', additionalFiles: 1 }, 'an image'],
      [{ from: 'pdf', toolOperation: 'edit-pdf-metadata', options: { title: '' } }, 'an empty title'],
      [{ from: 'mp4', targetFormat: 'gif', options: { start: '0:05', end: '0:06' } }, 'a range'],
      [{ from: 'pdf', toolOperation: 'crop-pdf', options: { marginTop: '0' } }, 'a margin'],
      [{ from: 'pdf', toolOperation: 'remove-pdf-pages', options: { pages: '2-last' } }, 'some pages'],
    ] as const) {
      const { status, json } = await app.send('POST', '/v1/convert/check', { body })
      assert.equal(status, 200, `${name}: ${JSON.stringify(json.error)}`)
    }
  })
})

describe('private IP addresses in requests', () => {
  const privateHosts = ['127.0.0.1', '10.1.2.3', '[::1]', 'localhost', '169.254.169.254', '0x7f000001']

  test('a job that imports from a private IP address is refused at creation, and the error names the field', async () => {
    for (const host of privateHosts)
      for (const [task, field] of [
        [{ operation: 'import/url', url: `http://${host}/a.png` }, 'url'],
        [{ operation: 'capture-website', url: `http://${host}/` }, 'url'],
        [{ operation: 'import/sftp', host, username: 'a', password: 'b', file: 'c.png' }, 'host'],
      ] as const) {
        const tasks = { a: task, out: { operation: 'export/url', input: 'a' } }
        const { status, json } = await app.send('POST', '/v1/jobs', { body: { tasks } })
        assert.deepEqual(
          [status, json.error?.code, json.error?.details?.field],
          [400, 'URL_NOT_ALLOWED', `tasks.a.${field}`],
          `${task.operation} ${host}`,
        )
      }
  })

  test('a private IP address in a conversion or import request is refused, and the error names the field as sent', async () => {
    const s3 = { bucket: 'files', region: 'a', access_key_id: 'a', secret_access_key: 'b', key: 'c' }
    const exportFields = { exportMethod: 's3', exportConfig: { ...s3, endpoint: 'http://10.0.0.1/' } }
    for (const [path, body, field] of [
      ['/v1/convert', { fileUrl: 'http://127.0.0.1/a.png', targetFormat: 'jpg' }, 'fileUrl'],
      ['/v1/import/url', { url: 'http://[::ffff:10.0.0.1]/' }, 'url'],
      ['/v1/convert/check', { from: 'png', targetFormat: 'jpg', ...exportFields }, 'exportConfig.endpoint'],
    ] as const) {
      const { status, json } = await app.send('POST', path, { body })
      assert.deepEqual(
        [status, json.error?.code, json.error?.details?.field],
        [400, 'URL_NOT_ALLOWED', field],
        path,
      )
    }
  })
})

describe('unknown names in requests', () => {
  const check = async (body: Options) => (await app.send('POST', '/v1/convert/check', { body })).json

  test('the error for a misspelled format name, or for a word such as Excel, suggests the format', async () => {
    for (const [targetFormat, suggestion] of [
      ['word', 'docx'],
      ['Excel', 'xlsx'],
      ['dcox', 'docx'],
      ['jpgg', 'jpg'],
      ['markdwon', 'md'],
    ]) {
      const { error } = await check({ from: 'pdf', targetFormat })
      assert.match(error.message, new RegExp(`Did you mean ${suggestion}\\?`))
      assert.deepEqual([error.code, error.details.suggestion], ['UNSUPPORTED_FORMAT', suggestion])
    }
    for (const targetFormat of ['qqqqqqqq', 'x'.repeat(200)]) {
      const { error } = await check({ from: 'pdf', targetFormat })
      assert.deepEqual([error.code, error.details.suggestion], ['UNSUPPORTED_FORMAT', undefined])
    }
    const { json } = await app.send('GET', '/v1/formats/exel')
    assert.equal(json.error.details.suggestion, 'xlsx')
  })

  test('the error for a misspelled tool or operation suggests the tool', async () => {
    for (const [toolOperation, suggestion] of [
      ['split', 'split-pdf'],
      ['protect', 'encrypt-pdf'],
      ['comprss-pdf', 'compress-pdf'],
    ]) {
      const { error } = await check({ from: 'pdf', toolOperation })
      assert.deepEqual([error.code, error.details.suggestion], ['INVALID_REQUEST', suggestion])
    }
    const tasks = { a: { operation: 'import/ulr', url: 'https://example.com' } }
    const { json } = await app.send('POST', '/v1/jobs', { body: { tasks } })
    assert.equal(json.error.code, 'INVALID_REQUEST')
    assert.match(json.error.message, /Did you mean import\/url\?$/)
  })

  test('a misspelled option is ignored with a warning that suggests the right one', async () => {
    const { data } = await check({ from: 'png', targetFormat: 'jpg', options: { qualty: 80 } })
    assert.match(data.warnings[0].message, /Did you mean quality\?$/)
  })

  test('the error for converting a PDF to PDF names the PDF tools', async () => {
    const { error } = await check({ from: 'pdf', targetFormat: 'pdf' })
    assert.equal(error.code, 'UNSUPPORTED_CONVERSION')
    assert.match(error.message, /set toolOperation to one of: .*split-pdf.*compress/)
    assert.ok(error.details.tools.includes('ocr-pdf') && error.details.targets.includes('docx'))
  })
})
