/** Numbers from 0 to 1 that are the same on every machine for the same words (FNV-1a, then mulberry32). */
export function seededRandom(words: string): () => number {
  let state = 2_166_136_261
  for (const letter of words) state = Math.imul(state ^ (letter.codePointAt(0) ?? 0), 16_777_619)
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

export function oneOf<T>(all: readonly [T, ...T[]], random: () => number): T {
  return all[Math.floor(random() * all.length)] ?? all[0]
}
