import type { MediaWarning } from './recipe.ts'

/** Tags that people write, by their names in ffmpeg. All other tags are written by programs. */
export const userTagNames = [
  ...['title', 'artist', 'author', 'album', 'album_artist', 'composer', 'performer', 'publisher', 'genre'],
  ...['date', 'year', 'track', 'disc', 'comment', 'description', 'synopsis', 'lyrics', 'copyright'],
]

/** Muxers whose tags players read. For 3GP, this depends on the player. */
const fullTagMuxers = [
  ...['mp3', 'flac', 'ogg', 'opus', 'ipod', 'mp4', 'mov', 'f4v', '3gp', '3g2', 'ismv', 'asf', 'matroska'],
  ...['webm', 'wav', 'aiff', 'caf', 'wv', 'tta', 'avi', 'flv', 'nut'],
]
/** Muxers that support only some tags. */
const tagsByPartialMuxer: Readonly<Record<string, readonly string[]>> = {
  au: ['title', 'artist', 'album', 'genre', 'track'],
  rm: ['title', 'author', 'comment', 'copyright'],
}

/** Whether a muxer supports all tags that a source may have. */
export const supportsAllTags = (muxer: string): boolean => fullTagMuxers.includes(muxer)

export function createTagWarnings(tags: readonly string[], muxer: string): MediaWarning[] {
  const lostTags = userTagNames.filter(
    (name) => tags.includes(name) && !tagsByPartialMuxer[muxer]?.includes(name),
  )
  if (supportsAllTags(muxer) || lostTags.length === 0) return []
  const nameList = lostTags.map((name) => name.replace('_', ' ')).join(', ')
  return [
    {
      code: 'METADATA_DROPPED',
      message: `These tags were dropped because the format cannot store them: ${nameList}.`,
    },
  ]
}
