/** Returns a generator of random numbers from 0 to 1 that only depend on the seed string (FNV-1a, then mulberry32). */
export function createSeededRandom(seed: string): () => number {
  let state = 2_166_136_261
  for (const character of seed) state = Math.imul(state ^ (character.codePointAt(0) ?? 0), 16_777_619)
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixedBits = Math.imul(state ^ (state >>> 15), 1 | state)
    mixedBits = (mixedBits + Math.imul(mixedBits ^ (mixedBits >>> 7), 61 | mixedBits)) ^ mixedBits
    return ((mixedBits ^ (mixedBits >>> 14)) >>> 0) / 2 ** 32
  }
}

export function pickOne<T>(allValues: readonly [T, ...T[]], random: () => number): T {
  return allValues[Math.floor(random() * allValues.length)] ?? allValues[0]
}
