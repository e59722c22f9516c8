import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { copyFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { before, test } from 'node:test'
import { Document, ImageRun, Packer, Paragraph } from 'docx'
import sharp from 'sharp'
import { vips } from '../../../lib/engines/vips.ts'
import { python3 } from '../../support/python.ts'
import { scratchFolder } from '../../support/scratch-folder.ts'
import { listZipNames, readStdout } from '../support/inspect-result.ts'
import { convert, fixture } from '../support/run-engine.ts'

const scratch = scratchFolder('office-compress')
let album: string
before(async () => {
  const noise = { type: 'gaussian', mean: 128, sigma: 30 } as const
  const photo = await sharp({ create: { width: 1200, height: 900, channels: 3, background: '#888', noise } })
    .jpeg({ quality: 97 })
    .toBuffer()
  const image = new ImageRun({ type: 'jpg', data: photo, transformation: { width: 400, height: 300 } })
  const children = [new Paragraph('okapi in an album'), new Paragraph({ children: [image] })]
  album = join(scratch, 'album.docx')
  await writeFile(album, await Packer.toBuffer(new Document({ sections: [{ children }] })))
})

const compressFile = (source: string, options = {}) =>
  convert(vips, source, source.endsWith('odt') ? 'odt' : 'docx', { operation: 'compress', options })
const getSize = async (path: string) => (await stat(path)).size
const readPart = (path: string, name: string) => readStdout('unzip', '-p', path, name)

test('compressing a document makes its images smaller and keeps its text unchanged', async () => {
  const { path, result, warnings } = await compressFile(album)
  const [smallBytes, wholeBytes] = [await getSize(path), await getSize(album)]
  assert.ok(smallBytes < wholeBytes / 3, `${smallBytes} of ${wholeBytes} bytes`)
  assert.deepEqual(warnings, [])
  assert.equal(result.details?.sizeAfter, await getSize(path))
  assert.deepEqual(await listZipNames(path), await listZipNames(album))
  assert.equal(await readPart(path, 'word/document.xml'), await readPart(album, 'word/document.xml'))
})

test('a document is compressed to the target size, or a warning says that the size cannot be reached', async () => {
  const { path, result } = await compressFile(album, { targetSize: 150_000 })
  assert.ok((await getSize(path)) <= 150_000, `${await getSize(path)} bytes`)
  assert.equal(result.details?.reached, true)
  const tiny = await compressFile(album, { targetSize: 2000 })
  assert.deepEqual(tiny.warnings, ['TARGET_NOT_REACHED'])
})

test('compressing a signed document causes a SIGNATURE_BROKEN warning only if the document changes', async () => {
  const signFile = async (name: string, source: string) => {
    const path = join(scratch, name)
    await copyFile(source, path)
    const signatureName = name.endsWith('odt') ? 'META-INF/documentsignatures.xml' : '_xmlsignatures/sig1.xml'
    const appendScript =
      'import sys, zipfile; zipfile.ZipFile(sys.argv[1], "a").writestr(sys.argv[2], "<Signature/>")'
    execFileSync(python3, ['-c', appendScript, path, signatureName])
    return path
  }
  assert.deepEqual((await compressFile(await signFile('signed.docx', album))).warnings, ['SIGNATURE_BROKEN'])
  const signedResult = await compressFile(await signFile('signed.odt', fixture('letter.odt')))
  assert.deepEqual(signedResult.warnings, ['NOT_SMALLER'])
})

test('compressing a document without images returns it unchanged, with a warning', async () => {
  const { path, warnings } = await compressFile(fixture('letter.odt'))
  assert.deepEqual(warnings, ['NOT_SMALLER'])
  assert.equal(await getSize(path), await getSize(fixture('letter.odt')))
})
