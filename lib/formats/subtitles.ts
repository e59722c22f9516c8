import type { FormatRow } from './format.ts'

/** Timed text for videos and songs. */
export const subtitles = [
  {
    id: 'srt',
    name: 'SubRip subtitles',
    extensions: ['srt'],
    mimeTypes: ['application/x-subrip', 'text/srt'],
    aliases: ['subrip'],
  },
  { id: 'vtt', name: 'WebVTT subtitles', extensions: ['vtt'], mimeTypes: ['text/vtt'], aliases: ['webvtt'] },
  {
    id: 'ass',
    name: 'Advanced SubStation Alpha subtitles',
    extensions: ['ass'],
    mimeTypes: ['text/x-ass', 'text/x-ssa'],
  },
  { id: 'ssa', name: 'SubStation Alpha subtitles', extensions: ['ssa'], mimeTypes: ['text/x-ssa'] },
  {
    id: 'sub',
    name: 'MicroDVD or SubViewer subtitles',
    extensions: ['sub'],
    mimeTypes: ['text/x-microdvd', 'text/x-subviewer'],
    aliases: ['microdvd', 'subviewer'],
  },
  {
    id: 'smi',
    name: 'SAMI subtitles',
    extensions: ['smi', 'sami'],
    mimeTypes: ['application/x-sami'],
  },
  {
    id: 'ttml',
    name: 'Timed Text Markup Language',
    extensions: ['ttml', 'dfxp'],
    mimeTypes: ['application/ttml+xml'],
  },
  {
    id: 'lrc',
    name: 'Lyrics with times',
    extensions: ['lrc'],
    mimeTypes: ['application/x-lrc', 'text/x-lrc'],
  },
  { id: 'scc', name: 'Scenarist closed captions', extensions: ['scc'], mimeTypes: ['text/x-scc'] },
  { id: 'mpl2', name: 'MPL2 subtitles', extensions: ['mpl2', 'mpl'], mimeTypes: ['text/x-mpl2'] },
  { id: 'jss', name: 'JACOsub subtitles', extensions: ['jss'], mimeTypes: ['text/x-jacosub'] },
  { id: 'pjs', name: 'Phoenix Japanimation subtitles', extensions: ['pjs'], mimeTypes: ['text/x-pjs'] },
  { id: 'aqt', name: 'AQTitle subtitles', extensions: ['aqt'], mimeTypes: ['text/x-aqtitle'] },
] as const satisfies readonly FormatRow[]
