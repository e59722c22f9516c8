// Codes that clients may meet: each is given somewhere, and some test has met it.
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { errorCodes } from '../lib/error-catalog.ts'
import { frameErrors } from '../lib/live/frames.ts'

const root = join(import.meta.dirname, '..')
const textsOf = (pattern: string, except: RegExp) =>
  globSync(pattern, { cwd: root })
    .filter((path) => !except.test(path))
    .map((path) => readFileSync(join(root, path), 'utf8'))
    .join('\n')

/** Without the tables and the contracts, which only name codes. */
const code = textsOf('{lib,functions}/**/*.ts', /error-kinds|openapi|lib\/client\/|functions\/web\//).replace(
  /\berrors: \[[^\]]*\]|frameErrors = \[[^\]]*\]/g,
  '',
)
const tests = textsOf('test/**/*.{ts,tsv,csv}', /codes\.test|conformance\/results\/sweep/)
const isIn = (text: string) => (name: string) => new RegExp(`(?<![A-Z_])${name}(?![A-Z_])`).test(text)

test('each error code is given somewhere, and met by a test', () => {
  const given = isIn(code.replaceAll(/@throws.*$/gm, ''))
  assert.deepEqual(
    errorCodes.filter((name) => !given(name)),
    [],
  )
  assert.deepEqual(
    errorCodes.filter((name) => !isIn(tests)(name)),
    [],
  )
})

test('each code of a frame is given somewhere', () => {
  assert.deepEqual(
    frameErrors.filter((name) => !isIn(code)(name)),
    [],
  )
})

test('each warning is met by a test', () => {
  const names = code.matchAll(/(?:\bwarn\(\s*|\bwarning: \{ code: )'([A-Z_]+)'/g)
  const warnings = [...new Set([...names].map(([, name = '']) => name))]
  assert.ok(warnings.length > 40, `${warnings.length} warnings`)
  assert.deepEqual(
    warnings.filter((name) => !isIn(tests)(name)),
    [],
  )
})
