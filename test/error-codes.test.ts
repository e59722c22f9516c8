// Checks that each code that clients can get is used somewhere and covered by a test.
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { errorCodes } from '../lib/error-catalog.ts'
import { frameErrors } from '../lib/live/frames.ts'

const root = join(import.meta.dirname, '..')
const readSources = (pattern: string, except: RegExp) =>
  globSync(pattern, { cwd: root })
    .filter((path) => !except.test(path))
    .map((path) => readFileSync(join(root, path), 'utf8'))
    .join('\n')

/** The source code, except for the parts that only list error codes. */
const code = readSources(
  '{lib,functions}/**/*.ts',
  /error-catalog|openapi|lib\/client\/|functions\/web\//,
).replace(/\berrors: \[[^\]]*\]|frameErrors = \[[^\]]*\]/g, '')
const tests = readSources('test/**/*.{ts,tsv,csv}', /codes\.test|conformance\/results\/sweep/)
const isIn = (text: string) => (name: string) => new RegExp(`(?<![A-Z_])${name}(?![A-Z_])`).test(text)

test('every error code is used in the code and occurs in a test', () => {
  const isThrown = isIn(code.replaceAll(/@throws.*$/gm, ''))
  assert.deepEqual(
    errorCodes.filter((name) => !isThrown(name)),
    [],
  )
  assert.deepEqual(
    errorCodes.filter((name) => !isIn(tests)(name)),
    [],
  )
})

test('every error code of WebSocket frames is used in the code', () => {
  assert.deepEqual(
    frameErrors.filter((name) => !isIn(code)(name)),
    [],
  )
})

test('every warning code occurs in a test', () => {
  const names = code.matchAll(/(?:\bwarn\(\s*|\bwarning: \{ code: )'([A-Z_]+)'/g)
  const warnings = [...new Set([...names].map(([, name = '']) => name))]
  assert.ok(warnings.length > 40, `${warnings.length} warnings`)
  assert.deepEqual(
    warnings.filter((name) => !isIn(tests)(name)),
    [],
  )
})
