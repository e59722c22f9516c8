// Starts a real server on a real port with a temporary folder, and creates clients for it.
import { once } from 'node:events'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { createServer, type IncomingHttpHeaders, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import type { TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3'
import { openS3Server, type S3Options } from '../../../lib/embedded-aws/s3/server.ts'
import { region, s3Credentials } from './credentials.ts'

export async function startS3(t: TestContext, options: Partial<S3Options> = {}) {
  const dir = options.dir ?? (await mkdtemp(join(tmpdir(), 's3-')))
  const s3 = await openS3Server({ dir, credentials: [s3Credentials], region, ...options })
  const server = createServer(s3.handle).on('checkContinue', s3.handle).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const client = createS3Client(`${endpoint}${options.basePath ?? ''}`)
  const stop = async () => {
    client.destroy()
    server.close().closeAllConnections()
    await s3.close()
  }
  t.after(async () => {
    await stop()
    if (options.dir === undefined) await rm(dir, { recursive: true })
  })
  return { s3, endpoint, client, dir, stop }
}

/** Named like the parameter of the SDK's commands. */
export const Bucket = 'box'

/** Starts a server with the bucket `box`. */
export async function startWithBucket(t: TestContext, options: Partial<S3Options> = {}) {
  const startedS3 = await startS3(t, options)
  await startedS3.client.send(new CreateBucketCommand({ Bucket }))
  return startedS3
}

// The SDK warns of bodies without length, which some tests send on purpose.
const silentLogger = { debug() {}, info() {}, warn() {}, error() {} }

export function createS3Client(
  endpoint: string,
  options: ConstructorParameters<typeof S3Client>[0] = {},
): S3Client {
  return new S3Client({
    endpoint,
    region,
    credentials: s3Credentials,
    forcePathStyle: true,
    maxAttempts: 1,
    logger: silentLogger,
    ...options,
  })
}

interface RawReply {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: string
  /** Code in an error document. */
  readonly code: string | undefined
}

/** Lists all files that contain bytes of objects. */
export async function listBlobFiles(dir: string): Promise<string[]> {
  return (await readdir(join(dir, 'blobs'), { recursive: true })).filter((name) => name.includes('/'))
}

/** Waits for what happens after a response, such as the removal of files. */
export async function waitFor(check: () => Promise<void>): Promise<void> {
  const deadline = Date.now() + 10_000
  for (;;) {
    try {
      return await check()
    } catch (error) {
      if (Date.now() > deadline) throw error
      await pause(20)
    }
  }
}

/** Sends a request without fetch, which would resolve `..` in a path and hide some headers. */
export async function send(
  url: string,
  {
    method = 'GET',
    headers = {},
    body = '',
  }: { method?: string; headers?: Record<string, string>; body?: string | Buffer } = {},
): Promise<RawReply> {
  const [, host = '', port = '', path = '/'] = /^http:\/\/([^:/]+):(\d+)(.*)$/s.exec(url) ?? []
  const sentRequest = request({ host, port, path, method, headers })
  sentRequest.end(body)
  const [response] = await once(sentRequest, 'response')
  const receivedText = await text(response)
  return {
    status: response.statusCode,
    headers: response.headers,
    body: receivedText,
    code: /<Code>(.*?)<\/Code>/.exec(receivedText)?.[1],
  }
}

/** Returns the name and status of the error with which a call fails. */
export async function getCallError(call: Promise<unknown>): Promise<string> {
  try {
    await call
    return 'no error'
  } catch (error) {
    const { name, $metadata } = error as { name: string; $metadata?: { httpStatusCode?: number } }
    return `${$metadata?.httpStatusCode} ${name}`
  }
}
