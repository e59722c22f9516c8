/** Width × height of one picture, or of all frames of an animation together. */
export const maxPixels = 16_383 ** 2

/** Seconds for the pixels of one picture. */
export const timeoutS = 120
