import { open } from 'node:fs/promises'

/** Print styles: pages use the full paper width, tables are not cut off, headings stay with their text. */
export const printStyle = `<style>
@page { margin: 20mm }
@media print {
  html { font-size: 11pt; line-height: 1.4; background: none }
  body { max-width: none; margin: 0; padding: 0; font-size: 11pt }
  h1, h2, h3, h4, h5, h6 { break-after: avoid }
  p { orphans: 2; widows: 2 }
  img, figure, tr { break-inside: avoid }
  img, svg { max-width: 100%; max-height: 250mm }
  pre { white-space: pre-wrap; overflow-wrap: anywhere }
  table { display: table; overflow: visible; width: auto }
  thead { display: table-header-group }
  a { color: inherit }
}
</style>
`

const headBytes = 4096
const generatorPattern = /^[ \t]{0,99}<meta name="generator" content="pandoc"\s{0,9}\/?>\n?/m

/** Blanks out pandoc's generator tag, in place because pages may be large. */
export async function removeGenerator(path: string): Promise<void> {
  await using file = await open(path, 'r+')
  const { buffer, bytesRead } = await file.read(Buffer.alloc(headBytes), 0, headBytes, 0)
  const match = generatorPattern.exec(buffer.toString('latin1', 0, bytesRead))
  if (match) await file.write(match[0].replaceAll(/[^\n]/g, ' '), match.index, 'latin1')
}
