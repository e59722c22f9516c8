import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { createChromium } from '../../../lib/engines/chromium.ts'
import { LossDetector } from '../../../lib/jobs/run/loss-detector.ts'
import { createLog } from '../../../lib/log.ts'
import { scratchFolder } from '../../support/scratch-folder.ts'
import { convert } from '../support/run-engine.ts'

const folder = scratchFolder('counted-words')
const chromium = createChromium()

after(() => chromium.close?.())

/** Pages of so few words that each word counts: a false loss would make another engine convert the page again. */
const pages = {
  'words of a template are neither counted nor subtracted':
    '<p>STATIC words here</p><template><p>template words never shown here</p></template>',
  'a form shows its values':
    '<p>STATIC words here</p><form><input value="INPUT"><textarea>AREA</textarea><select><option>one<option selected>TWO</select></form>',
  'words in a noscript element are not counted as lost':
    '<p>STATIC words here</p><noscript>no scripts</noscript>',
}

for (const [name, body] of Object.entries(pages))
  test(`the loss detector finds no loss in the PDF of a short page: ${name}`, async () => {
    const path = join(folder, 'page.html')
    await writeFile(path, `<!doctype html><html><body>${body}</body></html>`)
    const { result } = await convert(chromium, path, 'pdf')
    using detector = new LossDetector(createLog({ LOG_LEVEL: 'silent', LOG_FILE: undefined }))
    const step = { operation: 'convert', from: 'html', to: 'pdf', options: {} } as const
    detector.start([{ path, format: 'html' }], step)
    await detector.checkStep(step, result, [])
    assert.equal(detector.shortfall, undefined)
    assert.equal(detector.fidelity?.words?.share, 1)
  })
