/** Converts points (1/72 inch) to twentieths of a point, Word's unit for pages (ECMA-376, ST_TwipsMeasure). */
export const toTwips = (points: number) => Math.round(points * 20)

/** Converts points to pixels at 96 per inch, the unit of images in the docx library; at least one. */
export const toPixels = (points: number) => Math.max(1, Math.round((points * 96) / 72))

/** Converts points to English Metric Units, Word's unit for drawings (ECMA-376, ST_PositionOffset). */
export const toEmus = (points: number) => Math.round(points * 12_700)
