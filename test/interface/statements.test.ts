// Checks the tables of what the interface promises, all *.tsv files of this folder. A row names a test that must exist,
// or has a request and what its reply must contain (request-row.ts). Rows that are only partly true say why.
import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { after, before, describe, test } from 'node:test'
import { createAdminKey, createManagerKey } from '../support/account.ts'
import { startService, type TestService } from '../support/service.ts'
import { createRowChecker } from './request-row.ts'

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

test('each row of the interface table has a check and a result', () => {
  assert.ok(rows.length > 80)
  for (const { section, statement, check, result, reason } of rows) {
    assert.ok(section && statement && check, statement)
    assert.ok(result === 'holds' || (result === 'partly' && reason), `${statement}: ${result}`)
  }
  assert.equal(new Set(rows.map(({ section, statement }) => section + statement)).size, rows.length)
})

test('each test that is named in the interface table exists', async () => {
  for (const { statement, check } of rows) {
    const [, path, title] = /^(test\/\S+): (.+)$/.exec(check) ?? []
    if (path === undefined) continue
    const text = await readFile(new URL(`../../${path}`, import.meta.url), 'utf8')
    assert.ok(text.includes(`'${title}'`) || text.includes(`\`${title}\``), `${statement}: ${check}`)
  }
})

describe('promises of the interface', { concurrency: 6 }, () => {
  let service: TestService
  let checkRow: (check: string) => Promise<void>
  before(async () => {
    service = await startService()
    const keys = { managerKey: await createManagerKey(service), adminKey: await createAdminKey(service) }
    checkRow = createRowChecker(service.url, keys)
  })
  after(() => service.stop())

  for (const { section, statement, check } of rows) {
    if (check.startsWith('test/')) continue
    test(`the service keeps this promise (${section}): ${statement}`, () => checkRow(check))
  }
})
