import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { readConfig, settings } from '../lib/config.ts'

const readme = await readFile(new URL('../README.md', import.meta.url), 'utf8')

test('the README lists every setting with its default and what it is', () => {
  for (const [name, schema] of Object.entries(settings)) {
    const value = schema.safeParse(undefined).data
    const row = `| \`${name}\` | ${value === undefined ? '–' : `\`${value}\``} | ${schema.description} |`
    assert.ok(readme.includes(row), `the row of ${name} should read: ${row}`)
  }
})

test('the README lists no setting that does not exist', () => {
  const listed = [...readme.matchAll(/^\| `([A-Z][A-Z0-9_]+)` \|/gm)].map(([, name]) => name)
  assert.deepEqual(listed.sort(), Object.keys(settings).sort())
})

test('the README stays under 150 lines', () => {
  assert.ok(readme.split('\n').length < 150)
})

test('every stop of the walks in CONTRIBUTING is in the code, under that name', async () => {
  const text = await readFile(new URL('../CONTRIBUTING.md', import.meta.url), 'utf8')
  const stops = [...text.matchAll(/^\| (`[\w/.-]+\.ts`.*?) \|/gm)].map(([, stop = '']) => stop)
  assert.ok(stops.length > 20, `${stops.length} stops were found`)
  for (const stop of stops) {
    let source = ''
    for (const [, name = ''] of stop.matchAll(/`([^`]+)`/g)) {
      if (name.endsWith('.ts')) source = await readFile(new URL(`../${name}`, import.meta.url), 'utf8')
      else assert.match(source, new RegExp(`\\b${name}\\b`), `${name} is not in the file of ${stop}`)
    }
  }
})

test('a wrong setting is refused with its name, what was expected and what came', () => {
  assert.throws(
    () => readConfig({ PORT: 'http' }),
    /^Error: PORT: expected a whole number from 0 to 65535, got "http".*Port of the service/,
  )
  assert.throws(() => readConfig({ LOG_LEVEL: 'loud' }), /LOG_LEVEL: expected debug, info, .*got "loud"/)
})

test('an empty setting counts as not set', () => {
  assert.equal(readConfig({ PORT: '' }).PORT, 8080)
})
