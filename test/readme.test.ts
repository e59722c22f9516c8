import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { readConfig, settings } from '../lib/config.ts'

const readme = await readFile(new URL('../README.md', import.meta.url), 'utf8')
const localReadme = await readFile(new URL('../lib/local/README.md', import.meta.url), 'utf8')

/** Names in the first column of a table of settings. */
const findSettingRows = (text: string) =>
  [...text.matchAll(/^\| `([A-Z][A-Z0-9_]+)` \|/gm)].map(([, name = '']) => name)

test('lib/local/README.md lists every setting with its default and description', () => {
  for (const [name, schema] of Object.entries(settings)) {
    const value = schema.safeParse(undefined).data
    const row = `| \`${name}\` | ${value === undefined ? '–' : `\`${value}\``} | ${schema.description} |`
    assert.ok(localReadme.includes(row), `the row of ${name} should read: ${row}`)
  }
})

test('lib/local/README.md lists only settings that exist', () => {
  assert.deepEqual(findSettingRows(localReadme).sort(), Object.keys(settings).sort())
})

test('every setting in the README exists and has the default that the README shows', () => {
  const listedSettings = findSettingRows(readme)
  assert.ok(listedSettings.length > 0, 'the README lists no setting')
  for (const name of listedSettings) {
    const schema = Object.entries(settings).find(([one]) => one === name)?.[1]
    assert.ok(schema, `the README lists ${name}, which is no setting`)
    const value = schema.safeParse(undefined).data
    const cells = `| \`${name}\` | ${value === undefined ? '–' : `\`${value}\``} |`
    assert.ok(readme.includes(cells), `the row of ${name} should begin with: ${cells}`)
  }
})

test('the README stays under 150 lines', () => {
  assert.ok(readme.split('\n').length < 150)
})

test('every file and name in the walkthroughs of CONTRIBUTING.md exists in the code', async () => {
  const text = await readFile(new URL('../CONTRIBUTING.md', import.meta.url), 'utf8')
  const stops = [...text.matchAll(/^\| (`[\w/.-]+\.ts`.*?) \|/gm)].map(([, stop = '']) => stop)
  assert.ok(stops.length > 20, `found only ${stops.length} stops`)
  for (const stop of stops) {
    let source = ''
    for (const [, name = ''] of stop.matchAll(/`([^`]+)`/g)) {
      if (name.endsWith('.ts')) source = await readFile(new URL(`../${name}`, import.meta.url), 'utf8')
      else assert.match(source, new RegExp(`\\b${name}\\b`), `${name} is not in the file of ${stop}`)
    }
  }
})

test('the error for an invalid setting names the setting, the expected value and the actual value', () => {
  assert.throws(
    () => readConfig({ PORT: 'http' }),
    /^Error: PORT: expected a whole number from 0 to 65535, got "http".*Port of the service/,
  )
  assert.throws(() => readConfig({ LOG_LEVEL: 'loud' }), /LOG_LEVEL: expected debug, info, .*got "loud"/)
})

test('an empty setting counts as unset', () => {
  assert.equal(readConfig({ PORT: '' }).PORT, 8080)
})
