import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { TextReader, Uint8ArrayWriter, ZipWriter } from '@zip.js/zip.js'
import { readConfig } from '../../lib/config.ts'
import type { OutputFile } from '../../lib/engines/engine.ts'
import type { StepsOutput } from '../../lib/jobs/run/run-steps.ts'
import { storeChunks, storeFiles } from '../../lib/jobs/run/store-files.ts'
import type { TaskServices } from '../../lib/jobs/run/task-services.ts'
import type { InputPlan, Task } from '../../lib/model/job.ts'
import { scratchFolder } from '../support/scratch-folder.ts'
import { EffectGate } from './function-instance.ts'
import { MemoryFiles } from './memory-files.ts'
import { createStoredImport, file, newJob, newTask, withTasks } from './records.ts'

const folder = scratchFolder('store-files')
const files = new MemoryFiles(readConfig({ LOG_LEVEL: 'silent' }), new EffectGate())
const services = { files } as unknown as TaskServices // a stub with only the members that are used

const spec = { options: {} }
const [workTask] = withTasks(newJob([createStoredImport('in'), newTask('work', [0], { spec })]), {
  work: { attempt: 2 },
}).tasks
// Of the steps, only their number is used.
const inputPlan = { files: [file('source.tar.gz')], steps: [{}, {}] } as InputPlan

async function storeFile(
  name: string,
  text: string,
  moreFields: Partial<OutputFile> = {},
): Promise<OutputFile> {
  const path = join(folder, name)
  await writeFile(path, text)
  return { path, ...moreFields }
}

async function storeOutput(output: OutputFile, moreFields: Partial<Task> = {}, nextStep = 2, at = 0) {
  assert.ok(workTask)
  // The engine is not used.
  const stepsOutput = { result: { files: [output] }, format: 'txt', nextStep } as unknown as StepsOutput
  const [onlyFile] = await storeFiles(
    { services, task: { ...workTask, ...moreFields } },
    inputPlan,
    at,
    stepsOutput,
  )
  assert.ok(onlyFile)
  return onlyFile
}

describe('storing a result file', () => {
  test('a result file is stored under a key of its attempt, and named after its source with the new extension', async () => {
    const onlyFile = await storeOutput(await storeFile('a', 'abc'))
    assert.deepEqual(onlyFile, {
      key: 'jobs/job_1/1/0-0-2-0.2.0-0.txt',
      filename: 'source.txt',
      format: 'txt',
      mimeType: 'text/plain',
      size: 3,
      sha256: 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
    })
    assert.equal(Buffer.from(files.objects.get(onlyFile.key) ?? []).toString(), 'abc')
    const chunkFile = await storeOutput(await storeFile('a', 'abc'), { part: 2007, expandedBy: 1 }, 1, 3)
    assert.match(chunkFile.key, /1\/2007-3-1-1\.2\.0-0\.txt$/)
  })

  test('a result file is named by the filename template of its task, except for intermediate files and chunks', async () => {
    const workWithFilename = { spec: { ...spec, filename: '{jobId}-{name}' } }
    const getStoredName = async (overrides: Partial<Task>, nextStep = 2, suffix = '-001') =>
      (await storeOutput(await storeFile('a', 'abc', { suffix }), overrides, nextStep)).filename
    const requestedName = await getStoredName(workWithFilename)
    assert.match(requestedName, /^job_1-source/)
    assert.equal(await getStoredName(workWithFilename, 1), 'source.tar-001.txt')
    assert.equal(await getStoredName({ ...workWithFilename, part: 1000 }), 'source.tar-001.txt')
    assert.equal(await getStoredName({}), 'source.tar-001.txt')
  })

  test('a ZIP that takes too much memory to be listed is stored as one file', async () => {
    const zip = new ZipWriter(new Uint8ArrayWriter())
    await zip.add('manifest.json', new TextReader(`{"pages":[${'{},'.repeat(20_000_000)}{}]}`), { level: 1 })
    const path = join(folder, 'bomb.zip')
    await writeFile(path, await zip.close())
    const { format, members } = await storeOutput({ path, format: 'zip' })
    assert.deepEqual([format, members], ['zip', undefined])
  })

  test('a result file has the format that its engine reports, and an extracted file has its detected format', async () => {
    const program = '\x7fELF\x02\x01\x01\0\0\0'
    const format = async (text: string, moreFields: Partial<OutputFile>) => {
      const onlyFile = await storeOutput(await storeFile('member', text, moreFields))
      return [onlyFile.filename, onlyFile.format, onlyFile.mimeType, onlyFile.key.replace(/.*\./, '')]
    }
    assert.deepEqual(await format('<svg xmlns="http://www.w3.org/2000/svg"/>', { filename: 'a.svg' }), [
      ...['a.svg', 'svg', 'image/svg+xml', 'svg'],
    ])
    assert.deepEqual(await format('abc', { filename: 'a.zip', format: 'zip' }), [
      ...['a.zip', 'zip', 'application/zip', 'zip'],
    ])
    assert.deepEqual(await format(program, { filename: 'odd.QQq' }), [
      ...['odd.QQq', 'unknown', 'application/octet-stream', 'qqq'],
    ])
    assert.deepEqual(await format(program, { filename: 'odd' }), [
      ...['odd', 'unknown', 'application/octet-stream', 'bin'],
    ])
  })

  test('the file that was cut for a chunk is recorded with that chunk, with a key, format and size of its own', async () => {
    assert.ok(workTask)
    const chunkSpecs = [
      { spec: { from: 1 }, file: { path: (await storeFile('cut', 'abcd')).path, format: 'pdf' } },
      { spec: { from: 2 } },
    ] as Parameters<typeof storeChunks>[2] // chunk specs are passed on unchanged
    const [firstStored, secondStored] = await storeChunks({ services, task: workTask }, inputPlan, chunkSpecs)
    assert.deepEqual([firstStored?.spec, secondStored], [chunkSpecs[0]?.spec, { spec: chunkSpecs[1]?.spec }])
    const { key, filename, format, mimeType, size } = firstStored?.file ?? {}
    assert.deepEqual(
      [key, filename, format, mimeType, size],
      ['jobs/job_1/1/cut-2.0-0.pdf', 'source.tar.gz', 'pdf', 'application/pdf', 4],
    )
  })
})
