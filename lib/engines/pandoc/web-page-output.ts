import { open } from 'node:fs/promises'

/** How a web page is printed: as wide as the paper, all of a table in sight, no heading alone at the foot of a page. */
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
const generator = /^\s*<meta name="generator" content="pandoc"\s*\/?>\n?/m

/** Takes the name of the program out of a page, which is no more its author than a pen. In place: pages may be large. */
export async function forgetMaker(path: string): Promise<void> {
  await using file = await open(path, 'r+')
  const { buffer, bytesRead } = await file.read(Buffer.alloc(headBytes), 0, headBytes, 0)
  const found = generator.exec(buffer.toString('latin1', 0, bytesRead))
  if (found) await file.write(found[0].replaceAll(/[^\n]/g, ' '), found.index, 'latin1')
}
