/** Pixels; the limits themselves are those of `layers/imagemagick/policy.xml`. */
export const maxSide = 16_000
