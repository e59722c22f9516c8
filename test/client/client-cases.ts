import type * as Client from '../../lib/client/index.ts'
import { breakOffBody, type Fetch, getPath, interceptFirst } from './broken-connections.ts'
import { createWav } from './wav-file.ts'

/** Cases of the client, by test name. They use nothing specific to Node, as they also run in browsers. */

type ClientCase = (client: typeof Client, url: string) => Promise<void>

function check(condition: unknown, message: string): asserts condition {
  if (!condition) throw new Error(message)
}

function checkEqual(actual: unknown, expected: unknown, message: string): void {
  check(JSON.stringify(actual) === JSON.stringify(expected), `${message}: ${JSON.stringify(actual)}`)
}

async function expectFailure(promise: Promise<unknown>): Promise<Client.MutaborError> {
  const thrownError: unknown = await promise.then(
    () => undefined,
    (error: unknown) => error,
  )
  check(thrownError instanceof Error && 'code' in thrownError, `expected a failure, got ${thrownError}`)
  return thrownError as Client.MutaborError // it has a code, and the class may come from another bundle
}

const createMarkdown = () =>
  new File(['# Morning\n\nA cup of tea.\n'], 'morning.md', { type: 'text/markdown' })
const createCsv = () => new File(['a,b\n1,2\n'], 'table.csv', { type: 'text/csv' })

/** An image of two pixels. */
const createPng = () => {
  const base64 =
    'iVBORw0KGgoAAAANSUhEUgAAAAIAAAABCAIAAAB7QOjdAAAADUlEQVR42mP4zwAE/wEHAAH/PX2MSQAAAABJRU5ErkJggg=='
  return new File([Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))], 'two.png')
}

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const foundItems: T[] = []
  for await (const item of items) foundItems.push(item)
  return foundItems
}

