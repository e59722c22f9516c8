import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type FormatId, formatById } from '../../lib/formats/index.ts'
import { minSpread, readImageFacts } from '../conformance/image-facts.ts'
import { readMediaFacts } from '../conformance/media-facts.ts'
import { countWordsFound, readExpectedWords } from '../conformance/text-facts.ts'
import { readArchive } from '../engines/support/inspect-archive.ts'
import { countCharacters } from '../engines/support/inspect-font.ts'
import { countPdfPages } from '../engines/support/inspect-result.ts'
import { measureSimilarity } from './image-similarity.ts'

const run = promisify(execFile)

export interface RetentionComparison {
  readonly source: string
  readonly from: FormatId
  readonly result: string
  readonly to: FormatId
  /** Engine ids, separated by spaces. */
  readonly route: string
  /** The text of the source, if it cannot be read from the file. */
  readonly words: string | undefined
  /** Markup that the result must not show as text. */
  readonly markup: string | undefined
}

/** The share of the source that another program finds in the result, 0 to 1, and how it is measured. */
export interface RetainedShare {
  readonly share: number
  readonly finding: string
}

/** @returns undefined if no other program can read the source. */
export async function measureRetained(comparison: RetentionComparison): Promise<RetainedShare | undefined> {
  const { result, from, to } = comparison
  if ((await stat(result)).size === 0) return { share: 0, finding: 'the result is empty' }
  const [source, target] = [formatById(from).category, formatById(to).category]
  const isText = (category: string) => category === 'document' || category === 'ebook'
  if (source === 'image') return target === 'image' ? compareImages(comparison) : checkFirstPage(comparison)
  if (source === 'audio' || source === 'video') return compareMedia(comparison)
  if (source === 'archive') return compareArchives(comparison)
  if (source === 'font') return compareFonts(comparison)
  return isText(target) ? compareText(comparison) : checkFirstPage(comparison)
}

async function compareImages(comparison: RetentionComparison): Promise<RetainedShare | undefined> {
  const { source, from, result, route } = comparison
  // No other installed program can draw sixel images.
  if (from === 'sixel') return checkFirstPage(comparison)
  const share = await measureSimilarity(source, result, route)
  return share === undefined ? undefined : { share, finding: `${(share * 100).toFixed(1)} % of the dots` }
}

/** Checks that the first page is not blank. */
async function checkFirstPage({
  source,
  from,
  result,
  to,
  route,
}: RetentionComparison): Promise<RetainedShare | undefined> {
  if (to === 'pdf' && (await countPdfPages(result)) === 0) return { share: 0, finding: 'no page' }
  const [factsBefore, factsAfter] = [
    await readImageFacts(source, undefined),
    await readImageFacts(result, getLastEngine(route)),
  ]
  if (formatById(from).category === 'image' && (factsBefore?.spread ?? 0) < minSpread) return undefined
  if (!factsAfter) return undefined
  return factsAfter.spread >= minSpread
    ? { share: 1, finding: 'drawn' }
    : { share: 0, finding: 'the first page is blank' }
}

// Engine ids, separated by spaces.
const getLastEngine = (route: string) => route.split(' ').at(-1) as Parameters<typeof readImageFacts>[1]

async function compareMedia({ source, result, to }: RetentionComparison): Promise<RetainedShare | undefined> {
  const factsBefore = await readMediaFacts(source).catch(() => undefined)
  if (!factsBefore || factsBefore.seconds === 0) return undefined
  const factsAfter = await readMediaFacts(result)
  const { category } = formatById(to)
  // Codecs add or drop a few samples at the start and end.
  const playableS = Math.min(factsBefore.seconds, factsBefore.audioS ?? factsBefore.seconds)
  const seconds = playableS - factsAfter.seconds < 0.2 ? 1 : factsAfter.seconds / playableS
  if (category === 'image' || to === 'gif')
    return { share: seconds, finding: `${factsAfter.seconds} of ${playableS} s` }
  const isSilenced = (factsBefore.peakDb ?? -100) > -40 && (factsAfter.peakDb ?? -100) < -60
  if (isSilenced) return { share: 0, finding: 'it is silent' }
  const [had, has] = [factsBefore.channels, factsAfter.channels]
  const audioShare = had > 0 && has < had ? has / had : 1
  return {
    share: Math.min(1, seconds, audioShare),
    finding: `${factsAfter.seconds} of ${playableS} s, ${has} of ${had} channels`,
  }
}

