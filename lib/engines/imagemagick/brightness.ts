/** Light of a photograph may be some times as bright as paper; a byte is more. */
export const mostLight = 16

/**
 * What fractions are multiplied by, so that 1 is white. Programs mean the scale in three ways: as a factor, as the
 * brightest value, or not at all; the first that fits the values is meant. Where none does they are shades of 8 or 16
 * bits, or light, whose highlights are white in a picture.
 */
export function factorFor(most: number, scale: number): number {
  const meant = [scale, 1, 1 / scale].find((factor) => most * factor <= 1.0001)
  if (meant !== undefined) return meant
  if (most <= mostLight) return scale
  return 1 / (most <= 255.5 ? 255 : most <= 65_535.5 ? 65_535 : most)
}
