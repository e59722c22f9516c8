import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, globSync } from 'node:fs'
import { test } from 'node:test'
import { engineIds, imageIds } from '../../lib/component-ids.ts'
import { engines } from '../../lib/engines/index.ts'
import { categories } from '../../lib/formats/index.ts'
import { areas } from '../mutate/areas.ts'
import { rows } from './affected.ts'
import durations from './durations.json' with { type: 'json' }
import { findRow } from './select.ts'

const slowFiles = globSync('test/**/*.slow.ts').sort()
/**
 * Whether a test runs in a container image. `npm run images:test` runs these tests, with the image that a row names.
 */
const isImageTest = (file: string) => file.startsWith('test/layers/')
const paths = rows.flatMap((row) => row.paths)

/** Folders directly in a folder that have files, sorted. */
const listFolders = (folder: string) => [
  ...new Set(
    globSync(`${folder}/*/**/*.ts`).map((file) => file.split('/', folder.split('/').length + 1).join('/')),
  ),
]

test('the table of CI checks lists every slow test file outside test/layers, and each has a recorded duration', () => {
  const listedFiles = new Set(rows.flatMap(({ slow = [] }) => slow))
  const expectedFiles = slowFiles.filter((file) => !isImageTest(file))
  assert.deepEqual([...listedFiles].sort(), expectedFiles)
  assert.deepEqual(
    Object.keys(durations)
      .filter((key) => key.endsWith('.slow.ts'))
      .sort(),
    expectedFiles,
  )
})

test('the table of CI checks covers every top-level path and every folder of lib and functions', () => {
  const root = execFileSync('git', ['ls-tree', '--name-only', '-z', 'HEAD'], { encoding: 'utf8' })
  const expectedPaths = [
    ...root.split('\0').filter((name) => name !== ''),
    ...['lib', 'functions'].flatMap(listFolders),
  ]
  assert.deepEqual(
    expectedPaths.filter((path) => !paths.includes(path)),
    [],
  )
})

test('the table of CI checks lists only existing paths, each in one row', () => {
  assert.deepEqual(
    paths.filter((path) => !existsSync(path)),
    [],
  )
  assert.equal(new Set(paths).size, paths.length)
})

test('the table of CI checks lists every mutation area, engine, category and container image', () => {
  const values = <T>(of: (row: (typeof rows)[number]) => readonly T[]) =>
    [...new Set(rows.flatMap(of))].sort()
  assert.deepEqual(
    values(({ mutate }) => (mutate ? [mutate] : [])),
    areas.map(({ name }) => name).sort(),
  )
  // Rows with all engines repeat every conversion, so only rows with one engine or a few are compared.
  const listEngines = (row: (typeof rows)[number]) => (row.engines === engineIds ? [] : (row.engines ?? []))
  assert.deepEqual(values(listEngines), [...engineIds].sort())
  assert.deepEqual(
    values(({ sweep = [] }) => (sweep === categories ? [] : sweep)),
    [...categories].sort(),
  )
  assert.deepEqual(
    values(({ image }) => (image ? [image] : [])),
    [...imageIds].sort(),
  )
})

test('the source file of each engine selects the CI checks of that engine and its container image', () => {
  for (const { id, image } of engines) {
    const name = id === '7zip' ? 'seven-zip' : id
    const row = findRow(`lib/engines/${name}.ts`)
    assert.ok(row?.engines?.includes(id), `the row of ${name}.ts repeats no conversions of ${id}`)
    assert.equal(row?.image, image, `the row of ${name}.ts tries another image`)
  }
})

test('besides slow tests, durations are recorded for exactly the CI steps, container images and mutation areas', () => {
  const otherKeys = Object.keys(durations).filter((key) => !key.endsWith('.slow.ts'))
  assert.deepEqual(
    otherKeys.sort(),
    [
      ...['check', 'conformance', 'deploy:check', 'setup', 'sweep', 'test --all'],
      ...[...imageIds, 'all'].map((name) => `image ${name}`),
      ...areas.map(({ name }) => `mutate ${name}`),
    ].sort(),
  )
})
