import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { chromium } from '../../../lib/engines/chromium.ts'
import { ghostscript } from '../../../lib/engines/ghostscript.ts'
import { scratchFolder } from '../../support/scratch-folder.ts'
import { readStdout } from '../support/inspect-result.ts'
import { convert } from '../support/run-engine.ts'

after(() => chromium.close?.())

const drawing = `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="400" height="200" viewBox="0 0 200 100">
<a xlink:href="https://example.com/old"><text x="10" y="30">old</text></a>
<a href="https://example.com/new"><rect x="100" y="50" width="80" height="30"/></a>
<a href="javascript:alert(1)"><rect width="9" height="9"/></a></svg>`

for (const engine of [ghostscript, chromium])
  test(`${engine.id} keeps the links of an SVG in a valid PDF`, async () => {
    const source = join(scratchFolder('svg-links'), 'drawing.svg')
    await writeFile(source, drawing)
    const { path } = await convert(engine, source, 'pdf')
    const addresses = await readStdout('pdfinfo', '-url', path)
    assert.deepEqual(addresses.match(/https?:.*|javascript.*/g), [
      'https://example.com/old',
      'https://example.com/new',
    ])
    // Fails with warnings too.
    await readStdout('qpdf', '--check', path)
    const areas = await readStdout('qpdf', '--qdf', '--object-streams=disable', path, '-')
    const edges = [...areas.matchAll(/\/Rect \[\s+([\d.]+)\s+([\d.]+)\s+([\d.]+)\s+([\d.]+)/g)].at(1)
    // The rectangle from (200, 100) to (360, 160) in pixels, in points from the bottom.
    for (const [at, edge] of [150, 30, 270, 75].entries())
      assert.ok(Math.abs(Number(edges?.[at + 1]) - edge) <= 1, String(edges))
  })
