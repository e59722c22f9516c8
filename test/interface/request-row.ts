import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { Client } from '../support/service.ts'

/**
 * A row's request and the reply that it expects:
 *
 *     GET /v1/jobs [x-api-key: a] => 401 error.code="INVALID_API_KEY"
 *     POST /v1/convert/check {"from":"png","targetFormat":"webp"} => 200 data.warnings=[]
 *     POST /v1/convert (file=@corners.png&targetFormat=webp) => 202 job.result.mimeType="image/webp"
 *     GET /v1/download/{jobId} => 302 header.location~X-Amz-Signature
 *
 * A form is in parentheses: `@` sends a fixture, `@a.png:b.pdf` under another name. `{jobId}` is the last job id in the
 * `data` of a reply, and `{ownerToken}` is the token of the last POST; `{managerKey}` and `{adminKey}` are API keys of
 * a user and an administrator. Without a token or key, each request comes from a new owner. `job` is the status of the
 * new job once it has finished. `=` compares with JSON, `~` with a regular expression; without either, the value must
 * exist.
 */
interface RequestRow {
  readonly method: string
  readonly path: string
  readonly form: string | undefined
  readonly body: string | undefined
  readonly headers: Readonly<Record<string, string>>
  readonly status: number
  readonly valuePath: string
  readonly operator: string | undefined
  readonly expectedValue: string
}

const requestPattern = /^([A-Z]+) (\S+)(?: \((.+)\))?(?: (\{.*\}))?((?: \[[\w-]+: [^\]]+\])*)$/
const replyPattern = /^(\d{3})(?: ([\w.-]+)(?:([=~])(.+))?)?$/

function parseRequestRow(check: string, savedValues: ReadonlyMap<string, string>): RequestRow {
  const text = check.replaceAll(/\{(\w+)\}/g, (whole, name: string) => savedValues.get(name) ?? whole)
  const [request = '', expectedReply = ''] = text.split(' => ')
  const [, method = '', path = '', form, body, sentHeaders = ''] = requestPattern.exec(request) ?? []
  const [, status = '', valuePath = '', operator, expectedValue = ''] = replyPattern.exec(expectedReply) ?? []
  assert.ok(method && status, `not a request: ${check}`)
  const pairs = [...sentHeaders.matchAll(/ \[([\w-]+): ([^\]]+)\]/g)]
  const headers = Object.fromEntries(pairs.map(([, name, value]) => [name, value]))
  return { method, path, form, body, headers, status: Number(status), valuePath, operator, expectedValue }
}

async function toFormData(form: string): Promise<FormData> {
  const data = new FormData()
  for (const field of form.split('&')) {
    const [, name = '', value = ''] = /^(\w+)=(.*)$/s.exec(field) ?? []
    const [, fixture, otherName = fixture] = /^@([^:]+)(?::(.+))?$/.exec(value) ?? []
    if (fixture === undefined) data.append(name, value)
    else data.append(name, new Blob([await readFile(`test/fixtures/${fixture}`)]), otherName)
  }
  return data
}

const readValue = (json: unknown, valuePath: string) =>
  valuePath
    .split('.')
    .reduce<unknown>((value, name) => (value as Record<string, unknown> | undefined)?.[name], json) // JSON

/**
 * Sends the requests of rows one after another, and saves values of their replies. A row that waits for a job does not
 * delay the next rows, except rows that need a value of an earlier reply.
 */
export function createRowChecker(
  serviceUrl: string,
  keys: Readonly<Record<string, string>>,
): (check: string) => Promise<void> {
  const savedValues = new Map(Object.entries(keys))
  const usesEarlierReply = (check: string) =>
    [...check.matchAll(/\{(\w+)\}/g)].some(
      ([, name = '']) => /^[a-z]/i.test(name) && !Object.hasOwn(keys, name),
    )
  /** Replies to requests that change nothing, for reuse: many rows send the same request. */
  const seenReplies = new Map<string, Awaited<ReturnType<typeof sendRow>>>()
  const unfinishedJobs = new Set<Promise<unknown>>()
  const waitForJob = async (jobId: string) => {
    const finishedJob = new Client({ url: serviceUrl }).finishedJob(jobId)
    unfinishedJobs.add(finishedJob)
    return await finishedJob.finally(() => unfinishedJobs.delete(finishedJob))
  }
  let previousRequest: Promise<unknown> = Promise.resolve()
  return async (check) => {
    const sending = previousRequest.then(async () => {
      if (usesEarlierReply(check)) await Promise.allSettled(unfinishedJobs)
      const [request = ''] = check.split(' => ')
      const isStateless = /^GET |^POST \/v1\/convert\/check /.test(request) && !usesEarlierReply(request)
      const seenReply = isStateless ? seenReplies.get(request) : undefined
      if (seenReply) return reuseReply(seenReply, parseRequestRow(check, savedValues))
      const sentRequest = await sendRow(check)
      if (isStateless) seenReplies.set(request, sentRequest)
      return sentRequest
    })
    previousRequest = sending.catch(() => {})
    const { row, reply, jobId } = await sending
    if (row.valuePath.startsWith('job.')) reply['job'] = await waitForJob(jobId)
    if (row.valuePath !== '') checkValue(reply, row)
  }

  async function sendRow(check: string) {
    const row = parseRequestRow(check, savedValues)
    const { method, path, form, body, headers } = row
    const response = await fetch(`${serviceUrl}${path}`, {
      method,
      redirect: 'manual',
      headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
      ...(body !== undefined && { body }),
      ...(form !== undefined && { body: await toFormData(form) }),
    })
    const text = await response.text()
    assert.equal(response.status, row.status, text)
    const isJson = response.headers.get('content-type')?.includes('json')
    const reply: Record<string, unknown> = isJson ? JSON.parse(text) : {}
    saveReplyValues(reply['data'], savedValues)
    const token = response.headers.get('x-owner-token')
    if (token !== null && method === 'POST') savedValues.set('ownerToken', token)
    reply['header'] = Object.fromEntries(response.headers)
    return { row, reply, jobId: savedValues.get('jobId') ?? '' }
  }
}

function reuseReply<Reply extends { readonly row: RequestRow }>(earlierReply: Reply, row: RequestRow): Reply {
  assert.equal(row.status, earlierReply.row.status, row.path)
  return { ...earlierReply, row }
}

function saveReplyValues(data: unknown, savedValues: Map<string, string>): void {
  for (const [name, value] of Object.entries(data ?? {}))
    if (typeof value === 'string') savedValues.set(name, value)
}

function checkValue(
  reply: Readonly<Record<string, unknown>>,
  { valuePath, operator, expectedValue }: RequestRow,
): void {
  const value = readValue(reply, valuePath)
  const shownReply = JSON.stringify(reply).slice(0, 1500)
  if (operator === '=') assert.deepEqual(value, JSON.parse(expectedValue), shownReply)
  else if (operator === '~') assert.match(String(value), new RegExp(expectedValue), shownReply)
  else assert.ok(value !== undefined, `${valuePath} is missing: ${shownReply}`)
}
