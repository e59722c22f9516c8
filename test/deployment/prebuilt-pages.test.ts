import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { prebuiltModules } from '../../lib/deployment/prebuilt-pages.ts'
import { scratchFolder } from '../support/scratch-folder.ts'

test('the prebuilt renderer of PDF pages has the same exports and files as the module that it replaces', async () => {
  const path = 'lib/page/build-drawing.ts'
  const file = join(scratchFolder('prebuilt-pages'), 'build-drawing.mjs')
  await writeFile(file, (await prebuiltModules[path]?.()) ?? '')
  const [replaced, prebuilt] = await Promise.all([import(`../../${path}`), import(pathToFileURL(file).href)])
  assert.deepEqual(Object.keys(prebuilt), Object.keys(replaced))
  const [files, prebuiltFiles] = await Promise.all([
    replaced.buildDrawingFiles(),
    prebuilt.buildDrawingFiles(),
  ])
  assert.deepEqual(Object.keys(prebuiltFiles), Object.keys(files))
  for (const [name, { br }] of Object.entries<{ br: string }>(files))
    assert.equal(prebuiltFiles[name].br, br, name)
})
