// A stock Uppy on a page of another origin uploads 60 MB in parts and is reloaded halfway.
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { build } from 'esbuild'
import { Client } from '../support/service.ts'
import { openSite } from './browser.ts'

const size = 60 * 1024 ** 2

/** Uppy as a site would use it. `s3Multipart`, which Uppy's recovery plugin would store, is stored by hand. */
const page = `
import Uppy from '@uppy/core'
import AwsS3 from '@uppy/aws-s3'
const bytes = new Uint8Array(${size})
const view = new DataView(bytes.buffer)
for (let at = 44; at < bytes.length; at += 2) view.setInt16(at, ((at * 7) % 20000) - 10000, true)
const put = (at, text) => [...text].forEach((character, index) => { bytes[at + index] = character.charCodeAt(0) })
put(0, 'RIFF'); view.setUint32(4, bytes.length - 8, true); put(8, 'WAVEfmt '); view.setUint32(16, 16, true)
view.setUint16(20, 1, true); view.setUint16(22, 1, true); view.setUint32(24, 44100, true); view.setUint32(28, 88200, true)
view.setUint16(32, 2, true); view.setUint16(34, 16, true); put(36, 'data'); view.setUint32(40, bytes.length - 44, true)
const uppy = new Uppy().use(AwsS3, { companionEndpoint: API + '/v1/uploads', shouldUseMultipart: true })
const id = uppy.addFile({ name: 'tone.wav', type: 'audio/wav', data: new Blob([bytes]) })
const keptState = sessionStorage.getItem('s3Multipart')
if (keptState) uppy.setFileState(id, { s3Multipart: JSON.parse(keptState) })
globalThis.sent = []
uppy.on('s3-multipart:part-uploaded', (file, part) => {
  sessionStorage.setItem('s3Multipart', JSON.stringify(uppy.getFile(id).s3Multipart))
  globalThis.sent.push(part.PartNumber)
})
uppy.on('upload-success', (file, { body }) => { globalThis.key = body.key })
uppy.on('upload-error', (file, error) => { globalThis.failure = String(error) })
uppy.upload()
`

test('an unmodified Uppy uploads 60 MB in parts, resumes after a reload, and the file converts', async () => {
  const site = await openSite()
  const bundle = await build({
    stdin: { contents: page, resolveDir: import.meta.dirname },
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'browser',
    define: { API: JSON.stringify(site.url) },
    logLevel: 'silent',
  })
  const script = bundle.outputFiles[0]?.text ?? ''
  const server = createServer((request, response) => {
    const isScript = request.url === '/page.js'
    response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html')
    response.end(isScript ? script : '<!doctype html><script type="module" src="/page.js"></script>')
  })
  server.listen(0, '127.0.0.1')
  try {
    await new Promise((resolve) => server.once('listening', resolve))
    const { port } = server.address() as AddressInfo // a TCP server's address is an AddressInfo
    const visitor = await site.browser.newPage()
    const consoleMessages: string[] = []
    visitor.on('console', (message) => consoleMessages.push(message.text()))
    await visitor.goto(`http://127.0.0.1:${port}/`)
    await visitor.waitForFunction('globalThis.sent?.length >= 4', undefined, { timeout: 60_000 })
    const sentBefore = (await visitor.evaluate('globalThis.sent')) as number[]
    await visitor.reload()
    await visitor.waitForFunction('globalThis.key || globalThis.failure', undefined, { timeout: 60_000 })
    assert.equal(await visitor.evaluate('globalThis.failure'), undefined, consoleMessages.join('\n'))
    const sentAfter = (await visitor.evaluate('globalThis.sent')) as number[]
    assert.ok(
      !sentAfter.some((number) => number < sentBefore.length),
      `sent again: ${sentBefore} and then ${sentAfter}`,
    )
    assert.ok(sentAfter.length < 12, 'only the missing parts are uploaded after the reload')

    const client = new Client(site)
    const uploadId = (await visitor.evaluate('globalThis.key')) as string
    const job = await client.accepted(await client.post('/v1/convert', { uploadId, targetFormat: 'flac' }))
    assert.equal(job.status, 'completed', JSON.stringify(job.error))
    assert.equal(job.result?.filename, 'tone.flac')
  } finally {
    server.close()
    await site.close()
  }
})
