import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { languages } from '../../functions/web/section-paths.ts'
import { errorCatalog } from '../../lib/error-catalog.ts'

const lib = new URL('../../lib', import.meta.url).pathname

/** What looks the same: the error of a skipped task, and variables of Lambda. */
const otherCodes: readonly string[] = [
  'INPUT_TASK_FAILED',
  'AWS_LAMBDA_FUNCTION_MEMORY_SIZE',
  'AWS_LAMBDA_RUNTIME_API',
]

/** Codes that the source passes to `warn`, or writes into a warning. */
const warningCodes = [
  ...new Set(
    globSync('{capture,conversion,engines,jobs,plan}/**/*.ts', { cwd: lib }).flatMap((path) =>
      [
        ...readFileSync(join(lib, path), 'utf8').matchAll(/(?:warn\(\s*|code: |\[)'([A-Z]+(?:_[A-Z]+)+)'/g),
      ].flatMap(([, code = '']) => (code in errorCatalog || otherCodes.includes(code) ? [] : code)),
    ),
  ),
].toSorted()

for (const language of languages.filter((id) => id !== 'en'))
  describe(`warnings in ${language}`, async () => {
    const { default: warnings }: { default: Readonly<Record<string, string>> } = await import(
      `../../functions/web/warnings/words/${language}.ts`
    )

    test(`each warning code has a sentence in ${language}, and no sentence is unused`, () => {
      assert.ok(warningCodes.length > 70)
      const translated = Object.keys(warnings)
      assert.deepEqual(
        {
          missing: warningCodes.filter((code) => !translated.includes(code)),
          unused: translated.filter((code) => !warningCodes.includes(code)),
        },
        { missing: [], unused: [] },
      )
    })

    test(`warning sentences in ${language} are short enough for a card and end with punctuation`, () => {
      const unusualTexts = Object.values(warnings).filter((text) => text.length > 110 || !/[.。]$/.test(text))
      assert.deepEqual(unusualTexts, [])
    })
  })
