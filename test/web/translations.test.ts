import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, test } from 'node:test'
import cronstrue from 'cronstrue'
import { languages } from '../../functions/web/section-paths.ts'
import { pluralIn } from '../../functions/web/words/plural.ts'

const web = new URL('../../functions/web', import.meta.url).pathname
/** Translations of the service's own texts, which have tests of their own. */
const serviceTexts = ['options/names/words', 'format-names/words', 'warnings/words']
const folders = readdirSync(web, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('words/en.ts') && !serviceTexts.includes(dirname(path)))
  .map((path) => dirname(path))

/** Texts by their path in the catalog, for example `filters.all`; functions count as the name of their type. */
function listTexts(value: unknown, path = ''): readonly (readonly [path: string, text: string])[] {
  if (typeof value === 'object' && value !== null)
    return Object.entries(value).flatMap(([key, child]) => listTexts(child, path ? `${path}.${key}` : key))
  return [[path, typeof value === 'string' ? value : typeof value]]
}

const loadTexts = async (folder: string, language: string) =>
  new Map(listTexts((await import(join(web, folder, `${language}.ts`))).default))

/** Returns whether a text is too long to be the same in two languages, unlike `Options`. */
const isSentence = (text: string) => text.split(' ').length > 3

for (const language of languages.filter((id) => id !== 'en')) {
  describe(`the page in ${language}`, () => {
    for (const folder of folders) {
      test(`${folder}/${language}.ts has a translation of every English text, and no others`, async () => {
        const [english, translated] = await Promise.all([
          loadTexts(folder, 'en'),
          loadTexts(folder, language),
        ])
        const missing = [...english.keys()].filter((path) => !translated.has(path))
        const unused = [...translated.keys()].filter((path) => !english.has(path))
        const untranslated = [...english].filter(
          ([path, text]) => isSentence(text) && translated.get(path) === text,
        )
        assert.deepEqual({ missing, unused, untranslated }, { missing: [], unused: [], untranslated: [] })
      })
    }

    test(`schedules are described in ${language}`, async () => {
      await loadTexts('sections/workflows/words', language)
      const description = cronstrue.toString('0 3 * * 1', { locale: language.replace('-', '_') })
      assert.doesNotMatch(description, /Monday/)
    })

    test(`machine-translated catalogs in ${language} are marked as such`, () => {
      if (language === 'de') return
      const unmarkedFolders = [...folders, ...serviceTexts].filter(
        (folder) =>
          !readFileSync(join(web, folder, `${language}.ts`), 'utf8').includes('Machine translation'),
      )
      assert.deepEqual(unmarkedFolders, [])
    })
  })
}

test('nouns on the page follow the plural rules of their language', () => {
  const count = (locale: string) => [0, 1, 2].map((number) => pluralIn(locale)(number, 'one', 'other'))
  assert.deepEqual(count('en'), ['0 other', '1 one', '2 other'])
  assert.deepEqual(count('es'), ['0 other', '1 one', '2 other'])
  assert.deepEqual(count('fr'), ['0 one', '1 one', '2 other'])
  assert.deepEqual(count('pt-BR'), ['0 one', '1 one', '2 other'])
})

test('punctuation of French texts cannot move to the next line', async () => {
  for (const folder of [...folders, ...serviceTexts])
    for (const [path, text] of await loadTexts(folder, 'fr'))
      assert.doesNotMatch(text, / [?!;:»]|« /, `${folder} ${path}`)
})