async function compareArchives({
  source,
  from,
  result,
  to,
}: RetentionComparison): Promise<RetainedShare | undefined> {
  const membersBefore = await listMembers(source, from)
  if (!membersBefore) return undefined
  const membersAfter = await listMembers(result, to)
  const foundTexts = Object.values(membersAfter ?? {})
  const missingMembers = Object.entries(membersBefore).filter(([, text]) => !foundTexts.includes(text))
  const sumSizes = (texts: readonly string[]) => texts.reduce((sum, text) => sum + text.length + 1, 0)
  const allBytes = sumSizes(Object.values(membersBefore))
  const share = allBytes === 0 ? 1 : 1 - sumSizes(missingMembers.map(([, text]) => text)) / allBytes
  return {
    share,
    finding: `${Object.keys(membersBefore).length} files${missingMembers.map(([name]) => ` -${name}`).join('')}`,
  }
}

/** Lists the members of an archive with the format's own program or libarchive. */
async function listMembers(
  path: string,
  format: FormatId,
): Promise<Readonly<Record<string, string>> | undefined> {
  const ownContents = await readArchive(path, format).catch(() => undefined)
  if (ownContents && Object.keys(ownContents).length > 0) return ownContents
  const folder = await mkdtemp(join(tmpdir(), 'members-'))
  try {
    await run('bsdtar', ['-xf', path, '-C', folder], { timeout: 30_000 })
    const entries = await readdir(folder, { recursive: true, withFileTypes: true })
    const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
    return Object.fromEntries(
      await Promise.all(files.map(async (file) => [file, await readFile(file, 'utf8')])),
    )
  } catch {
    return undefined
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function compareFonts({
  source,
  from,
  result,
  to,
}: RetentionComparison): Promise<RetainedShare | undefined> {
  const had = await countCharacters(source, from).catch(() => Number.NaN)
  if (!(had > 0)) return undefined
  const has = await countCharacters(result, to)
  return { share: Math.min(1, has / had), finding: `${has} of ${had} characters` }
}

/** Binary formats whose text other programs cannot read; the service counts their words itself. */
const binaryTextFormats: readonly FormatId[] = [
  'ass',
  'ssa',
  'smi',
  'jss',
  'sub',
  'mpl2',
  'lrc',
  'aqt',
  'pjs',
  'scc',
  'ttml',
]

async function compareText({
  source,
  from,
  result,
  words,
  markup,
}: RetentionComparison): Promise<RetainedShare | undefined> {
  if (markup !== undefined && (await countWordsFound(result, [markup])) > 0)
    return { share: 0, finding: 'markup is shown as text' }
  if (words === undefined && binaryTextFormats.includes(from)) return undefined
  const wantedWords =
    words === undefined ? await readExpectedWords(source).catch(() => []) : splitWords(words)
  if (wantedWords.length === 0) return undefined
  const foundWords = await countWordsFound(result, wantedWords)
  return { share: foundWords / wantedWords.length, finding: `${foundWords} of ${wantedWords.length} words` }
}

/** Splits text into words, or into pairs of characters for scripts without spaces, whose lines can break anywhere. */
function splitWords(text: string): string[] {
  const words = text.toLowerCase().match(/\p{L}{2,}/gu) ?? []
  const isUnspaced = (word: string) => /[\p{Script=Han}\p{Script=Hiragana}]/u.test(word)
  return [...new Set(words.flatMap((word) => (isUnspaced(word) ? (word.match(/../gu) ?? []) : [word])))]
}
