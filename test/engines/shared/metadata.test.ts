import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import sharp from 'sharp'
import { planRoute } from '../../plan/with-all-engines.ts'
import { assertRefused } from '../../support/assert-refused.ts'
import { python3 } from '../../support/python.ts'
import {
  createTaggedCopy,
  engineFor,
  formatOfFile,
  getRecording,
  hashDecodedAudio,
  hashPixels,
  pathInFolder,
  readTags,
  runTool,
  sampleTags,
  testImageMetadata,
  testMediaMetadata,
  texts,
  writeMetadata,
} from '../support/metadata-writes.ts'
import { convert, fixture, type RunSettings } from '../support/run-engine.ts'

async function read(path: string, settings: RunSettings = {}) {
  const engine = engineFor('metadata', formatOfFile(path), 'json')
  const run = await convert(engine, path, 'json', { operation: 'metadata', ...settings })
  const text = readFileSync(run.path, 'utf8')
  assert.equal(run.format, 'json')
  for (const forbidden of [run.workDir, 'source-1', 'exiftool', 'FilePermissions', '/tmp/', '(Binary data'])
    assert.ok(!text.includes(forbidden), `${forbidden} in ${text}`)
  const groups: Record<string, Record<string, unknown>> = JSON.parse(text)
  return { ...run, groups }
}

/** Bytes of no known format, the same in each run. */
const garbage = createHash('shake256', { outputLength: 4096 }).update('garbage').digest()

describe('reading metadata', { concurrency: 2 }, () => {
  test('image metadata contains the camera and the location in degrees', async () => {
    const { groups, result } = await read(await createTaggedCopy('corners.jpg', ...sampleTags))
    assert.equal(groups.IFD0?.Make, 'Canon')
    assert.equal(groups.Composite?.GPSLongitude, -13.25)
    assert.equal(groups['XMP-photoshop']?.City, 'Berlin')
    assert.equal(groups.File?.MIMEType, 'image/jpeg')
    assert.ok(Number(result.details?.tags) > 20)
  })

  test('metadata of documents, audio and video contains properties of their format', async () => {
    const tagNames: Partial<Record<string, [group: string, tag: string]>> = {
      'report.pdf': ['PDF', 'PageCount'],
      'letter.docx': ['File', 'FileType'],
      'letter.odt': ['File', 'FileType'],
      'tone.mp3': ['MPEG', 'SampleRate'],
      'tone.flac': ['FLAC', 'SampleRate'],
      'video.mp4': ['QuickTime', 'Duration'],
      'video.webm': ['Matroska', 'DocType'],
    }
    for (const [name, [group, tag] = ['', '']] of Object.entries(tagNames)) {
      const { groups } = await read(fixture(name))
      assert.ok(groups[group]?.[tag], `${name}: ${JSON.stringify(groups[group])}`)
    }
  })

  test('metadata of an office document includes its title from the core properties', async () => {
    const core =
      '<cp:coreProperties xmlns:cp="http://schemas.openxmlformats.org/package/2006/metadata/core-properties" xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>Brief</dc:title></cp:coreProperties>'
    const script = `import shutil, sys, zipfile
shutil.copy(sys.argv[1], sys.argv[2])
zipfile.ZipFile(sys.argv[2], 'a').writestr('docProps/core.xml', sys.argv[3])`
    await runTool(python3, '-c', script, fixture('letter.docx'), pathInFolder('titled.docx'), core)
    const { groups } = await read(pathInFolder('titled.docx'))
    assert.equal(groups['XMP-dc']?.Title, 'Brief')
  })

  test('metadata of formats that exiftool cannot read comes from ffprobe', async () => {
    await runTool(
      'ffmpeg',
      '-v',
      'error',
      '-i',
      fixture('tone.wav'),
      '-metadata',
      'title=Tön',
      pathInFolder('tone.au'),
    )
    const { groups } = await read(pathInFolder('tone.au'))
    assert.equal(groups.Stream1?.codec_name, 'pcm_s16be')
    assert.equal((groups.Format?.tags as Record<string, string> | undefined)?.title, 'Tön')
  })

  test('reading the metadata of a protected PDF requires its password', async () => {
    await assertRefused(read(fixture('needs-password.pdf')), 'PDF_ENCRYPTED')
  })

  test('reading metadata omits embedded images and returns hostile values unchanged', async () => {
    const hostile = '<script>"\'`$(touch x)`\u202e{{7*7}}'
    const path = await createTaggedCopy(
      'corners.jpg',
      `-XMP-dc:Title=${hostile}`,
      '-Comment=__proto__',
      '-IFD0:Artist=@/etc/passwd',
    )
    const { groups } = await read(path, { names: ['-execute\n-o.jpg'] })
    assert.equal(groups['XMP-dc']?.Title, hostile)
    assert.equal(groups.IFD0?.Artist, '@/etc/passwd')
    const cover = await read(fixture('cover.mp3'))
    assert.equal(
      Object.values(cover.groups).some((group) => 'Picture' in group),
      false,
    )
  })

  test('reading the metadata of garbage fails with CORRUPT_FILE', async () => {
    for (const name of ['x.jpg', 'x.mp4', 'x.docx', 'x.au', 'x.pdf']) {
      writeFileSync(pathInFolder(name), garbage)
      await assertRefused(read(pathInFolder(name)), 'CORRUPT_FILE', undefined, name)
    }
  })
})

