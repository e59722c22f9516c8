/** Width × height of one picture, or of all frames of an animation together. */
export const maxPixels = 16_383 ** 2
