/**
 * The files needed to draw PDFs in the browser: a worker script, and the data it loads for scans, fonts that are not
 * embedded, and Asian text. This module contains only data, because both the server and the page import it. The names
 * contain no hash, so browsers revalidate the files.
 */
export const drawingScript = 'draw-pdf.js'

/** The predefined CMaps of ISO 32000-2, table 116, that exist for both horizontal (-H) and vertical (-V) writing. */
const encodings = `
  GB-EUC GBpc-EUC GBK-EUC GBKp-EUC GBK2K UniGB-UCS2 UniGB-UTF16
  B5pc HKscs-B5 ETen-B5 ETenms-B5 CNS-EUC UniCNS-UCS2 UniCNS-UTF16
  90ms-RKSJ 90msp-RKSJ 90pv-RKSJ Add-RKSJ EUC Ext-RKSJ UniJIS-UCS2 UniJIS-UCS2-HW UniJIS-UTF16
  KSC-EUC KSCms-UHC KSCms-UHC-HW KSCpc-EUC UniKS-UCS2 UniKS-UTF16`

/** CMaps that map the glyphs of a character collection to Unicode. */
const unicodeMaps = ['GB1', 'CNS1', 'Japan1', 'Korea1'].map((script) => `Adobe-${script}-UCS2`)

const listCmapNames = (name: string) => [`${name}-H`, `${name}-V`]

/** Files in the pdf.js package, by folder. */
export const drawingDataFiles: Readonly<Record<string, readonly string[]>> = {
  wasm: ['jbig2_nowasm_fallback.js', 'openjpeg_nowasm_fallback.js'],
  standard_fonts: ['FoxitDingbats.pfb', 'FoxitSymbol.pfb'],
  cmaps: [
    ...encodings.trim().split(/\s+/).flatMap(listCmapNames),
    'H',
    'V',
    '83pv-RKSJ-H',
    ...unicodeMaps,
  ].map((name) => `${name}.bcmap`),
}

export const isDrawingFile = (name: string): boolean =>
  [drawingScript, ...Object.values(drawingDataFiles).flat()].includes(name)
