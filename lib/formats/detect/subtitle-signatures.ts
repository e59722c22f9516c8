import type { FormatId } from '../index.ts'

/**
 * Patterns for the start of subtitle files, decoded as Latin-1 (a UTF-8 byte order mark is three characters). Formats
 * whose start could also be notes or a table (`[10][25]`, `[12:30]`, `10,25,"words"`) are recognized by the file name
 * only.
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

/** Formats that are recognized by the file name if no pattern matches, for example in UTF-16. */
export const subtitlesByName: readonly FormatId[] = [
  ...(['srt', 'vtt', 'ass', 'ssa', 'sub', 'smi', 'lrc', 'scc', 'mpl2', 'jss', 'pjs', 'aqt'] as const),
]
