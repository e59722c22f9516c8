import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { StoredFile } from '../../lib/model/job.ts'
import { expandListedFiles, groupInputs, toFilesOfGroup } from '../../lib/plan/file-lists.ts'

const list = (...members: string[]): StoredFile => ({
  key: 'jobs/job_1/1/a.zip',
  filename: 'report.zip',
  format: 'zip',
  mimeType: 'application/zip',
  size: 100,
  sha256: '00',
  members,
})
const images = list('image-001.jpg', 'image-002.png', 'image-003.jpg')

const getMembers = (groups: readonly (readonly StoredFile[])[]) =>
  groups.map((group) => group.map(({ members }) => members))

test('each file in a file list has the format of its file extension, and a list without names is rejected as too long', () => {
  assert.deepEqual(
    expandListedFiles(list('page-001.jpg', 'page-002.what')).map(({ filename, format, mimeType }) => [
      filename,
      format,
      mimeType,
    ]),
    [
      ['page-001.jpg', 'jpg', 'image/jpeg'],
      ['page-002.what', 'unknown', 'application/octet-stream'],
    ],
  )
  assert.throws(() => expandListedFiles(list()), {
    code: 'INVALID_INPUT',
    message: /report\.zip has more than 2000/,
  })
})

test('the files of a file list are grouped by format, and grouping a group again leaves it unchanged', () => {
  const groups = groupInputs([images], { operation: 'convert', to: 'webp' })
  assert.deepEqual(getMembers(groups), [[['image-001.jpg', 'image-003.jpg']], [['image-002.png']]])
  for (const group of groups) {
    assert.deepEqual(groupInputs(group, { operation: 'convert', to: 'webp' }), [group])
    assert.equal(toFilesOfGroup(group).length, 1)
  }
  assert.deepEqual(getMembers(groupInputs([images], { operation: 'thumbnail' })), getMembers(groups))
})

test('a file list with a single file is processed like a separate file', () => {
  const [[file] = []] = groupInputs([list('page-002.jpg')], { operation: 'convert', to: 'webp' })
  assert.deepEqual([file?.filename, file?.each], ['page-002.jpg', undefined])
})

test('merge, archive and watermark process all files of a file list as one group', () => {
  for (const operation of ['merge', 'archive', 'watermark'] as const) {
    const [group = [], ...others] = groupInputs([images], { operation })
    assert.equal(others.length, 0)
    assert.equal(toFilesOfGroup(group).length, 3)
  }
})

test('the extract operation and a conversion to 7z use the ZIP of a file list instead of its listed files', () => {
  for (const target of [{ operation: 'extract' }, { operation: 'convert', to: '7z' }] as const)
    assert.deepEqual(getMembers(groupInputs([images], target)), [[undefined]])
})
