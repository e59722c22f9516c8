import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fileName, withExtension } from '../lib/file-name.ts'

test('a result is named as its source, with the extension of its format', () => {
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

test('a name keeps no folder, no control character and nothing that turns the writing round', () => {
  const names = {
    '../../etc/passwd': 'passwd',
    'C:\\temp\\a.txt': 'a.txt',
    'a\u202etxt.exe': 'atxt.exe',
    'line\nend.txt': 'lineend.txt',
    '..': 'file',
    '': 'file',
  }
  for (const [name, clean] of Object.entries(names)) assert.equal(fileName(name), clean)
})
