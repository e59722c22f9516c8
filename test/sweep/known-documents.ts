/**
 * `nice node test/sweep/known-documents.ts [COUNT] [SEED] [FIRST]`: makes documents with known words with many
 * programs, converts each to two formats, and looks for the words in the results with other programs. It fails if more
 * than 2 % of the words of a document are lost without a warning, or if more than 2 % of the results have a false
 * warning.
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { engines } from '../../lib/engines/index.ts'
import type { FormatId } from '../../lib/formats/index.ts'
import { convertAlongRoutes } from '../engines/support/convert-along-routes.ts'
import { conversions } from '../plan/with-all-engines.ts'
import { findLostWords, readText } from './known-documents/find-words.ts'
import { makeDocument } from './known-documents/make-document.ts'
import { makers, type Run } from './known-documents/makers.ts'
import { createSeededRandom, pickOne } from './seeded-random.ts'

const [count = 30, seed = 1, firstIndex = 0] = process.argv.slice(2).map(Number)
const maxLostShare = 0.02
const lossWarnings = ['CONTENT_LOST', 'CONTENT_REDUCED', 'MAY_BE_DAMAGED']

/** Warnings about parts that the target does not take; they are right even if those parts have no words. */
const partWarnings = ['TABLES_ONLY', 'SHEETS_DROPPED', 'TEXT_MAY_BE_MISSING']

const folder = mkdtempSync(join(tmpdir(), 'known-documents-'))
const run: Run = (bin, ...args) =>
  execFileSync(bin, args, {
    cwd: folder,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
    maxBuffer: 1 << 26,
  })

const usualTargets = [
  'txt',
  'md',
  'html',
  'docx',
  'odt',
  'epub',
  'pdf',
  'rtf',
  'xlsx',
  'csv',
  'pptx',
] as const
const targetsBySource = Map.groupBy(conversions(), ({ from }) => from)

function chooseTargets(from: FormatId, random: () => number): FormatId[] {
  const possibleTargets = targetsBySource.get(from)?.map(({ to }) => to) ?? []
  const targets = usualTargets.filter((to) => to !== from && possibleTargets.includes(to))
  const first = Math.floor(random() * targets.length)
  const second = first + 1 + Math.floor(random() * (targets.length - 1))
  return [first, second].flatMap((at) => targets[at % targets.length] ?? [])
}

const outcomes = { ok: 0, reported: 0, silent: 0, 'false alarm': 0, failed: 0 }
async function judgeConversion(
  from: FormatId,
  to: FormatId,
  words: readonly string[],
): Promise<[outcome: keyof typeof outcomes, facts: string]> {
  try {
    const { path, codes, route, result } = await convertAlongRoutes(join(folder, `made.${from}`), to, {
      within: folder,
    })
    const lostWords = findLostWords(words, readText(run, path, to))
    // The service turns the shortfall into a warning.
    const allCodes = [...codes, ...(result.shortfall ? [result.shortfall.warning.code] : [])]
    const isReported = allCodes.some((code) => [...lossWarnings, ...partWarnings].includes(code))
    const isAlarm = allCodes.some((code) => lossWarnings.includes(code))
    const facts = `${route}: ${lostWords.length} of ${words.length} ${allCodes} ${lostWords.slice(0, 3)}`
    if (lostWords.length > words.length * maxLostShare) return [isReported ? 'reported' : 'silent', facts]
    return [isAlarm && lostWords.length === 0 ? 'false alarm' : 'ok', facts]
  } catch (error) {
    return ['failed', String(error).split('\n')[0] ?? '']
  }
}

for (let index = firstIndex; index < firstIndex + count; index++) {
  const random = createSeededRandom(`known document ${seed} ${index}`)
  const document = makeDocument(random)
  for (const name of ['source.html', 'made.html']) writeFileSync(join(folder, name), document.html)
  writeFileSync(join(folder, 'source.json'), JSON.stringify(document.parts))
  const { program, format, make } = pickOne(makers, random)
  await make({ folder, run }, document)
  for (const to of chooseTargets(format, random)) {
    let [outcome, facts] = await judgeConversion(format, to, document.words)
    // Retry: programs that time out on a busy machine say nothing about the document.
    if (outcome === 'failed') [outcome, facts] = await judgeConversion(format, to, document.words)
    outcomes[outcome]++
    if (outcome !== 'ok') console.log([index, program, format, to, outcome, facts].join('\t'))
  }
}
console.log(JSON.stringify(outcomes))
await Promise.all(engines.map((engine) => engine.close?.()))
rmSync(folder, { recursive: true, force: true })
process.exit(
  outcomes.silent + outcomes.failed > 0 || outcomes['false alarm'] > 2 * count * maxLostShare ? 1 : 0,
)
