/** Minimum average plausibility of the code units, see `scorePlausibility`. */
const minPlausibility = 0.9
/** Maximum share of ASCII bytes; in UTF-16, the share is a half for English text and lower for other languages. */
const maxAsciiShare = 0.8
const maxSampleBytes = 64 * 1024

/**
 * Detects UTF-16 without a byte order mark. Only UTF-16 text contains zero bytes, one per ASCII character. In the wrong
 * byte order, text has few spaces and line breaks, and characters of many unrelated scripts.
 */
export function detectUtf16(head: Uint8Array): 'utf-16le' | 'utf-16be' | undefined {
  const sample = head.subarray(0, maxSampleBytes)
  if (sample.length < 2 || !sample.includes(0) || isMostlyAscii(sample)) return undefined
  const [littleScore, bigScore] = [scorePlausibility(sample, true), scorePlausibility(sample, false)]
  if (Math.max(littleScore, bigScore) < minPlausibility) return undefined
  return littleScore > bigScore ? 'utf-16le' : 'utf-16be'
}

/** Whether a sample is ASCII text with a stray zero byte, which would be Chinese text in UTF-16. */
const isMostlyAscii = (sample: Uint8Array) => sample.filter(isAscii).length > sample.length * maxAsciiShare

/** Returns the average score of the code units: 2 for an ASCII character, 1 for a common script, 0 otherwise. */
function scorePlausibility(sample: Uint8Array, isLittleEndian: boolean): number {
  const view = new DataView(sample.buffer, sample.byteOffset, sample.byteLength)
  const unitCount = Math.floor(sample.length / 2)
  let totalScore = 0
  for (let at = 0; at < unitCount; at++) {
    const codeUnit = view.getUint16(at * 2, isLittleEndian)
    // Text contains no NUL, and binary files contain runs of zero bytes.
    if (codeUnit === 0) return 0
    totalScore += isAscii(codeUnit) ? 2 : isInCommonScript(codeUnit) ? 1 : 0
  }
  return totalScore / unitCount
}

const isAscii = (codeUnit: number) =>
  (codeUnit >= 0x20 && codeUnit < 0x7f) || codeUnit === 0x09 || codeUnit === 0x0a || codeUnit === 0x0d

/** Whether a code unit belongs to European, Semitic, Indic or East Asian scripts, or is punctuation or a surrogate. */
const isInCommonScript = (codeUnit: number) =>
  (codeUnit >= 0xa0 && codeUnit < 0x1000) ||
  (codeUnit >= 0x2010 && codeUnit < 0x2800) ||
  (codeUnit >= 0x3000 && codeUnit < 0xa000) ||
  (codeUnit >= 0xac00 && codeUnit < 0xe000) ||
  (codeUnit >= 0xff00 && codeUnit < 0xfff0)
