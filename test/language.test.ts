import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { allowedTerms, exceptions } from './language/exceptions.ts'
import { type Finding, findAvoided, findParticiples } from './language/find-avoided.ts'

/** Files that are not checked: catalogs in other languages, generated and recorded files, the table of words itself. */
const exemptPaths =
  /(?:^|\/)(?:de|es|fr|ja|pt-BR)\.ts$|lib\/client\/(?:api|option)-types\.ts$|^test\/language[./]|\.json$/
const isText = /\.(?:ts|tsx|mjs|js|pl|py|css|md|yml)$|^\.ci\/|Dockerfile/

const paths = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  encoding: 'utf8',
})
  .split('\n')
  .filter((path) => isText.test(path) && !exemptPaths.test(path))
const files = paths.map((path) => ({ path, content: readFileSync(path, 'utf8') }))

const usedWords = new Set<string>()
function isException({ path, found }: Finding): boolean {
  const matches = exceptions.filter(
    (exception) =>
      (exception.path === path || (exception.path.endsWith('/') && path.startsWith(exception.path))) &&
      exception.words.includes(found.toLowerCase()),
  )
  for (const { path: place } of matches) usedWords.add(`${place} ${found.toLowerCase()}`)
  return matches.length > 0
}

const report = (findings: readonly Finding[]) =>
  findings
    .filter((finding) => !isException(finding))
    .map(({ path, line, found, use }) => `${path}:${line}: "${found}", use: ${use}`)

test('names, comments, messages and documents avoid the listed words', () => {
  assert.ok(files.length > 1500, `${files.length} files were read`)
  assert.deepEqual(report(files.flatMap(({ path, content }) => findAvoided(path, content))), [])
})

test('functions are named with a verb, not with a participle', () => {
  const code = files.filter(({ path }) => /\.(?:ts|tsx|mjs)$/.test(path))
  assert.deepEqual(report(code.flatMap(({ path, content }) => findParticiples(path, content))), [])
})

/** Starts of titles that only make sense after the title of a `describe` block, which a failure report may not show. */
const continuation =
  /\b(?:test|it)\(\s*['"`](?:is|are|was|has|have|can|cannot|may|must|does|that|which|becomes?|gets?|keeps?|shows|gives|returns|reports|refuses|rejects|accepts|contains|includes|leaves|stores|finds|sets) /g

test('no test title starts with a verb instead of its subject', () => {
  const titleStarts = files
    .filter(({ path }) => path.startsWith('test/'))
    .flatMap(({ path, content }) => [...content.matchAll(continuation)].map(([start]) => `${path}: ${start}`))
  assert.deepEqual(titleStarts, [])
})

test('comments are at most 120 columns wide, except for URLs', () => {
  const isLong = (line: string) =>
    line.length > 120 && /^\s*(?:\/\/|\/\*\*|\*) /.test(line) && !line.includes('://')
  const long = files.flatMap(({ path, content }) =>
    content.split('\n').flatMap((line, index) => (isLong(line) ? [`${path}:${index + 1}`] : [])),
  )
  assert.deepEqual(long, [])
})

test('each exception to the avoided words is still needed', () => {
  const unusedWords = exceptions.flatMap(({ path, words }) =>
    words.filter((word) => !usedWords.has(`${path} ${word}`)).map((word) => `${path}: ${word}`),
  )
  assert.deepEqual(unusedWords, [])
  const unusedTerms = allowedTerms.filter(({ term }) => !files.some(({ content }) => content.match(term)))
  assert.deepEqual(unusedTerms, [])
})

test('a word to avoid is found in identifiers, comments, strings and file names', () => {
  const findWords = (content: string, path = 'lib/a.ts') =>
    findAvoided(path, content).map(({ found: word }) => word)
  assert.deepEqual(findWords('const toldColors = 1'), ['told'])
  assert.deepEqual(findWords('// Whoever calls it'), ['Whoever'])
  assert.deepEqual(findWords("throw new Error('The film is too long')"), ['film'])
  assert.deepEqual(findWords('const mostLive = 100'), ['mostLive'])
  assert.deepEqual(findWords('', 'lib/film-parts.ts'), ['film'])
  assert.deepEqual(findWords('const maxLive = 100 // at most this many'), [])
  assert.deepEqual(findWords("fixture('letter.docx'), job.toldPercent"), [])
})