describe('writing metadata', { concurrency: 2 }, () => {
  // metadata.slow.ts tests the other formats.
  for (const name of ['corners.jpg', 'corners.png', 'pages.tiff', 'corners.webp', 'corners.heic'])
    test(`metadata is written into ${name} and stripped without changing its pixels`, () =>
      testImageMetadata(name))

  test('writing metadata changes only the fields in the request, and removes fields that are empty in the request', async () => {
    for (const name of ['corners.png', 'corners.webp']) {
      const { path: fullPath } = await writeMetadata(fixture(name), texts)
      const remainingTags = await readTags((await writeMetadata(fullPath, { author: '', keywords: '' })).path)
      assert.equal(remainingTags['XMP-dc:Title'], texts.title)
      for (const tag of ['IFD0:Artist', 'XMP-dc:Creator', 'XMP-dc:Subject'])
        assert.ok(!(tag in remainingTags), tag)
      const otherTags = await readTags(
        (await writeMetadata(fullPath, { strip: true, title: 'Only this' })).path,
      )
      assert.equal(otherTags['XMP-dc:Title'], 'Only this')
      assert.ok(!('XMP-dc:Creator' in otherTags))
    }
  })

  test('stripping the metadata of a WebP keeps its orientation', async () => {
    await sharp(fixture('corners.png'))
      .withMetadata({ orientation: 6 })
      .webp()
      .toFile(pathInFolder('turned.webp'))
    const { path } = await writeMetadata(pathInFolder('turned.webp'), { strip: true })
    assert.equal((await sharp(path).metadata()).orientation, 6)
  })

  test('writing metadata to an image with damaged EXIF keeps its pixels or is refused, and stripping removes the EXIF', async () => {
    const bytes = readFileSync(await createTaggedCopy('corners.jpg', ...sampleTags))
    // The offset of the first directory is beyond the end of the file.
    bytes.writeUInt32BE(0xfffff0, bytes.indexOf('Exif\0\0') + 10)
    writeFileSync(pathInFolder('broken.jpg'), bytes)
    const outcome = await writeMetadata(pathInFolder('broken.jpg'), { title: 'x' }).then(
      ({ path }) => path,
      (error: unknown) => error,
    )
    if (typeof outcome === 'string')
      assert.equal(await hashPixels(outcome), await hashPixels(pathInFolder('broken.jpg')))
    else await assertRefused(Promise.reject(outcome), 'CORRUPT_FILE', /strip/)
    const { path } = await writeMetadata(pathInFolder('broken.jpg'), { strip: true })
    assert.equal(readFileSync(path).includes('Canon'), false)
    assert.equal((await sharp(path).metadata()).width, 40)
  })

  test('writing the metadata of a PDF changes both its information dictionary and its XMP', async () => {
    const { path, warnings } = await writeMetadata(fixture('report.pdf'), texts)
    const tags = await readTags(path)
    assert.equal(tags['PDF:Title'], texts.title)
    assert.equal(tags['XMP-dc:Title'], texts.title)
    assert.equal(tags['PDF:Author'], texts.author)
    assert.equal(tags['PDF:Subject'], texts.subject)
    assert.equal(tags['XMP-dc:Rights'], texts.copyright)
    assert.equal(tags['PDF:CreateDate'], '2020:01:02 03:04:05Z')
    assert.deepEqual(warnings, ['METADATA_NOT_KEPT'])
    await runTool('qpdf', '--check', path)
    const { path: bare } = await writeMetadata(path, { strip: true })
    assert.equal('PDF:Title' in (await readTags(bare)), false)
    assert.equal((await runTool('qpdf', '--qdf', bare, '-')).includes('Ærø'), false)
    const describedPdf = await writeMetadata(fixture('report.pdf'), { description: 'only this' })
    assert.equal((await readTags(describedPdf.path))['PDF:Subject'], 'only this')
  })

  // metadata.slow.ts tests the other formats.
  for (const id of ['mp3', 'm4a', 'ogg', 'mkv'] as const)
    test(`metadata is written into ${id} and stripped without re-encoding`, () => testMediaMetadata(id))

  test('writing the metadata of a song keeps its cover, and stripping the metadata removes the cover', async () => {
    const show = [
      '-v',
      'error',
      '-select_streams',
      'v',
      '-show_entries',
      'stream=codec_name',
      '-of',
      'csv=p=0',
    ]
    const readCovers = async (path: string) => (await runTool('ffprobe', ...show, path)).trim()
    const { path } = await writeMetadata(fixture('cover.mp3'), { title: 'New' })
    assert.notEqual(await readCovers(path), '')
    assert.equal(await readCovers(path), await readCovers(fixture('cover.mp3')))
    assert.equal(await readCovers((await writeMetadata(path, { strip: true })).path), '')
  })

  test('stripping the metadata of an MP3 removes old tags at the end of the file', async () => {
    const v1 = Buffer.concat([Buffer.from('TAG'), Buffer.from('Old title'.padEnd(125, '\0'))])
    const ape = Buffer.alloc(32)
    ape.write('APETAGEX')
    ape.writeUInt32LE(2000, 8)
    ape.writeUInt32LE(32, 12)
    writeFileSync(pathInFolder('ends.mp3'), Buffer.concat([readFileSync(fixture('tone.mp3')), ape, v1]))
    const { path } = await writeMetadata(pathInFolder('ends.mp3'), { strip: true })
    assert.doesNotMatch(readFileSync(path, 'latin1'), /APETAGEX|Old title|^ID3/)
    assert.equal(await hashDecodedAudio(path), await hashDecodedAudio(fixture('tone.mp3')))
  })

  test('stripping the metadata of a video keeps its attached fonts', async () => {
    writeFileSync(pathInFolder('f.ttf'), 'font')
    const attachmentArgs = ['-attach', pathInFolder('f.ttf'), '-metadata:s:t', 'mimetype=font/ttf']
    await runTool(
      'ffmpeg',
      '-v',
      'error',
      '-i',
      await getRecording('mkv'),
      '-c',
      'copy',
      '-map',
      '0',
      ...attachmentArgs,
      pathInFolder('fonts.mkv'),
    )
    const { path } = await writeMetadata(pathInFolder('fonts.mkv'), { strip: true })
    assert.match(await runTool('ffprobe', '-v', 'error', '-show_streams', path), /f\.ttf/)
  })

  test('writing metadata refuses an empty request, values with several lines and invalid dates', async () => {
    await assertRefused(writeMetadata(fixture('corners.jpg'), {}), 'INVALID_INPUT', /at least one of title/)
    const { capability } = planRoute({ from: 'jpg', to: 'jpg', operation: 'metadata/write' }).steps[0]
    for (const options of [
      { title: 'a\n-o\n/tmp/x' },
      { creationDate: '2020-13-01' },
      { creationDate: 'now' },
    ])
      assert.equal(capability.options.safeParse(options).success, false)
  })

  test('writing the metadata of garbage fails with CORRUPT_FILE', async () => {
    for (const name of ['y.jpg', 'y.webp', 'y.mp3', 'y.mp4', 'y.pdf']) {
      writeFileSync(pathInFolder(name), garbage)
      await assertRefused(writeMetadata(pathInFolder(name), { title: 'x' }), 'CORRUPT_FILE', undefined, name)
    }
  })
})
