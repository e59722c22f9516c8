import type { MediaWarning } from './recipe.ts'

/** What people say of a sound or a film, by ffmpeg's names; all others are notes of programs. */
export const userTags = [
  ...['title', 'artist', 'author', 'album', 'album_artist', 'composer', 'performer', 'publisher', 'genre'],
  ...['date', 'year', 'track', 'disc', 'comment', 'description', 'synopsis', 'lyrics', 'copyright'],
]

/** Muxers that write them where players look for them. Whether those of telephones do is up to the reader. */
const fullTagMuxers = [
  ...['mp3', 'flac', 'ogg', 'opus', 'ipod', 'mp4', 'mov', 'f4v', '3gp', '3g2', 'ismv', 'asf', 'matroska'],
  ...['webm', 'wav', 'aiff', 'caf', 'wv', 'tta', 'avi', 'flv', 'nut'],
]
/** And those that have a place for some. */
const partialTagMuxers: Readonly<Record<string, readonly string[]>> = {
  au: ['title', 'artist', 'album', 'genre', 'track'],
  rm: ['title', 'author', 'comment', 'copyright'],
}

/** Whether nothing is lost, whatever a source says of itself. */
export const supportsAllTags = (muxer: string): boolean => fullTagMuxers.includes(muxer)

export function tagWarnings(tags: readonly string[], muxer: string): MediaWarning[] {
  const lost = userTags.filter((name) => tags.includes(name) && !partialTagMuxers[muxer]?.includes(name))
  if (supportsAllTags(muxer) || lost.length === 0) return []
  const names = lost.map((name) => name.replace('_', ' ')).join(', ')
  return [{ code: 'METADATA_DROPPED', message: `Dropped, as the format has no place for it: ${names}.` }]
}
