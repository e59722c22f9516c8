import type { FormatId } from '../index.ts'

/**
 * How the bytes of subtitles begin, read as Latin letters: a byte order mark of UTF-8 is three of them. Where notes
 * or tables may begin alike (`[10][25]`, `[12:30]`, `10,25,"words"`) the name has to say so.
 */
export const subtitlePatterns: readonly (readonly [RegExp, FormatId])[] = [
  [/^(?:\xef\xbb\xbf)?WEBVTT(?:[ \t\r\n]|$)/, 'vtt'],
  [/^(?:\xef\xbb\xbf)?\s*\[Script Info\][\s\S]*?\nScriptType:\s*v4\.00\s*?\n/i, 'ssa'],
  [/^(?:\xef\xbb\xbf)?\s*\[Script Info\]/i, 'ass'],
  [/^(?:\xef\xbb\xbf)?Scenarist_SCC V/, 'scc'],
  [/^(?:\xef\xbb\xbf)?\s*\d+\s*\r?\n\d{1,2}:\d\d:\d\d[,.]\d{1,3}\s*-->\s*\d{1,2}:\d\d:\d\d/, 'srt'],
  [/^(?:\xef\xbb\xbf)?\s*\{\d+\}\{\d+\}/, 'sub'],
  [/^(?:\xef\xbb\xbf)?\s*\[INFORMATION\]\s*\[TITLE\]/i, 'sub'],
  [/^(?:\xef\xbb\xbf)?\s*\[(?:ti|ar|al|au|by|re|ve|la|length|offset):[^\]\n]*\]\s*[[\r\n]/, 'lrc'],
]

/** Taken for what their name says where no mark is found, as in UTF-16. */
export const subtitlesByName: readonly FormatId[] = [
  ...(['srt', 'vtt', 'ass', 'ssa', 'sub', 'smi', 'lrc', 'scc', 'mpl2', 'jss', 'pjs', 'aqt'] as const),
]
