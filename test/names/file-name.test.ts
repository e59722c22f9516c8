import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sanitizeFileName, sanitizeFolderPath, withExtension } from '../../lib/names/file-name.ts'

test('a result file is named after its source with the extension of its format', () => {
  const names = {
    'report.final.docx': 'report.final.pdf',
    'files.tar.gz': 'files.pdf',
    'Files.TAR.xz': 'Files.pdf',
    'tar.gz': 'tar.pdf',
    README: 'README.pdf',
    '.hidden': '.hidden.pdf',
    'a.': 'a.pdf',
  }
  for (const [name, result] of Object.entries(names)) assert.equal(withExtension(name, 'pdf'), result)
})

test('folders, control characters and bidirectional overrides are removed from file names', () => {
  const names = {
    '../../etc/passwd': 'passwd',
    'C:\\temp\\a.txt': 'a.txt',
    'a\u202etxt.exe': 'atxt.exe',
    'line\nend.txt': 'lineend.txt',
    'a\u0000\u0007\u007f\u0085b.txt': 'ab.txt',
    '..': 'file',
    '': 'file',
  }
  for (const [name, expectedName] of Object.entries(names)) assert.equal(sanitizeFileName(name), expectedName)
})

test('a folder path in an archive is sanitized, and refused if it is malformed or leads outside of the archive', () => {
  const sanitizedNames = {
    album: 'album',
    'Größe & 日本/2024': 'Größe & 日本/2024',
    'C:/a*b': 'C_/a_b',
    '.git': '.git',
  }
  for (const [givenName, clean] of Object.entries(sanitizedNames))
    assert.equal(sanitizeFolderPath(givenName), clean)
  const hostilePaths = [
    ...[
      '',
      '.',
      '..',
      '/etc',
      'a//b',
      'a/',
      'a/../b',
      'a/ .. /b',
      '../../..',
      'a\\..\\b',
      'C:\\a',
      'a\u0000b',
      'a\n',
    ],
    ...[`${'a/'.repeat(32)}b`, 'a'.repeat(1001)],
  ]
  for (const givenName of hostilePaths)
    assert.equal(sanitizeFolderPath(givenName), undefined, JSON.stringify(givenName.slice(0, 20)))
})

test('a very long file name with spaces is sanitized quickly', () => {
  const start = performance.now()
  const cleanName = sanitizeFileName(`1${' '.repeat(300_000)}x.txt`)
  assert.ok(performance.now() - start < 250, 'filenamify got only the start of the name')
  assert.ok(cleanName.length > 0 && cleanName.length <= 200)
})
