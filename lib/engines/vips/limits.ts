/** Maximum width × height of an image, or of all frames of an animation together. */
export const maxPixels = 16_383 ** 2

/** Time limit, in seconds, for processing the pixels of one image. */
export const timeoutS = 120
