import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import * as z from 'zod'
import type { Files } from '../../lib/aws/files.ts'
import { readRequestBody } from '../../lib/http/body/body.ts'
import { limitBody } from '../../lib/http/body/body-limit.ts'
import { type BodyKind, contract, type HttpEvent } from '../../lib/http/contract.ts'
import { openAccess } from '../../lib/model/principal.ts'

const createContract = (...accepts: [BodyKind, ...BodyKind[]]) =>
  contract({
    method: 'POST',
    path: '/texts',
    access: openAccess,
    tag: 'Test',
    summary: 'Takes a text.',
    body: { accepts, schema: z.object({ text: z.string() }) },
    reply: { status: 200, schema: z.object({}) },
    handle: () => ({ data: {} }),
  })

/** Bodies without files never reach the bucket. */
const noFiles = { files: {} as Files, maxFileBytes: 1, retentionHours: 1 }

async function read(
  type: string | undefined,
  event: Partial<HttpEvent>,
  takes = createContract('json', 'form'),
) {
  const headers = type === undefined ? {} : { 'content-type': type }
  return (await readRequestBody({ headers, ...event } as HttpEvent, takes, noFiles)).value
}

const json = '{"text":"é"}'
const bodyCases: [type: string | undefined, body: string][] = [
  ['application/json', json],
  ['Application/JSON; charset=utf-8', json],
  ['application/vnd.texts+JSON', json],
  [undefined, json],
  ['application/x-www-form-urlencoded', 'text=%C3%A9'],
]
for (const [type, body] of bodyCases) {
  const header = type === undefined ? 'no Content-Type' : `Content-Type: ${type}`
  test(`a request body with ${header} is read, even if it is base64-encoded`, async () => {
    assert.deepEqual({ ...Object(await read(type, { body })) }, { text: 'é' })
    const packedBody = { body: Buffer.from(body).toString('base64'), isBase64Encoded: true }
    assert.deepEqual({ ...Object(await read(type, packedBody)) }, { text: 'é' })
  })
}

test('a request body with an unsupported content type is refused, and the error lists the supported types', async () => {
  for (const type of ['text/plain', 'multipart/form-data; boundary=x']) {
    await assert.rejects(read(type, { body: json }), (error: { code: string; details: unknown }) => {
      assert.equal(error.code, 'UNSUPPORTED_MEDIA_TYPE')
      const expectedTypes = ['application/json', 'application/x-www-form-urlencoded']
      assert.deepEqual(error.details, { field: 'Content-Type', expected: expectedTypes })
      return true
    })
  }
  await assert.rejects(read('application/x-www-form-urlencoded', { body: 'text=a' }, createContract('json')))
})

test('an empty request body is parsed as an empty object', async () => {
  assert.deepEqual(await read('application/json', {}), {})
  const { body: _, ...contractWithoutBody } = createContract('json')
  assert.equal(await read('application/json', { body: json }, contractWithoutBody), undefined)
})

test('a request body without files may have up to 32 MiB, and a larger one is rejected', async () => {
  const block = Buffer.alloc(1024 * 1024, ' ')
  const createBlocks = (count: number, ...otherBlocks: Buffer[]) =>
    Readable.from([...Array(count).fill(block), ...otherBlocks])
  const largestBody = createBlocks(31, block.subarray(json.length + 1), Buffer.from(json))
  assert.deepEqual(await read('application/json', { bodyStream: largestBody }), { text: 'é' })
  for (const type of ['application/json', 'application/x-www-form-urlencoded']) {
    const largerBody = createBlocks(32, Buffer.from(' '))
    await assert.rejects(read(type, { bodyStream: largerBody }), {
      code: 'INVALID_REQUEST',
      details: { maxBytes: 32 * 1024 * 1024 },
    })
  }
})

test('a JSON request body may be nested up to 100 levels, and a deeper one is rejected', async () => {
  const send = (body: string) => read('application/json', { body })
  for (const [open, close] of [
    ['[', ']'],
    ['{"a":', '}'],
  ] as const) {
    const createNestedJson = (levels: number) => `${open.repeat(levels)}1${close.repeat(levels)}`
    assert.deepEqual(await send(createNestedJson(100)), JSON.parse(createNestedJson(100)))
    for (const levels of [101, 200_000])
      await assert.rejects(send(createNestedJson(levels)), {
        code: 'INVALID_REQUEST',
        message: /nested too deep/,
      })
  }
})

test('a JSON request body with a duplicate member name in an object is rejected', async () => {
  const readTwice = (body: string) => read('application/json', { body })
  for (const body of [
    ...['{"a":1,"a":1}', '{"b":[{"a":1}],"c":{"\\u0061":1,"a":2}}', '{"a":{"a":1},"a":2}'],
    // The inner object or list has ended before the duplicate.
    ...['{"a":{"b":1},"a":2}', '{"a":[1],"a":2}', '{"a":[{"b":1}],"a":2}'],
  ])
    await assert.rejects(readTwice(body), { code: 'INVALID_INPUT', details: { field: 'a' } }, body)
  for (const body of [
    '{"a":{"a":1},"b":[{"a":"a"},{"a":":"}]}',
    '{"a":{"b":1},"b":2}',
    '["a","a"]',
    '{"a":"\\"a\\":1,\\"a\\":2"}',
  ])
    assert.deepEqual(await readTwice(body), JSON.parse(body))
  await assert.rejects(readTwice('{"a":'), { code: 'INVALID_REQUEST', message: /not valid JSON/ })
  assert.deepEqual(await readTwice(' '), {})
})

