/** Minimum average plausibility of the code units, see `plausibilityOf`. */
const minPlausibility = 0.9
/** Share of bytes that are ASCII characters; in UTF-16 it is half for English text and less for other languages. */
const maxAsciiShare = 0.8
const maxSampleBytes = 64 * 1024

/**
 * Detects UTF-16 without a byte order mark. Only UTF-16 text contains zero bytes, one per ASCII character; read in the
 * wrong byte order, it has few spaces and line breaks, and characters of many unrelated scripts.
 */
export function detectUtf16(head: Uint8Array): 'utf-16le' | 'utf-16be' | undefined {
  const sample = head.subarray(0, maxSampleBytes)
  if (sample.length < 2 || !sample.includes(0) || isMostlyAscii(sample)) return undefined
  const [little, big] = [plausibilityOf(sample, true), plausibilityOf(sample, false)]
  if (Math.max(little, big) < minPlausibility) return undefined
  return little > big ? 'utf-16le' : 'utf-16be'
}

/** Excludes ASCII text with a stray zero byte, which reads as Chinese in UTF-16. */
const isMostlyAscii = (sample: Uint8Array) => sample.filter(isAscii).length > sample.length * maxAsciiShare

/** Averages over the code units: 2 for an ASCII character, 1 for a common script, 0 otherwise. */
function plausibilityOf(sample: Uint8Array, isLittle: boolean): number {
  const view = new DataView(sample.buffer, sample.byteOffset, sample.byteLength)
  const units = Math.floor(sample.length / 2)
  let score = 0
  for (let at = 0; at < units; at++) {
    const unit = view.getUint16(at * 2, isLittle)
    // Text contains no NUL; runs of zero bytes occur in binary files.
    if (unit === 0) return 0
    score += isAscii(unit) ? 2 : isInCommonScript(unit) ? 1 : 0
  }
  return score / units
}

const isAscii = (unit: number) =>
  (unit >= 0x20 && unit < 0x7f) || unit === 0x09 || unit === 0x0a || unit === 0x0d

/** European, Semitic and Indic scripts, punctuation, East Asian scripts, and surrogates. */
const isInCommonScript = (unit: number) =>
  (unit >= 0xa0 && unit < 0x1000) ||
  (unit >= 0x2010 && unit < 0x2800) ||
  (unit >= 0x3000 && unit < 0xa000) ||
  (unit >= 0xac00 && unit < 0xe000) ||
  (unit >= 0xff00 && unit < 0xfff0)
