/**
 * `nice node test/sweep/known-documents.ts [COUNT] [SEED] [FIRST]`: makes documents with known words with several
 * programs, converts each to two formats, and looks for the words in the results with other programs. It fails if more
 * than 2 % of the words of a document are lost without a warning, or if more than 2 % of the results have a false
 * warning.
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { engines } from '../../lib/engines/index.ts'
import type { FormatId } from '../../lib/formats/index.ts'
import { convertAlongRoutes } from '../engines/support/convert-along-routes.ts'
import { createSeededRandom, pickOne } from './seeded-random.ts'

const [count = 30, seed = 1, firstIndex = 0] = process.argv.slice(2).map(Number)
const maxLostShare = 0.02
const lossWarnings = ['CONTENT_LOST', 'CONTENT_REDUCED', 'MAY_BE_DAMAGED']

const folder = mkdtempSync(join(tmpdir(), 'known-documents-'))
const run = (bin: string, ...args: string[]) =>
  execFileSync(bin, args, {
    cwd: folder,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
    maxBuffer: 1 << 26,
  })

type Maker = readonly [FormatId, () => unknown]
const makers: readonly [Maker, ...Maker[]] = [
  ['html', () => undefined],
  ...(['docx', 'odt', 'epub', 'rtf', 'md', 'rst'] as const).map(
    (to) => [to, () => run('pandoc', '-s', 'source.html', '-o', `made.${to}`)] as const,
  ),
  ...(['doc', 'odt', 'docx'] as const).map(
    (to) =>
      [
        to,
        () =>
          run(
            'soffice',
            `-env:UserInstallation=file://${folder}/profile`,
            '--headless',
            '--infilter=HTML (StarWriter)',
            '--convert-to',
            `${to}:${officeFilters[to]}`,
            '--outdir',
            folder,
            'made.html',
          ),
      ] as const,
  ),
  ...(['mobi', 'azw3', 'epub'] as const).map(
    (to) => [to, () => run('ebook-convert', 'source.html', `made.${to}`)] as const,
  ),
]
const officeFilters = { doc: 'MS Word 97', odt: 'writer8', docx: 'MS Word 2007 XML' } as const
const targets = ['txt', 'md', 'html', 'docx', 'odt', 'epub', 'pdf'] as const

const syllables = ['ka', 'lo', 'mi', 'ru', 'sén', 'tür', 'vo', 'przy', 'но', 'да'] as const

/** Returns a page and its words, each of which occurs once. */
function makePage(random: () => number): { html: string; words: readonly string[] } {
  const words: string[] = []
  const word = () => {
    const name = Array.from({ length: 3 }, () => pickOne(syllables, random)).join('')
    words.push(`${name}${words.length}`)
    return words.at(-1)
  }
  const list = (tag: string, length: number, content: () => string | undefined) =>
    Array.from({ length }, () => `<${tag}>${content()}</${tag}>`).join('')
  const upTo = (max: number) => 1 + Math.floor(random() * max)
  const sentence = () => Array.from({ length: 5 + upTo(20) }, word).join(' ')
  const parts = [
    () => `<h2>${word()} ${word()}</h2>`,
    () =>
      `<p>${sentence()} <b>${word()}</b> <i>${word()}</i> <a href="https://example.com/">${word()}</a></p>`,
    () => `<ul>${list('li', upTo(5), sentence)}</ul>`,
    () => `<ol>${list('li', upTo(5), word)}</ol>`,
    () => `<blockquote><p>${sentence()}</p></blockquote>`,
    () => {
      const columns = 1 + upTo(4)
      return `<table><tr>${list('th', columns, word)}</tr>${list('tr', upTo(6), () => list('td', columns, word))}</table>`
    },
  ] as const
  const body = Array.from({ length: 4 + upTo(8) }, () => pickOne(parts, random)()).join('\n')
  return {
    html: `<!DOCTYPE html>\n<html><head><meta charset="utf-8"><title>Known</title></head><body>${body}</body></html>\n`,
    words,
  }
}

function readText(path: string, format: FormatId): string {
  if (format === 'pdf') return run('pdftotext', path, '-')
  // Pandoc's readers drop the head rows of OpenDocument tables, and Word tables without a grid, which calibre writes.
  if (format === 'odt') return run('unzip', '-p', path, 'content.xml').replaceAll(/<[^>]*>/g, '')
  if (format === 'docx') return run('unzip', '-p', path, 'word/document.xml').replaceAll(/<[^>]*>/g, '')
  if (format === 'txt') return readFileSync(path, 'utf8')
  return run('pandoc', '-f', format === 'md' ? 'gfm' : format, '-t', 'plain', '--wrap=none', path)
}

/**
 * Whether the text has the word, even if a narrow table cell breaks it in two. Lines of neighboring cells may then
 * stand between the two parts. All words end with a number, so a part without one is not a whole word.
 */
function isFound(word: string, text: string): boolean {
  if (text.replaceAll(/\s/g, '').includes(word)) return true
  const pieces = new Set(text.split(/\s+/))
  return Array.from(word, (_, at) => [word.slice(0, at), word.slice(at)] as const).some(
    ([head, tail]) => !/\d$/.test(head) && pieces.has(head) && pieces.has(tail),
  )
}

const outcomes = { ok: 0, reported: 0, silent: 0, 'false alarm': 0, failed: 0 }
for (let index = firstIndex; index < firstIndex + count; index++) {
  const random = createSeededRandom(`known document ${seed} ${index}`)
  const { html, words } = makePage(random)
  for (const name of ['source.html', 'made.html']) writeFileSync(join(folder, name), html)
  const [from, make] = pickOne(makers, random)
  make()
  const otherTargets = targets.filter((to) => to !== from)
  const first = Math.floor(random() * otherTargets.length)
  for (const to of [
    otherTargets[first],
    otherTargets[(first + 1 + Math.floor(random() * (otherTargets.length - 1))) % otherTargets.length],
  ]) {
    if (!to) continue
    let outcome: keyof typeof outcomes
    let facts = ''
    try {
      const { path, codes } = await convertAlongRoutes(join(folder, `made.${from}`), to, { within: folder })
      const text = readText(path, to).normalize('NFC')
      const lostWords = words.filter((word) => !isFound(word.normalize('NFC'), text))
      const isReported = codes.some((code) => lossWarnings.includes(code))
      const isLost = lostWords.length > words.length * maxLostShare
      outcome = isLost
        ? isReported
          ? 'reported'
          : 'silent'
        : isReported && lostWords.length === 0
          ? 'false alarm'
          : 'ok'
      facts = `${lostWords.length} of ${words.length} ${codes} ${lostWords.slice(0, 3)}`
    } catch (error) {
      outcome = 'failed'
      facts = String(error).split('\n')[0] ?? ''
    }
    outcomes[outcome]++
    if (outcome !== 'ok') console.log([index, from, to, outcome, facts].join('\t'))
  }
}
console.log(JSON.stringify(outcomes))
await Promise.all(engines.map((engine) => engine.close?.()))
rmSync(folder, { recursive: true, force: true })
process.exit(
  outcomes.silent + outcomes.failed > 0 || outcomes['false alarm'] > 2 * count * maxLostShare ? 1 : 0,
)
