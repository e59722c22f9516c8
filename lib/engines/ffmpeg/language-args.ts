import type { Container } from './containers.ts'
import type { MediaStream } from './probe.ts'
import type { MediaWarning } from './recipe.ts'

/**
 * QuickTime stores languages as numbers. Some languages have two ISO 639-2 codes, and sources may use either, but
 * ffmpeg knows only one of them, usually the older one.
 */
const movLanguageCodes: Readonly<Record<string, string>> = {
  bod: 'tib',
  cym: 'wel',
  cze: 'ces',
  deu: 'ger',
  ell: 'gre',
  eus: 'baq',
  fas: 'per',
  fre: 'fra',
  hye: 'arm',
  isl: 'ice',
  kat: 'geo',
  mkd: 'mac',
  msa: 'may',
  mya: 'bur',
  nld: 'dut',
  rum: 'ron',
  slo: 'slk',
  sqi: 'alb',
  zho: 'chi',
  // Both variants of Norwegian share one number.
  nno: 'nor',
  nob: 'nor',
}

/**
 * Returns arguments that set the languages which ffmpeg does not know.
 * @param type stream specifier: `a` for audio, `s` for subtitles
 */
export function createLanguageArgs(
  type: 'a' | 's',
  tracks: readonly Pick<MediaStream, 'tags'>[],
  { muxer }: Pick<Container, 'muxer'>,
): string[] {
  if (muxer !== 'mov') return []
  return tracks.flatMap(({ tags: { language = '' } }, index) => {
    const code = Object.hasOwn(movLanguageCodes, language) ? movLanguageCodes[language] : undefined
    return code === undefined ? [] : [`-metadata:s:${type}:${index}`, `language=${code}`]
  })
}

/** Muxers that support several audio tracks but do not store their languages. */
const muxersWithoutLanguages = ['avi', 'mpeg', 'vob', 'mxf', 'wtv']

/** Warns if the result no longer shows the languages of its tracks. */
export function createLanguageWarnings(
  tracks: readonly Pick<MediaStream, 'tags'>[],
  { muxer }: Pick<Container, 'muxer'>,
): MediaWarning[] {
  const languages = new Set(tracks.flatMap(({ tags }) => tags['language']?.match(/^[a-z]{2,3}$/)?.[0] ?? []))
  languages.delete('und')
  if (languages.size < 2 || !muxersWithoutLanguages.includes(muxer)) return []
  const message = `The languages of the audio tracks (${[...languages].join(', ')}) were dropped: the format cannot store them.`
  return [{ code: 'METADATA_DROPPED', message }]
}
