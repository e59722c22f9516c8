import type { Container } from './containers.ts'
import type { MediaStream } from './probe.ts'
import type { MediaWarning } from './recipe.ts'

/**
 * QuickTime films number their languages, and ffmpeg finds the numbers by one of the two codes that some have (ISO 639-2):
 * mostly the older one, where MP4 and Matroska have either.
 */
const movLanguageCodes: Readonly<Record<string, string>> = {
  ...{ bod: 'tib', cym: 'wel', cze: 'ces', deu: 'ger', ell: 'gre', eus: 'baq', fas: 'per', fre: 'fra' },
  ...{ hye: 'arm', isl: 'ice', kat: 'geo', mkd: 'mac', msa: 'may', mya: 'bur', nld: 'dut', rum: 'ron' },
  ...{ slo: 'slk', sqi: 'alb', zho: 'chi' },
  // Both kinds of Norwegian have one number.
  ...{ nno: 'nor', nob: 'nor' },
}

/** @param type as a stream specifier has it: of sound or of subtitles. */
export function languageArgs(
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

/** Muxers of several sound tracks that say the language of none. */
const muxersWithoutLanguages = ['avi', 'mpeg', 'vob', 'mxf', 'wtv']

/** Where it is not known any more which track is which. */
export function languageWarnings(
  tracks: readonly Pick<MediaStream, 'tags'>[],
  { muxer }: Pick<Container, 'muxer'>,
): MediaWarning[] {
  const languages = new Set(tracks.flatMap(({ tags }) => tags['language']?.match(/^[a-z]{2,3}$/)?.[0] ?? []))
  languages.delete('und')
  if (languages.size < 2 || !muxersWithoutLanguages.includes(muxer)) return []
  const message = `Dropped, as the format has no place for it: which sound track is in which language (${[...languages].join(', ')}).`
  return [{ code: 'METADATA_DROPPED', message }]
}
