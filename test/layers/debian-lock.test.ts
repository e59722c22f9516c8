import assert from 'node:assert/strict'
import { test } from 'node:test'
import { describeLockMismatch, readLockedVersions } from '../../layers/debian-lock.ts'
import { buildSnapshotSources } from '../../layers/debian-snapshot.ts'

test('a container image with packages or versions that the Debian lock file lacks is reported with these packages', () => {
  const locked = { poppler: '22.12.0-2', qpdf: '11.3.0-1' }
  assert.equal(describeLockMismatch('pdf', { qpdf: '11.3.0-1' }, locked), undefined)
  assert.match(
    describeLockMismatch('pdf', { poppler: '22.12.0-2+deb12u1', qpdf: '11.3.0-1', mupdf: '1.21' }, locked) ??
      '',
    /^The packages of mutabor-pdf differ from .*: poppler 22\.12\.0-2\+deb12u1 \(locked: 22\.12\.0-2\), mupdf 1\.21 \(locked: none\)\. .*DEBIAN_SNAPSHOT.*images:lock/,
  )
})

test('the Debian lock file contains the main packages of the container images', () => {
  const locked = readLockedVersions()
  for (const name of ['libc6', 'ffmpeg', 'imagemagick', 'libreoffice-core-nogui', 'poppler-utils', 'pandoc'])
    assert.match(locked[name] ?? '', /^\d/, name)
})

test('a snapshot timestamp selects the signed Debian archives of that time', () => {
  assert.equal(buildSnapshotSources(undefined), '')
  const lines = buildSnapshotSources('20261120T000000Z', 'http://127.0.0.1:1/of').trim().split('\n')
  assert.equal(lines.length, 3)
  for (const line of lines) {
    assert.match(line, /signed-by=/)
    assert.match(line, /http:\/\/127\.0\.0\.1:1\/of\/debian(-security)?\/20261120T000000Z bookworm\S* main$/)
  }
  assert.throws(() => buildSnapshotSources('yesterday'), /DEBIAN_SNAPSHOT: expected a timestamp such as/)
})
