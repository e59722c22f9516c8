// Checks the tables of what the interface promises, all *.tsv files of this folder. A row names a test, which must exist, or
// contains a request: method, path, JSON body and headers, then the status and a value of the reply. Rows that hold only
// partly say why.
import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { after, before, describe, test } from 'node:test'
import { startService, type TestService } from '../support/service.ts'

interface Row {
  readonly section: string
  readonly statement: string
  readonly check: string
  readonly result: string
  readonly reason: string
}

const folder = new URL('./', import.meta.url)
const tables = (await readdir(folder)).filter((name) => name.endsWith('.tsv')).sort()
const texts = await Promise.all(tables.map((name) => readFile(new URL(name, folder), 'utf8')))
const rows: readonly Row[] = texts.flatMap((text) => {
  const [, ...lines] = text.trimEnd().split('\n')
  return lines.map((line) => {
    const [section = '', statement = '', check = '', result = '', reason = ''] = line.split('\t')
    return { section, statement, check, result, reason }
  })
})

/** Parses a request such as `GET /v1/jobs [x-api-key: a] => 401 error.code="INVALID_API_KEY"`. */
function parseRequest(check: string) {
  const [request = '', expectedReply = ''] = check.split(' => ')
  const [, method = '', path = '', body, header, value = ''] =
    /^([A-Z]+) (\S+)(?: (\{.*\}))?(?: \[([\w-]+): (.+)\])?$/.exec(request) ?? []
  const [, status = '', place = '', expectedValue] = /^(\d+) ([\w.]+)(?:=(.+))?$/.exec(expectedReply) ?? []
  assert.ok(method && status, `not a request: ${check}`)
  const headers = {
    ...(body !== undefined && { 'content-type': 'application/json' }),
    ...(header !== undefined && { [header]: value }),
  }
  return { method, path, body, headers, status: Number(status), place, expectedValue }
}

const valueAt = (json: unknown, place: string) =>
  place
    .split('.')
    .reduce<unknown>((value, name) => (value as Record<string, unknown> | undefined)?.[name], json) // JSON

test('each row of the table of the interface has a check and a result', () => {
  assert.ok(rows.length > 80)
  for (const { section, statement, check, result, reason } of rows) {
    assert.ok(section && statement && check, statement)
    assert.ok(result === 'holds' || (result === 'partly' && reason), `${statement}: ${result}`)
  }
  assert.equal(new Set(rows.map(({ section, statement }) => section + statement)).size, rows.length)
})

test('the tests that the table of the interface names exist', async () => {
  for (const { statement, check } of rows) {
    const [, path, title] = /^(test\/\S+): (.+)$/.exec(check) ?? []
    if (path === undefined) continue
    const text = await readFile(new URL(`../../${path}`, import.meta.url), 'utf8')
    assert.ok(text.includes(`test('${title}'`) || text.includes(`'${title}'`), `${statement}: ${check}`)
  }
})

describe('the table of the interface', () => {
  let service: TestService
  before(async () => {
    service = await startService()
  })
  after(() => service.stop())

  for (const { section, statement, check } of rows) {
    if (check.startsWith('test/')) continue
    test(`${section}: ${statement}`, async () => {
      const { method, path, body, headers, status, place, expectedValue } = parseRequest(check)
      const response = await fetch(`${service.url}${path}`, {
        method,
        headers,
        ...(body !== undefined && { body }),
      })
      const text = await response.text()
      assert.equal(response.status, status, text)
      const value = valueAt(JSON.parse(text), place)
      if (expectedValue === undefined) assert.ok(value !== undefined, `${place} is missing: ${text}`)
      else assert.deepEqual(value, JSON.parse(expectedValue), text.slice(0, 500))
    })
  }
})
