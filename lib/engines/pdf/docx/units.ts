/** PDF measures in points, of which an inch has 72. */

/** Twentieths of a point, in which Word measures pages (ECMA-376, ST_TwipsMeasure). */
export const toTwips = (points: number) => Math.round(points * 20)

/** Of pictures, which the writer of documents measures at 96 to the inch; a picture has at least one. */
export const toPixels = (points: number) => Math.max(1, Math.round((points * 96) / 72))
