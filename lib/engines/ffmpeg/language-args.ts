import type { Container } from './containers.ts'
import type { MediaStream } from './probe.ts'
import type { Warning } from './recipe.ts'

/**
 * QuickTime films number their languages, and ffmpeg finds the numbers by one of the two codes that some have (ISO 639-2):
 * mostly the older one, where MP4 and Matroska have either.
 */
const numberedAs: Readonly<Record<string, string>> = {
  ...{ bod: 'tib', cym: 'wel', cze: 'ces', deu: 'ger', ell: 'gre', eus: 'baq', fas: 'per', fre: 'fra' },
  ...{ hye: 'arm', isl: 'ice', kat: 'geo', mkd: 'mac', msa: 'may', mya: 'bur', nld: 'dut', rum: 'ron' },
  ...{ slo: 'slk', sqi: 'alb', zho: 'chi' },
  // Both kinds of Norwegian have one number.
  ...{ nno: 'nor', nob: 'nor' },
}

/** @param type as a stream specifier has it: of sound or of subtitles. */
export function languageArgs(
  type: 'a' | 's',
  kept: readonly Pick<MediaStream, 'tags'>[],
  { muxer }: Pick<Container, 'muxer'>,
): string[] {
  if (muxer !== 'mov') return []
  return kept.flatMap(({ tags: { language = '' } }, index) => {
    const code = Object.hasOwn(numberedAs, language) ? numberedAs[language] : undefined
    return code === undefined ? [] : [`-metadata:s:${type}:${index}`, `language=${code}`]
  })
}

/** Muxers of several sound tracks that say the language of none. */
const nameless = ['avi', 'mpeg', 'vob', 'mxf', 'wtv']

/** Where it is not known any more which track is which. */
export function languagesWarning(
  kept: readonly Pick<MediaStream, 'tags'>[],
  { muxer }: Pick<Container, 'muxer'>,
): Warning[] {
  const told = new Set(kept.flatMap(({ tags }) => tags['language']?.match(/^[a-z]{2,3}$/)?.[0] ?? []))
  told.delete('und')
  if (told.size < 2 || !nameless.includes(muxer)) return []
  const message = `Dropped, as the format has no place for it: which sound track is in which language (${[...told].join(', ')}).`
  return [{ code: 'METADATA_DROPPED', message }]
}