export const clientCases: Readonly<Record<string, ClientCase>> = {
  'converts a file and returns the result as bytes, text, blob and stream': async ({ Mutabor }, url) => {
    const client = new Mutabor({ url })
    const result = await client.convert(createMarkdown(), 'html')
    checkEqual(result.filename, 'morning.html', 'name')
    check((await result.text()).includes('A cup of tea.'), 'the result contains the text')
    checkEqual((await result.bytes()).length, result.size, 'length')
    checkEqual(
      (await new Response(result.stream()).arrayBuffer()).byteLength,
      result.size,
      'length of the stream',
    )
    checkEqual((await result.blob()).type, 'text/html', 'type')
    const repeatedResult = await client.convert({ jobId: result.job.jobId }, 'rst')
    checkEqual(repeatedResult.filename, 'morning.rst', 'the source of an earlier job')
  },
  'merges files, runs tools and passes options': async ({ Mutabor }, url) => {
    const client = new Mutabor({ url })
    const pdf = await client.convert(createPng(), 'pdf', { rotate: 90 })
    const mergedResult = await client.merge(
      [await pdf.blob(), await pdf.blob()],
      {},
      { filename: 'both.pdf' },
    )
    const tool = await client.tool(
      await mergedResult.blob(),
      'extract-pdf-pages',
      { pages: '2' },
      { filename: 'x.pdf' },
    )
    checkEqual(
      (await client.tool(await mergedResult.blob(), 'pdf-info', {}, { filename: 'm.pdf' })).files.length,
      1,
      'info',
    )
    check((await tool.text()).startsWith('%PDF-'), 'a PDF')
    const invalidCall = client.tool(await mergedResult.blob(), 'extract-pdf-pages', { pages: 'all but one' })
    checkEqual((await expectFailure(invalidCall)).code, 'INVALID_INPUT', 'an invalid option')
    const jobFile = { jobId: mergedResult.job.jobId }
    for (const files of [
      [await pdf.blob(), jobFile],
      [new URL(url), await pdf.blob()],
    ]) {
      const refusal = await client.merge(files).catch((error: unknown) => error)
      check(refusal instanceof TypeError && /^files: a merge/.test(refusal.message), `${refusal}`)
    }
    const refusal = await client
      .convert(createPng(), 'jpg', {}, { more: [jobFile] })
      .catch((error: unknown) => error)
    check(refusal instanceof TypeError && refusal.message.startsWith('more:'), `${refusal}`)
  },
  'converts a batch in one job and reports the outcome of each file': async ({ Mutabor }, url) => {
    const invalidFile = new File(['no image'], 'broken.png')
    const files = [{ file: createMarkdown() }, { file: invalidFile }, { file: createCsv(), to: 'txt' }]
    const { items, result } = await new Mutabor({ url }).batch(files, 'html')
    checkEqual(
      items.map(({ filename, file, error }) => [filename, file?.filename ?? error?.code]),
      [
        ['morning.md', 'morning.html'],
        ['broken.png', 'CORRUPT_FILE'],
        ['table.csv', 'table.txt'],
      ],
      'items',
    )
    const zip = await fetch(result.downloadUrl ?? '')
    checkEqual(zip.headers.get('content-type'), 'application/zip', 'the download of all items')
    await zip.body?.cancel()
  },
  'runs a pipeline of dependent tasks': async ({ Mutabor }, url) => {
    const client = new Mutabor({ url })
    const result = await client.pipeline(
      {
        in: { operation: 'import/upload', file: createMarkdown() },
        page: { operation: 'convert', input: 'in', output_format: 'html' },
        zip: { operation: 'archive', input: ['in', 'page'] },
        out: { operation: 'export/url', input: 'zip' },
      },
      { tag: 'client-cases' },
    )
    check(result.filename.endsWith('.zip'), result.filename)
    const taggedJobs = await collect(client.jobs({ tag: 'client-cases' }))
    checkEqual(
      taggedJobs.map((job) => job.jobId),
      [result.job.jobId],
      'jobs',
    )
  },
  'uploads large files in parts, reports progress and resumes after an interruption': async (client, url) => {
    const file = createWav(18 * 1024 ** 2)
    const stop = new AbortController()
    const state: { saved?: Client.UploadState } = {}
    let owner = ''
    const interruptedClient = new client.Mutabor({ url, onOwnerToken: (token) => (owner = token) })
    const interruptedUpload = interruptedClient.upload(file, {
      partsAbove: 1,
      signal: stop.signal,
      onState: (started) => (state.saved = started),
      onSent: () => stop.abort(new Error('connection lost')),
    })
    checkEqual(
      await interruptedUpload.catch((error: Error) => error.message),
      'connection lost',
      'error of the interrupted upload',
    )

    const putSizes: number[] = []
    const countingFetch: Fetch = (input, init) => {
      if (init?.method === 'PUT') putSizes.push((init.body as Blob).size)
      return fetch(input, init)
    }
    const progressEvents: (readonly [number, number | undefined])[] = []
    const secondClient = new client.Mutabor({ url, ownerToken: owner, fetch: countingFetch })
    const uploadId = await secondClient.upload(file, {
      ...(state.saved && { resume: state.saved }),
      onSent: ({ sent, total }) => progressEvents.push([sent, total]),
    })
    check(
      putSizes.reduce((sum, bytes) => sum + bytes, 0) < file.size,
      `the resumed upload sent all parts again: ${putSizes}`,
    )
    checkEqual(progressEvents.at(-1), [file.size, file.size], 'progress')
    const flac = await secondClient.convert({ uploadId }, 'flac')
    checkEqual(flac.filename, 'tone.flac', 'the file')
  },
  'uploads a stream of unknown length': async ({ Mutabor }, url) => {
    const bytes = await createWav(10 * 1024 ** 2).bytes()
    const stream = new Response(bytes).body
    check(stream, 'a stream')
    const result = await new Mutabor({ url }).convert(
      stream,
      'flac',
      {},
      { filename: 's.wav', partsAbove: 1024 },
    )
    checkEqual([result.filename, result.job.source?.size], ['s.flac', bytes.length], 'the file')
    const smallResult = await new Mutabor({ url }).convert(
      createMarkdown().stream(),
      'html',
      {},
      { filename: 'a.md' },
    )
    checkEqual(smallResult.filename, 'a.html', 'a short stream')
  },
  'waits for a job through events, or by polling where events are blocked': async ({ Mutabor }, url) => {
    const fetchWithoutEvents: Fetch = (input, init) =>
      getPath(input).endsWith('/events')
        ? Promise.resolve(new Response('<h1>no', { headers: { 'content-type': 'text/html' } }))
        : fetch(input, init)
    for (const clientFetch of [fetch, fetchWithoutEvents]) {
      const client = new Mutabor({ url, fetch: (input, init) => clientFetch(input, init) })
      const job = await client.call('POST /v1/jobs', {
        body: {
          tasks: {
            in: { operation: 'import/raw', file: '# A', filename: 'a.md' },
            out: { operation: 'convert', input: 'in', output_format: 'html' },
            end: { operation: 'export/url', input: 'out' },
          },
        },
      })
      const stages: string[] = []
      const finishedJob = await client.wait(job.id, { onProgress: ({ stage }) => stages.push(stage) })
      checkEqual(finishedJob.status, 'completed', 'status')
      if (clientFetch === fetchWithoutEvents) return
      const messages = await collect(client.events(job.id))
      checkEqual(messages.at(-1)?.snapshot?.status, 'completed', 'a snapshot for a late subscriber')
    }
  },
  'resumes an interrupted download': async ({ Mutabor }, url) => {
    const client = new Mutabor({ url, fetch: interceptFirst(/^\/(v1\/download|s3)\//, breakOffBody) })
    const result = await client.convert(createMarkdown(), 'html')
    check((await result.text()).includes('A cup of tea.'), 'the complete text')
  },
  'retries a request after a lost response, and after a rate limit if it is allowed to wait': async (
    { Mutabor },
    url,
  ) => {
    let lostResponseCount = 0
    const loseFirstResponse = interceptFirst(/\/v1\/convert$/, async (sendRequest) => {
      await (await sendRequest()).arrayBuffer()
      lostResponseCount += 1
      throw new TypeError('the response was lost')
    })
    const otherClient = new Mutabor({ url })
    await otherClient.convert(createMarkdown(), 'txt')
    const client = new Mutabor({ url, fetch: loseFirstResponse })
    await client.convert(createMarkdown(), 'html', {}, { tag: 'once' })
    checkEqual(lostResponseCount, 1, 'lost responses')
    checkEqual((await collect(client.jobs({ tag: 'once' }))).length, 1, 'jobs')
    const rateLimitError = { code: 'RATE_LIMITED', message: 'Too many requests.', details: {} }
    const createRateLimitResponse = () =>
      Promise.resolve(
        Response.json({ error: rateLimitError }, { status: 429, headers: { 'retry-after': '1' } }),
      )
    const patientClient = new Mutabor({ url, fetch: interceptFirst(/formats$/, createRateLimitResponse) })
    check((await patientClient.formats()).length > 100, 'formats')
    const impatientClient = new Mutabor({
      url,
      patienceS: 0,
      fetch: interceptFirst(/formats$/, createRateLimitResponse),
    })
    const { code, retryAfterS, status } = await expectFailure(impatientClient.formats())
    checkEqual([code, retryAfterS, status], ['RATE_LIMITED', 1, 429], 'the rate limit error')
  },
  'reports failures with specific error codes': async ({ Mutabor, isFailure }, serviceUrl) => {
    const client = new Mutabor({ url: serviceUrl })
    const unsupportedError = await expectFailure(client.convert(createMarkdown(), 'mp4'))
    check(
      isFailure(unsupportedError, 'UNSUPPORTED_CONVERSION') && unsupportedError.requestId,
      unsupportedError.message,
    )
    const unknownJobError = await expectFailure(client.status('job_01HZZZZZZZZZZZZZZZZZZZZZZZ'))
    checkEqual([unknownJobError.code, unknownJobError.status], ['JOB_NOT_FOUND', 404], 'an unknown job')
    const unreachableClient = new Mutabor({ url: 'http://127.0.0.1:9', retries: 0 })
    checkEqual(
      (await expectFailure(unreachableClient.formats())).code,
      'UNREACHABLE',
      'an unreachable service',
    )
    const tasks = {
      out: { operation: 'convert', input: 'in', output_format: 'webp' },
      end: { operation: 'export/url', input: 'out' },
    } as const
    const url = 'http://169.254.169.254/a.png'
    const refusedError = await expectFailure(
      client.pipeline({ in: { operation: 'import/url', url }, ...tasks }),
    )
    checkEqual([refusedError.code, refusedError.status], ['URL_NOT_ALLOWED', 400], 'a private address')
    const file = btoa('\x89PNG\r\n\x1a\n\0\0\0\rIHDR')
    const failedError = await expectFailure(
      client.pipeline({ in: { operation: 'import/base64', filename: 'a.png', file }, ...tasks }),
    )
    checkEqual(failedError.code, 'CORRUPT_FILE', 'a failed job')
  },
  'uses one owner token even if several requests start concurrently': async ({ Mutabor }, url) => {
    const tokens: string[] = []
    const client = new Mutabor({ url, onOwnerToken: (token) => tokens.push(token) })
    await Promise.all([1, 2, 3].map(() => client.convert(createMarkdown(), 'html')))
    checkEqual(tokens.length, 1, 'owner tokens')
    checkEqual((await collect(client.jobs())).length, 3, 'jobs')
  },
  'forgets an owner token that the service rejects, and sends the request again without it': async (
    { Mutabor },
    url,
  ) => {
    const tokens: string[] = []
    let requests = 0
    const countingFetch: Fetch = (input, init) => {
      requests += 1
      return fetch(input, init)
    }
    const onOwnerToken = (token: string) => tokens.push(token)
    const anonymousClient = new Mutabor({
      url,
      ownerToken: 'anon_1.unknown',
      onOwnerToken,
      fetch: countingFetch,
    })
    const { jobs } = await anonymousClient.call('GET /v1/jobs')
    checkEqual([jobs.length, requests], [0, 2], 'jobs and requests')
    const body = { filename: 'a.png', size: 7 }
    const uploads = Array.from({ length: 2 }, () =>
      anonymousClient.call('POST /v1/uploads/presign', { body }),
    )
    await Promise.all(uploads)
    checkEqual([tokens.length, requests], [1, 4], 'issued tokens and requests')
    const clientWithWrongKey = new Mutabor({ url, apiKey: 'anon_1.unknown', fetch: countingFetch })
    const failure = await expectFailure(clientWithWrongKey.call('GET /v1/jobs'))
    checkEqual([failure.code, requests], ['INVALID_API_KEY', 5], 'a wrong key is reported')
  },
  'accepts only webhooks with a valid signature': async ({ verifyWebhook, InvalidSignature }) => {
    const secret = `whsec_${btoa('k'.repeat(32))}`
    const body = '{"event":"job.completed"}'
    const at = String(Math.floor(Date.now() / 1000))
    const raw = new TextEncoder().encode('k'.repeat(32))
    const key = await crypto.subtle.importKey('raw', raw, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign'])
    const mac = await crypto.subtle.sign('HMAC', key, new TextEncoder().encode(`evt_1.${at}.${body}`))
    const signature = `v1,${btoa(String.fromCharCode(...new Uint8Array(mac)))}`
    const headers = {
      'webhook-id': 'evt_1',
      'webhook-timestamp': at,
      'webhook-signature': `v1,AAAA ${signature}`,
    }
    checkEqual((await verifyWebhook(body, headers, ['whsec_AAAA', secret])).event, 'job.completed', 'event')
    checkEqual((await verifyWebhook(body, new Headers(headers), secret)).event, 'job.completed', 'event')
    const outcomes = await Promise.allSettled([
      verifyWebhook(`${body} `, headers, secret),
      verifyWebhook(body, { ...headers, 'webhook-timestamp': '1000' }, secret),
      verifyWebhook(body, {}, secret),
      verifyWebhook(body, headers, 'whsec_'),
    ])
    for (const outcome of outcomes)
      check(
        outcome.status === 'rejected' && outcome.reason instanceof InvalidSignature,
        'rejects an invalid signature',
      )
  },
}
