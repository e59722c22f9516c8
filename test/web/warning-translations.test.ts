import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { languages } from '../../functions/web/section-paths.ts'
import { translateWarning, type WarningCatalog } from '../../functions/web/warnings/catalog.ts'
import { errorCatalog } from '../../lib/error-catalog.ts'

const lib = new URL('../../lib', import.meta.url).pathname

/** Codes that look like warnings: the error of a skipped task, and variables of Lambda. */
const nonWarningCodes: readonly string[] = [
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
      ].flatMap(([, code = '']) => (code in errorCatalog || nonWarningCodes.includes(code) ? [] : code)),
    ),
  ),
].toSorted()

/** Details of each warning that has its own sentence: for one dropped item, and for many. */
const detailedWarnings = {
  ATTACHMENTS_DROPPED: [{ count: 1 }, { count: 12 }],
  CONTENT_LOST: [
    { unit: 'words', share: 0.29 },
    { unit: 'cells', share: 0.999 },
  ],
  DUPLICATES_DROPPED: [
    { count: 1, names: ['letter.txt'] },
    { count: 12, names: ['a.txt', 'b.txt', 'c.txt', 'd.txt'] },
  ],
  FONTS_SUBSTITUTED: [
    { count: 1, names: ['Garamond'] },
    { count: 12, names: ['Garamond', 'Futura', 'Optima', 'Didot'] },
  ],
  HIDDEN_DROPPED: [
    { sheets: 1, rows: 0, columns: 0 },
    { sheets: 12, rows: 34, columns: 56 },
  ],
  LINKS_DROPPED: [{ count: 1 }, { count: 12 }],
  OCR_UNCERTAIN: [
    { share: 0.29, count: 1, pages: '7' },
    { share: 0.5, count: 12, pages: '3-14' },
  ],
  OCR_USED: [
    { count: 1, pages: '7' },
    { count: 12, pages: '3-14' },
  ],
  PAGES_DROPPED: [
    { kept: 1, total: 12 },
    { kept: 500, total: 612 },
  ],
  SHEETS_DROPPED: [{ total: 3 }, { total: 12 }],
}

const shownPercents: Readonly<Record<number, string>> = { 0.29: '29', 0.5: '50', 0.999: '99' }

/** Returns the details that a sentence must contain. */
const listShownTexts = (details: Readonly<Record<string, unknown>>) =>
  Object.entries(details).flatMap(([name, value]) => {
    if (name === 'unit' || value === 0 || (name === 'kept' && value === 1)) return []
    if (name === 'share') return shownPercents[Number(value)] ?? ''
    return Array.isArray(value) ? [...value.slice(0, 3), ...(value.length > 3 ? ['(+9)'] : [])] : `${value}`
  })

for (const language of languages.filter((id) => id !== 'en'))
  describe(`warnings in ${language}`, async () => {
    const { default: catalog }: { default: WarningCatalog } = await import(
      `../../functions/web/warnings/words/${language}.ts`
    )
    const warnings = catalog.texts

    test(`each warning code has a sentence in ${language}, and no sentence is unused`, () => {
      assert.ok(warningCodes.length > 70)
      const translatedCodes = Object.keys(warnings)
      assert.deepEqual(
        {
          missing: warningCodes.filter((code) => !translatedCodes.includes(code)),
          unused: translatedCodes.filter((code) => !warningCodes.includes(code)),
        },
        { missing: [], unused: [] },
      )
    })

    test(`warning sentences in ${language} are short enough for a card and end with punctuation`, () => {
      const unusualTexts = Object.values(warnings).filter((text) => text.length > 110 || !/[.。]$/.test(text))
      assert.deepEqual(unusualTexts, [])
    })

    test(`warning sentences in ${language} contain the numbers and names of the warning`, () => {
      assert.deepEqual(Object.keys(catalog.sentences).toSorted(), Object.keys(detailedWarnings))
      for (const [code, examples] of Object.entries(detailedWarnings)) {
        const translate = (details: object) => translateWarning({ code, message: '', details }, catalog) ?? ''
        for (const details of examples) {
          const sentence = translate(details)
          for (const text of listShownTexts({ ...details }))
            assert.ok(sentence.includes(text), `${text}: ${sentence}`)
          assert.ok(sentence.length <= 150 && /[.。]$/.test(sentence), sentence)
          assert.doesNotMatch(sentence, /undefined|Didot|d\.txt/)
        }
        assert.equal(translate({}), warnings[code])
        assert.equal(translateWarning({ code, message: '' }, catalog), warnings[code])
      }
    })
  })
