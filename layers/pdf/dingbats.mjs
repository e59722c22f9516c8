// Zapf Dingbats, one of the 14 standard fonts of PDF (ISO 32000-1, annex D.6).

/** Glyph names without their `a` for the codes 0x21 to 0x7e. Unicode has these characters in the same order. */
const lowerGlyphNames = [
  ...[
    1, 2, 202, 3, 4, 5, 119, 118, 117, 11, 12, 13, 14, 15, 16, 105, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26,
    27,
  ],
  ...[28, 6, 7, 8, 9, 10, ...range(29, 74), 203, 75, 204, 76, 77, 78, 79, 81, 82, 83, 84, 97, 98, 99, 100],
]
/** Glyph names for the codes 0xa1 to 0xef, and from 0xf1 on. */
const upperGlyphNames = [
  ...[101, 102, 103, 104, 106, 107, 108, 112, 111, 110, 109, ...range(120, 161), 163, 164, 196, 165, 192],
  ...[...range(166, 173), 162, ...range(174, 179), 193, 180, 199, 181, 200, 182],
]
const lastGlyphNames = [201, 183, 184, 197, 185, 194, 198, 186, 195, 187, 188, 189, 190, 191]
/** Characters that Unicode has outside of its Dingbats block. */
const charactersOutsideBlock = new Map([
  ...Object.entries({
    4: '☎',
    11: '☛',
    12: '☞',
    35: '★',
    71: '●',
    73: '■',
    76: '▲',
    77: '▼',
    78: '◆',
    81: '◗',
  }),
  ...Object.entries({ 112: '♣', 111: '♦', 110: '♥', 109: '♠', 161: '→', 163: '↔', 164: '↕' }),
  ...range(120, 129).map((name, at) => [String(name), String.fromCodePoint(0x2460 + at)]),
])

const pairWithCharacters = (names, first) =>
  names.map((name, at) => [
    name,
    charactersOutsideBlock.get(String(name)) ?? String.fromCodePoint(first + at),
  ])
const characters = new Map([
  ...pairWithCharacters(lowerGlyphNames, 0x2701),
  ...pairWithCharacters(upperGlyphNames, 0x2761),
  ...pairWithCharacters(lastGlyphNames, 0x27b1),
])

function range(from, to) {
  return Array.from({ length: to - from + 1 }, (_, at) => from + at)
}

/**
 * Returns the character of a glyph. MuPDF reports the number in the glyph's name as its character code. Code 32 is more
 * likely a space than the glyph `a32`.
 */
export const decodeDingbat = (char, font) =>
  (char !== ' ' && font.endsWith('ZapfDingbats') && characters.get(char.codePointAt(0))) || char
