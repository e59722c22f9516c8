/**
 * What draws PDFs, as the service serves it beside the sections: the script of a worker, and what that loads for scans and
 * for fonts that are in no file. Only data, as both sides read it. Their names hold no hash: who has them asks whether
 * they are still the same.
 */
export const drawingScript = 'draw-pdf.js'

/** From the package of pdf.js, by its folder. */
export const drawingData = {
  wasm: ['jbig2_nowasm_fallback.js', 'openjpeg_nowasm_fallback.js'],
  standard_fonts: ['FoxitDingbats.pfb', 'FoxitSymbol.pfb'],
} as const

export const isOfDrawing = (name: string): boolean =>
  [drawingScript, ...Object.values(drawingData).flat()].includes(name)
