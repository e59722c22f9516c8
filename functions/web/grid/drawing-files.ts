/**
 * What draws PDFs, as the service serves it beside the sections: the script of a worker, and what that loads for scans, for
 * fonts that are in no file, and for texts of Asian scripts. Only data, as both sides read it. Their names hold no hash:
 * who has them asks whether they are still the same.
 */
export const drawingScript = 'draw-pdf.js'

/** The encodings of ISO 32000-2, table 116, each for lines (H) and for columns (V). */
const encodings = `
  GB-EUC GBpc-EUC GBK-EUC GBKp-EUC GBK2K UniGB-UCS2 UniGB-UTF16
  B5pc HKscs-B5 ETen-B5 ETenms-B5 CNS-EUC UniCNS-UCS2 UniCNS-UTF16
  90ms-RKSJ 90msp-RKSJ 90pv-RKSJ Add-RKSJ EUC Ext-RKSJ UniJIS-UCS2 UniJIS-UCS2-HW UniJIS-UTF16
  KSC-EUC KSCms-UHC KSCms-UHC-HW KSCpc-EUC UniKS-UCS2 UniKS-UTF16`

/** Which letters the glyphs of a script are. */
const unicodeMaps = ['GB1', 'CNS1', 'Japan1', 'Korea1'].map((script) => `Adobe-${script}-UCS2`)

const bothDirections = (name: string) => [`${name}-H`, `${name}-V`]

/** From the package of pdf.js, by its folder. */
export const drawingDataFiles: Readonly<Record<string, readonly string[]>> = {
  wasm: ['jbig2_nowasm_fallback.js', 'openjpeg_nowasm_fallback.js'],
  standard_fonts: ['FoxitDingbats.pfb', 'FoxitSymbol.pfb'],
  cmaps: [
    ...encodings.trim().split(/\s+/).flatMap(bothDirections),
    'H',
    'V',
    '83pv-RKSJ-H',
    ...unicodeMaps,
  ].map((name) => `${name}.bcmap`),
}

export const isDrawingFile = (name: string): boolean =>
  [drawingScript, ...Object.values(drawingDataFiles).flat()].includes(name)
