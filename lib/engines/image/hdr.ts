/** In cd/m²: the white of paper (BT.2408), and the lights that films and pictures are made for as a rule. */
export const [white, brightest] = [203, 1000] as const

/** Of white: lights up to it stay as they are, and all above come closer together. */
export const knee = 0.7

/** @param kind PQ or HLG. */
export const convertedRange = (what: 'film' | 'picture', kind: string): string =>
  `The ${what} is of high dynamic range (${kind}): its colors were converted to those of usual screens.`
