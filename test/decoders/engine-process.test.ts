import assert from 'node:assert/strict'
import { readdir, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { after, test } from 'node:test'
import { engineModules } from '../../lib/decoders/engine-modules.ts'
import { stopEngines } from '../../lib/decoders/run-engine.ts'
import { imagemagick } from '../../lib/engines/imagemagick.ts'
import { engines } from '../../lib/engines/index.ts'
import { vips } from '../../lib/engines/vips.ts'
import { convert, fixture, type RunSettings } from '../engines/support/run-engine.ts'
import { listDescendants } from '../support/processes.ts'

after(stopEngines)

const listEngineProcesses = () =>
  listDescendants(process.pid).filter(({ command }) => command.includes('engine-program'))

const convertSlowly = (settings: RunSettings = {}) =>
  convert(vips, fixture('corners.svg'), 'avif', {
    options: { width: 1600, fit: 'scale', quality: 100 },
    ...settings,
  })

test('every engine has a module that decoder processes can load', async () => {
  const ids = engines.map(({ id }) => id)
  assert.deepEqual(Object.keys(engineModules).toSorted(), ids.toSorted())
  assert.ok(engines.every((engine) => !engine.runsInWorker))
  for (const [id, load] of Object.entries(engineModules)) assert.equal((await load()).id, id)
})

test('a decoder process that converts several files reports the warnings of each separately', async () => {
  const convertIcon = () => convert(imagemagick, fixture('corners.ico'), 'bmp')
  assert.deepEqual((await convertIcon()).warnings, ['TRANSPARENCY_DROPPED'])
  assert.deepEqual((await convertIcon()).warnings, ['TRANSPARENCY_DROPPED'])
})

test('a decoder process is reused for the next file, and its folder no longer contains the previous file', async () => {
  await convert(vips, fixture('alpha.png'), 'jpg')
  const pidsBefore = listEngineProcesses().map(({ pid }) => pid)
  const { workDir } = await convert(vips, fixture('corners.jpg'), 'png')
  assert.deepEqual(
    listEngineProcesses().map(({ pid }) => pid),
    pidsBefore,
  )
  const folders = (await readdir(dirname(workDir))).filter((name) =>
    name.startsWith(`mutabor-decoder-${process.pid}-`),
  )
  assert.equal(folders.length, 1)
  const [folder = ''] = folders.map((name) => `${dirname(workDir)}/${name}`)
  assert.deepEqual(await readdir(folder, { recursive: true }), ['out'])
})

test('aborting a conversion step ends its decoder process immediately', async () => {
  const stop = new AbortController()
  const pidsBefore = listEngineProcesses().map(({ pid }) => pid)
  const runningConversion = convertSlowly({ signal: stop.signal })
  setTimeout(() => stop.abort(new Error('cancelled')), 300)
  const startedAt = performance.now()
  await assert.rejects(runningConversion, /cancelled/)
  assert.ok(performance.now() - startedAt < 1500, 'it took too long')
  await new Promise((resolve) => setTimeout(resolve, 300))
  const remainingPids = listEngineProcesses().map(({ pid }) => pid)
  assert.ok(!pidsBefore.every((pid) => remainingPids.includes(pid)), 'its process runs on')
})

test('a conversion step whose decoder process was killed from outside runs again', async () => {
  const runningConversion = convertSlowly()
  await new Promise((resolve) => setTimeout(resolve, 300))
  // The last process is the program itself; its launchers come before it.
  const { pid } = listEngineProcesses().at(-1) ?? {}
  assert.ok(pid)
  process.kill(pid, 'SIGKILL')
  assert.equal((await runningConversion).format, 'avif')
})

test('the result of a decoder process is moved to the folder of the conversion step', async () => {
  const { path, workDir } = await convert(vips, fixture('alpha.png'), 'webp')
  assert.equal(dirname(path), `${workDir}/out`)
  assert.equal((await stat(path)).nlink, 1)
})
