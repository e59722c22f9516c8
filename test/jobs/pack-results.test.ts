import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { test } from 'node:test'
import { BlobReader, TextWriter, ZipReader } from '@zip.js/zip.js'
import { AppError } from '../../lib/errors.ts'
import { packResultsIntoZip, streamZip } from '../../lib/jobs/run/pack-results.ts'
import type { StoredFile } from '../../lib/model/job.ts'
import { complete, createStoredImport, file, newJob, newTask, withTasks } from './records.ts'

const createFile = (filename: string, key: string, size: number, mimeType: string): StoredFile => ({
  filename,
  key,
  size,
  mimeType,
  format: 'txt',
  sha256: 'ab',
})
const packedFiles = [
  { file: createFile('a.txt', 'k/a', 3000, 'text/plain') },
  { file: createFile('a.txt', 'k/gone', 3, 'text/plain') },
  { file: createFile('a.txt', 'k/b', 3000, 'image/png') },
  { error: { code: 'CORRUPT_FILE', message: 'It is cut off.' } },
].map((entry, at) => ({
  jobId: `job_${at % 2}`,
  task: null,
  source: null,
  status: entry.error ? 'failed' : 'completed',
  ...entry,
}))

test('a ZIP of results contains each file under a unique name, and its manifest explains missing files', async () => {
  const packOptions = {
    files: {
      stream: async ({ key, size }: StoredFile) => {
        if (key === 'k/gone') throw new AppError('FILE_GONE', 'The file a.txt is deleted.')
        return Readable.from([Buffer.alloc(size, 'a')])
      },
    },
    withManifest: true,
    signal: new AbortController().signal,
    folders: { job_0: 'first' },
    onBytes: () => {},
  } as unknown as Parameters<typeof streamZip>[1]
  const zip = new ZipReader(new BlobReader(new Blob([await buffer(streamZip(packedFiles, packOptions))])))
  const entries = (await zip.getEntries()).filter((entry) => !entry.directory)
  assert.deepEqual(
    entries.map(({ filename, compressionMethod, uncompressedSize }) => [
      filename,
      compressionMethod === 0 ? 'stored' : 'deflated',
      ...(filename === 'manifest.json' ? [] : [uncompressedSize]),
    ]),
    [
      ['first/a.txt', 'deflated', 3000],
      // Already compressed formats are stored.
      ['first/a (2).txt', 'stored', 3000],
      ['manifest.json', 'deflated'],
    ],
  )
  const manifest = JSON.parse((await entries.at(-1)?.getData(new TextWriter())) ?? '')
  const commonFields = { task: null, source: null }
  assert.deepEqual(manifest, [
    { jobId: 'job_0', ...commonFields, status: 'completed', file: 'first/a.txt', size: 3000, sha256: 'ab' },
    { jobId: 'job_1', ...commonFields, status: 'expired' },
    {
      jobId: 'job_0',
      ...commonFields,
      status: 'completed',
      file: 'first/a (2).txt',
      size: 3000,
      sha256: 'ab',
    },
    {
      jobId: 'job_1',
      ...commonFields,
      status: 'failed',
      error: { code: 'CORRUPT_FILE', message: 'It is cut off.' },
    },
  ])
})

async function listNamesFromTemplate(firstIndex?: number) {
  const packOptions = {
    files: { stream: async ({ size }: StoredFile) => Readable.from([Buffer.alloc(size)]) },
    withManifest: false,
    signal: new AbortController().signal,
    folders: { job_0: 'first' },
    nameTemplate: '{index} {name}',
    firstIndex,
    onBytes: () => {},
  } as unknown as Parameters<typeof streamZip>[1]
  const zip = new ZipReader(new BlobReader(new Blob([await buffer(streamZip(packedFiles, packOptions))])))
  return (await zip.getEntries()).filter((entry) => !entry.directory).map(({ filename }) => filename)
}

test('the files in a ZIP of results are named and numbered by a filename template', async () => {
  assert.deepEqual(await listNamesFromTemplate(), ['first/1 a.txt', '2 a.txt', 'first/3 a.txt'])
})

test('the file numbers of a ZIP of results can continue the numbers of a previous ZIP', async () => {
  assert.deepEqual(await listNamesFromTemplate(101), ['first/101 a.txt', '102 a.txt', 'first/103 a.txt'])
})

test('a ZIP of results is stored under the requested name, with its size and hash', async () => {
  const state = withTasks(newJob([createStoredImport('in'), newTask('work', [0])]), {
    work: complete(2, file('b.png', 'k/b')),
  })
  const receivedChunks: Buffer[] = []
  const percents: number[] = []
  const files = {
    stream: async () => Readable.from([Buffer.from('x')]),
    receive: async (_key: string, body: AsyncIterable<Buffer>) => {
      receivedChunks.push(await buffer(Readable.from(body)))
    },
  }
  const context = {
    services: { files, jobs: { store: { getState: async () => state } }, config: { WORK_DIR: '.' } },
    key: 'jobs/job_2/1.zip',
    path: undefined,
    signal: new AbortController().signal,
    progress: (percent: number) => percents.push(percent),
  } as unknown as Parameters<typeof packResultsIntoZip>[1] // a stub with only the members that are used
  const fields = { jobIds: ['job_1'], tasks: ['work'], filename: 'all of it.zip', manifest: false }
  const packedResults = await packResultsIntoZip(fields, context)
  const [zip = Buffer.alloc(0)] = receivedChunks
  assert.deepEqual(percents, [100])
  assert.deepEqual(packedResults, {
    key: 'jobs/job_2/1.zip',
    filename: 'all of it.zip',
    format: 'zip',
    mimeType: 'application/zip',
    size: zip.length,
    sha256: createHash('sha256').update(zip).digest('hex'),
  })
})