test('a request body with an unpaired surrogate is rejected, and the error names the field', async () => {
  const send = (body: string) => read('application/json', { body })
  for (const [body, field] of [
    ['{"a":[{"b":"x\\ud800"}]}', 'a.0.b'],
    ['{"a":{"\\udc00":1}}', 'a'],
    ['"\\ude00\\ud83d"', 'body'],
  ] as const)
    await assert.rejects(send(body), {
      code: 'INVALID_INPUT',
      details: { field },
      message: /got an unpaired surrogate/,
    })
  assert.deepEqual(await send('{"a":"\\ud83d\\ude00","b":"\\\\ud83d"}'), { a: '😀', b: '\\ud83d' })
})

test('a request body that is not UTF-8 is refused, and a byte order mark is dropped', async () => {
  const send = (type: string, bytes: Buffer) => read(type, { bodyStream: Readable.from([bytes]) })
  for (const type of ['application/json', 'application/x-www-form-urlencoded'])
    for (const coding of ['latin1', 'utf16le'] as const)
      await assert.rejects(send(type, Buffer.from('{"text":"é"}', coding)), { message: /not valid UTF-8/ })
  assert.deepEqual(await send('application/json', Buffer.from(`\ufeff${json}`)), { text: 'é' })
})

test('percent-encoded bytes in a form are rejected if they are not UTF-8, and the error names the field', async () => {
  const send = (body: string) => read('application/x-www-form-urlencoded', { body })
  for (const [body, field] of [
    ['a=1&text=%ff', 'text'],
    ['text=caf%e9+au+lait', 'text'],
    ['text=%C3&b=%A9', 'text'],
    ['text=%ED%A0%80', 'text'],
    ['a%ff=1', 'a\ufffd'],
  ] as const)
    await assert.rejects(send(body), {
      code: 'INVALID_INPUT',
      details: { field },
      message: /expected UTF-8.*is %C3%A9/,
    })
  const keptText = await send('text=100%&b=%zz%4&c=%F0%9F%98%80&d=%EF%BF%BD&e=é%C3%A9')
  assert.deepEqual(keptText, { text: '100%', b: '%zz%4', c: '😀', d: '\ufffd', e: 'éé' })
})

test('a multipart field that is not valid UTF-8 is refused, and the error names the field', async () => {
  const createForm = (text: Buffer) => [
    ...[
      Buffer.from('--x\r\nContent-Disposition: form-data; name="text"\r\n\r\n'),
      text,
      Buffer.from('\r\n--x--\r\n'),
    ],
  ]
  const send = (text: Buffer) =>
    read(
      'multipart/form-data; boundary=x',
      { bodyStream: Readable.from(createForm(text)) },
      createContract('multipart'),
    )
  await assert.rejects(send(Buffer.from('café', 'latin1')), {
    code: 'INVALID_INPUT',
    details: { field: 'text' },
  })
  assert.deepEqual(await send(Buffer.from('café')), { text: 'café' })
})

const notJson: [body: string, reason: string][] = [
  ['{"password":hunter2}', 'unexpected token h'],
  ['{"a":1', "expected ',' or '}' after property value at line 1, column 7"],
  ['{"a":1}\n{', 'unexpected non-whitespace character at line 2, column 1'],
  ['[1,', 'unexpected end of the text'],
  ['NaN', 'it cannot be parsed'],
]
for (const [body, reason] of notJson) {
  test(`the invalid JSON body ${body} is rejected, and the error does not quote it`, async () => {
    await assert.rejects(read('application/json', { body }), {
      code: 'INVALID_REQUEST',
      message: `The body is not valid JSON: ${reason}.`,
    })
  })
}

test('a request body of unknown length is rejected at the size limit, with a hint on how to send large files', async () => {
  const bodyStream = Readable.from([Buffer.alloc(900, ' '), Buffer.alloc(200, ' ')])
  const headers = { 'content-type': 'application/json' }
  const limits = { ...noFiles, maxBodyBytes: 1024 }
  await assert.rejects(readRequestBody({ headers, bodyStream }, createContract('json'), limits), {
    code: 'FILE_TOO_LARGE',
    message: /presign/,
  })
})

test('the error for a Content-Length over the limit contains the limit in MiB, rounded down', () => {
  const limits = [
    [4_666_163, '4.4'],
    [Math.floor(4.4 * 1024 * 1024), '4.4'],
    [1024, '0.0009765625'],
  ] as const
  for (const [maxBytes, shownLimit] of limits) {
    const limitEmptyBody = () => limitBody(Readable.from([]), { 'content-length': '5000000' }, maxBytes)
    assert.throws(limitEmptyBody, {
      message: new RegExp(`limit of ${shownLimit} MiB`),
      details: { maxBytes, size: 5_000_000, uploads: '/v1/uploads/presign' },
    })
  }
})
