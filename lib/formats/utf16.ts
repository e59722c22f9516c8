/** Of units that are read as UTF-16, the share that has to make sense. */
const minPlausibility = 0.9
/** Of bytes of UTF-16, those that are signs of ASCII by themselves: half of an English text, less of others. */
const maxAsciiShare = 0.8
const maxSampleBytes = 64 * 1024

/**
 * UTF-16 without a mark. Only there a text has bytes of zero, one for each sign and line end; with the bytes of its
 * units in the wrong order it holds few spaces and line ends, and letters of all the world.
 */
export function detectUtf16(head: Uint8Array): 'utf-16le' | 'utf-16be' | undefined {
  const sample = head.subarray(0, maxSampleBytes)
  if (sample.length < 2 || !sample.includes(0) || isMostlyAscii(sample)) return undefined
  const [little, big] = [plausibilityOf(sample, true), plausibilityOf(sample, false)]
  if (Math.max(little, big) < minPlausibility) return undefined
  return little > big ? 'utf-16le' : 'utf-16be'
}

/** A byte of zero that got into a text in ASCII, whose letters in pairs are Chinese. */
const isMostlyAscii = (sample: Uint8Array) => sample.filter(isAscii).length > sample.length * maxAsciiShare

/** For each unit 2 where it is a sign of ASCII, 1 where it is of a script that fills texts, nothing for the others. */
function plausibilityOf(sample: Uint8Array, isLittle: boolean): number {
  const view = new DataView(sample.buffer, sample.byteOffset, sample.byteLength)
  const units = Math.floor(sample.length / 2)
  let score = 0
  for (let at = 0; at < units; at++) {
    const unit = view.getUint16(at * 2, isLittle)
    // No text holds it; of bytes of zero in a row are other files made.
    if (unit === 0) return 0
    score += isAscii(unit) ? 2 : isInCommonScript(unit) ? 1 : 0
  }
  return score / units
}

const isAscii = (unit: number) =>
  (unit >= 0x20 && unit < 0x7f) || unit === 0x09 || unit === 0x0a || unit === 0x0d

/** European and Semitic letters and those of India, punctuation, East Asian signs, and halves of what lies beyond. */
const isInCommonScript = (unit: number) =>
  (unit >= 0xa0 && unit < 0x1000) ||
  (unit >= 0x2010 && unit < 0x2800) ||
  (unit >= 0x3000 && unit < 0xa000) ||
  (unit >= 0xac00 && unit < 0xe000) ||
  (unit >= 0xff00 && unit < 0xfff0)
