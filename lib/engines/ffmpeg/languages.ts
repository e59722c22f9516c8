import type { Container } from './containers.ts'
import type { MediaStream } from './probe.ts'

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
