import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { promisify } from 'node:util'
import sharp from 'sharp'
import { ffmpeg } from '../../lib/engines/ffmpeg.ts'
import { pdf } from '../../lib/engines/pdf.ts'
import { type FormatId, formatByExtension, formatById } from '../../lib/formats/index.ts'
import { planRoute } from '../../lib/plan/index.ts'
import { refused } from '../refused.ts'
import { scratchFolder } from '../scratch.ts'
import { convert, fixture, type RunSettings } from './run-engine.ts'

const folder = scratchFolder('metadata')
const at = (name: string) => join(folder, name)

async function tool(bin: string, ...args: string[]): Promise<string> {
  return (await promisify(execFile)(bin, args)).stdout
}

/** As exiftool tells it: `Group:Tag` to value. */
async function tagsOf(path: string): Promise<Record<string, unknown>> {
  const [tags] = JSON.parse(await tool('exiftool', '-j', '-G1', '-a', path)) as [Record<string, unknown>]
  return tags
}

const engineFor = (operation: 'metadata' | 'metadata/write', from: FormatId, to: FormatId) =>
  planRoute({ from, to, operation }).steps[0].engine === 'ffmpeg' ? ffmpeg : pdf

const idOf = (path: string) => formatByExtension(path)?.id ?? assert.fail(path)

async function read(path: string, settings: RunSettings = {}) {
  const engine = engineFor('metadata', idOf(path), 'json')
  const run = await convert(engine, path, 'json', { operation: 'metadata', ...settings })
  const text = readFileSync(run.path, 'utf8')
  assert.equal(run.format, 'json')
  for (const ours of [run.workDir, 'source-1', 'exiftool', 'FilePermissions', '/tmp/', '(Binary data'])
    assert.ok(!text.includes(ours), `${ours} in ${text}`)
  const groups: Record<string, Record<string, unknown>> = JSON.parse(text)
  return { ...run, groups }
}

function write(path: string, options: Record<string, unknown>, settings: RunSettings = {}) {
  const id = idOf(path)
  return convert(engineFor('metadata/write', id, id), path, id, {
    operation: 'metadata/write',
    options,
    ...settings,
  })
}

/** Of no format, and the same in each run. */
const garbage = createHash('shake256', { outputLength: 4096 }).update('garbage').digest()

/** A copy of a fixture that says a lot. */
async function talkative(name: string, ...args: string[]): Promise<string> {
  const path = at(`${args.length}-${name}`)
  writeFileSync(path, readFileSync(fixture(name)))
  await tool('exiftool', '-m', '-q', '-overwrite_original', ...args, path)
  return path
}

const told = [
  '-GPSLatitude=52.5',
  '-GPSLatitudeRef=N',
  '-GPSLongitude=13.25',
  '-GPSLongitudeRef=W',
  '-IFD0:Make=Canon',
  '-IFD0:ImageDescription=a secret',
  '-XMP-photoshop:City=Berlin',
]

describe('metadata', { concurrency: 2 }, () => {
  test('of a picture tells its camera and its place in degrees', async () => {
    const { groups, result } = await read(await talkative('corners.jpg', ...told))
    assert.equal(groups.IFD0?.Make, 'Canon')
    assert.equal(groups.Composite?.GPSLongitude, -13.25)
    assert.equal(groups['XMP-photoshop']?.City, 'Berlin')
    assert.equal(groups.File?.MIMEType, 'image/jpeg')
    assert.ok(Number(result.details?.tags) > 20)
  })

  test('of documents, books, sound and film tells what they are called', async () => {
    const facts: Partial<Record<string, [group: string, tag: string]>> = {
      'report.pdf': ['PDF', 'PageCount'],
      'letter.docx': ['File', 'FileType'],
      'letter.odt': ['File', 'FileType'],
      'tone.mp3': ['MPEG', 'SampleRate'],
      'tone.flac': ['FLAC', 'SampleRate'],
      'film.mp4': ['QuickTime', 'Duration'],
      'film.webm': ['Matroska', 'DocType'],
    }
    for (const [name, [group, tag] = ['', '']] of Object.entries(facts)) {
      const { groups } = await read(fixture(name))
      assert.ok(groups[group]?.[tag], `${name}: ${JSON.stringify(groups[group])}`)
    }
  })

  test('of an office document is read from its inside', async () => {
    const core =
      '<cp:coreProperties xmlns:cp="http://schemas.openxmlformats.org/package/2006/metadata/core-properties" xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>Brief</dc:title></cp:coreProperties>'
    const script = `import shutil, sys, zipfile
shutil.copy(sys.argv[1], sys.argv[2])
zipfile.ZipFile(sys.argv[2], 'a').writestr('docProps/core.xml', sys.argv[3])`
    await tool('python3', '-c', script, fixture('letter.docx'), at('titled.docx'), core)
    const { groups } = await read(at('titled.docx'))
    assert.equal(groups['XMP-dc']?.Title, 'Brief')
  })

  test('of what exiftool cannot read comes from ffprobe', async () => {
    await tool('ffmpeg', '-v', 'error', '-i', fixture('tone.wav'), '-metadata', 'title=Tön', at('tone.au'))
    const { groups } = await read(at('tone.au'))
    assert.equal(groups.Stream1?.codec_name, 'pcm_s16be')
    assert.equal((groups.Format?.tags as Record<string, string> | undefined)?.title, 'Tön')
  })

  test('of a locked PDF needs its password', async () => {
    await refused(read(fixture('needs-password.pdf')), 'PDF_ENCRYPTED')
  })

  test('leaves pictures in the file out, and takes no text for anything else', async () => {
    const hostile = '<script>"\'`$(touch x)`\u202e{{7*7}}'
    const path = await talkative(
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

  test('of garbage is a coded error', async () => {
    for (const name of ['x.jpg', 'x.mp4', 'x.docx', 'x.au', 'x.pdf']) {
      writeFileSync(at(name), garbage)
      await refused(read(at(name)), 'CORRUPT_FILE', undefined, name)
    }
  })
})

const texts = {
  title: '<=/etc/passwd',
  author: 'Jörg Ærø',
  subject: 'About $Title @x',
  description: '-o /tmp/hack #[CSTR]\\n',
  keywords: 'one, two words',
  copyright: '© 2026 日本',
  creationDate: '2020-01-02T03:04:05Z',
}

async function pixels(path: string): Promise<string> {
  const still = path.endsWith('.heic') ? path.replace(/heic$/, 'decoded.png') : path
  if (still !== path) await tool('heif-convert', path, still)
  const image = sharp(still, { animated: true, failOn: 'none' })
  const { icc, orientation, pages } = await image.metadata()
  const hash = createHash('sha256').update(await image.raw().toBuffer())
  return `${hash.update(icc ?? '').digest('hex')} ${orientation ?? 1} ${pages}`
}

describe('metadata/write', { concurrency: 2 }, () => {
  const pictures = [
    'corners.jpg',
    'orientation-6.jpg',
    'cmyk.jpg',
    'corners.png',
    'animated.apng',
    'pages.tiff',
  ]
  const others = ['corners.webp', 'animated.webp', 'corners.avif', 'corners.heic']

  for (const name of [...pictures, ...others]) {
    test(`writes into ${name}, strips it again and leaves its pixels alone`, async () => {
      const source = name.endsWith('.webp') ? fixture(name) : await talkative(name, ...told)
      const { path, warnings } = await write(source, texts)
      const tags = await tagsOf(path)
      assert.equal(tags['XMP-dc:Title'], texts.title)
      assert.equal(tags['XMP-dc:Creator'], texts.author)
      assert.equal(tags['IFD0:Artist'], texts.author)
      assert.equal(tags['IFD0:ImageDescription'], texts.description)
      assert.equal(tags['IFD0:XPSubject'], texts.subject)
      assert.deepEqual(tags['XMP-dc:Subject'], ['one', 'two words'])
      assert.equal(tags['IFD0:Copyright'], texts.copyright)
      assert.equal(tags['ExifIFD:DateTimeOriginal'], '2020:01:02 03:04:05')
      assert.deepEqual(warnings, [])
      const { path: bare } = await write(path, { strip: true })
      const telling = /GPS|Make|Title|Creat|Artist|Subject|Desc|City|Copy|Keyw|Original/
      const left = Object.keys(await tagsOf(bare)).filter(
        (tag) => !/^(ICC|System)/.test(tag) && telling.test(tag),
      )
      assert.deepEqual(left, [])
      const before = await pixels(source)
      assert.equal(await pixels(path), before)
      assert.equal(await pixels(bare), before)
    })
  }

  test('touches only what is named, and removes what is empty', async () => {
    for (const name of ['corners.png', 'corners.webp']) {
      const { path: full } = await write(fixture(name), texts)
      const fewer = await tagsOf((await write(full, { author: '', keywords: '' })).path)
      assert.equal(fewer['XMP-dc:Title'], texts.title)
      for (const tag of ['IFD0:Artist', 'XMP-dc:Creator', 'XMP-dc:Subject']) assert.ok(!(tag in fewer), tag)
      const other = await tagsOf((await write(full, { strip: true, title: 'Only this' })).path)
      assert.equal(other['XMP-dc:Title'], 'Only this')
      assert.ok(!('XMP-dc:Creator' in other))
    }
  })

  test('keeps how a stripped WebP is turned', async () => {
    await sharp(fixture('corners.png')).withMetadata({ orientation: 6 }).webp().toFile(at('turned.webp'))
    const { path } = await write(at('turned.webp'), { strip: true })
    assert.equal((await sharp(path).metadata()).orientation, 6)
  })

  test('says that broken EXIF stands in the way, and strip removes it', async () => {
    const bytes = readFileSync(await talkative('corners.jpg', ...told))
    // The first directory is said to be beyond the end.
    bytes.writeUInt32BE(0xfffff0, bytes.indexOf('Exif\0\0') + 10)
    writeFileSync(at('broken.jpg'), bytes)
    const outcome = await write(at('broken.jpg'), { title: 'x' }).then(
      ({ path }) => path,
      (error: unknown) => error,
    )
    if (typeof outcome === 'string') assert.equal(await pixels(outcome), await pixels(at('broken.jpg')))
    else await refused(Promise.reject(outcome), 'CORRUPT_FILE', /strip/)
    const { path } = await write(at('broken.jpg'), { strip: true })
    assert.equal(readFileSync(path).includes('Canon'), false)
    assert.equal((await sharp(path).metadata()).width, 40)
  })

  test('writes into a PDF, both where old and where new readers look', async () => {
    const { path, warnings } = await write(fixture('report.pdf'), texts)
    const tags = await tagsOf(path)
    assert.equal(tags['PDF:Title'], texts.title)
    assert.equal(tags['XMP-dc:Title'], texts.title)
    assert.equal(tags['PDF:Author'], texts.author)
    assert.equal(tags['PDF:Subject'], texts.subject)
    assert.equal(tags['XMP-dc:Rights'], texts.copyright)
    assert.equal(tags['PDF:CreateDate'], '2020:01:02 03:04:05Z')
    assert.deepEqual(warnings, ['METADATA_NOT_KEPT'])
    await tool('qpdf', '--check', path)
    const { path: bare } = await write(path, { strip: true })
    assert.equal('PDF:Title' in (await tagsOf(bare)), false)
    assert.equal((await tool('qpdf', '--qdf', bare, '-')).includes('Ærø'), false)
    const described = await write(fixture('report.pdf'), { description: 'only this' })
    assert.equal((await tagsOf(described.path))['PDF:Subject'], 'only this')
  })

  // For a subject, and some for keywords.
  const placeless: readonly FormatId[] = ['m4a', 'mp4', 'mov']

  for (const id of ['mp3', 'm4a', 'flac', 'ogg', 'opus', 'mp4', 'mov', 'mkv', 'webm'] as const) {
    test(`writes into ${id}, strips it again and copies its streams`, async () => {
      const source = await recorded(id)
      const { path, result, warnings } = await write(source, texts)
      const tags = await ffprobeTags(path)
      assert.equal(tags.title, texts.title)
      assert.equal(tags.artist, texts.author)
      assert.equal(tags.comment, texts.description)
      assert.equal(tags.copyright, texts.copyright)
      assert.match(tags.date ?? '', /^2020-01-02/)
      assert.equal(tags.genre, 'Old genre')
      assert.equal(result.method, 'stream-copy')
      assert.deepEqual(warnings, placeless.includes(id) ? ['METADATA_NOT_KEPT'] : [])
      const { path: bare } = await write(path, { strip: true })
      const left = Object.keys(await ffprobeTags(bare)).filter((key) =>
        /title|artist|genre|location|time|date|comm/.test(key),
      )
      assert.deepEqual(left, [])
      assert.doesNotMatch(readFileSync(bare, 'latin1'), /Old genre|Old title|hack/)
      if (id === 'mkv') assert.equal((await ffprobeTags(bare)).language, 'deu')
      for (const made of [path, bare]) {
        assert.equal(await streamsOf(made), await streamsOf(source))
        assert.equal(await decodedOf(made), await decodedOf(source))
      }
    })
  }

  test('keeps the cover of a song, and strip drops it', async () => {
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
    const covers = async (path: string) => (await tool('ffprobe', ...show, path)).trim()
    const { path } = await write(fixture('cover.mp3'), { title: 'New' })
    assert.notEqual(await covers(path), '')
    assert.equal(await covers(path), await covers(fixture('cover.mp3')))
    assert.equal(await covers((await write(path, { strip: true })).path), '')
  })

  test('leaves no old tag at the end of an MP3', async () => {
    const v1 = Buffer.concat([Buffer.from('TAG'), Buffer.from('Old title'.padEnd(125, '\0'))])
    const ape = Buffer.alloc(32)
    ape.write('APETAGEX')
    ape.writeUInt32LE(2000, 8)
    ape.writeUInt32LE(32, 12)
    writeFileSync(at('ends.mp3'), Buffer.concat([readFileSync(fixture('tone.mp3')), ape, v1]))
    const { path } = await write(at('ends.mp3'), { strip: true })
    assert.doesNotMatch(readFileSync(path, 'latin1'), /APETAGEX|Old title|^ID3/)
    assert.equal(await decodedOf(path), await decodedOf(fixture('tone.mp3')))
  })

  test('keeps the fonts of a film that strip passes over', async () => {
    writeFileSync(at('f.ttf'), 'font')
    const attached = ['-attach', at('f.ttf'), '-metadata:s:t', 'mimetype=font/ttf']
    await tool(
      'ffmpeg',
      '-v',
      'error',
      '-i',
      await recorded('mkv'),
      '-c',
      'copy',
      '-map',
      '0',
      ...attached,
      at('fonts.mkv'),
    )
    const { path } = await write(at('fonts.mkv'), { strip: true })
    assert.match(await tool('ffprobe', '-v', 'error', '-show_streams', path), /f\.ttf/)
  })

  test('refuses to do nothing, several lines, and what is no date', async () => {
    await refused(write(fixture('corners.jpg'), {}), 'INVALID_INPUT', /at least one of title/)
    const { capability } = planRoute({ from: 'jpg', to: 'jpg', operation: 'metadata/write' }).steps[0]
    for (const options of [
      { title: 'a\n-o\n/tmp/x' },
      { creationDate: '2020-13-01' },
      { creationDate: 'now' },
    ])
      assert.equal(capability.options.safeParse(options).success, false)
  })

  test('of garbage is a coded error', async () => {
    for (const name of ['y.jpg', 'y.webp', 'y.mp3', 'y.mp4', 'y.pdf']) {
      writeFileSync(at(name), garbage)
      await refused(write(at(name), { title: 'x' }), 'CORRUPT_FILE', undefined, name)
    }
  })
})

const recordings = new Map<FormatId, Promise<string>>()

/** A second of sound, and of film where the format is one, with old tags; made when first asked for. */
function recorded(id: FormatId): Promise<string> {
  const recording = recordings.get(id) ?? record(id)
  recordings.set(id, recording)
  return recording
}

async function record(id: FormatId): Promise<string> {
  const path = at(`recorded.${id}`)
  const isFilm = formatById(id).category === 'video'
  const picture = ['-f', 'lavfi', '-i', 'testsrc=size=64x48:rate=10:duration=1']
  const tags = ['title=Old title', 'genre=Old genre', 'location=+52.5+013.4/', 'artist=Old'].flatMap(
    (tag) => ['-metadata', tag],
  )
  const sound = ['-f', 'lavfi', '-i', 'sine=duration=1']
  const language = isFilm ? ['-metadata:s:a:0', 'language=deu'] : []
  await tool('ffmpeg', '-v', 'error', ...(isFilm ? picture : []), ...sound, ...tags, ...language, path)
  return path
}

const streamsOf = (path: string) =>
  tool(
    'ffmpeg',
    '-v',
    'error',
    '-i',
    path,
    '-map',
    '0:V?',
    '-map',
    '0:a',
    '-c',
    'copy',
    '-f',
    'streamhash',
    '-',
  )
/** Where the sound begins is part of it. */
const decodedOf = (path: string) => tool('ffmpeg', '-v', 'error', '-i', path, '-map', '0:a', '-f', 'md5', '-')

async function ffprobeTags(path: string): Promise<Record<string, string>> {
  const shown = await tool(
    'ffprobe',
    '-v',
    'error',
    '-show_entries',
    'format_tags:stream_tags',
    '-of',
    'json',
    path,
  )
  const { format, streams } = JSON.parse(shown) as { format: { tags?: object }; streams: { tags?: object }[] }
  const all = [...streams, format].flatMap(({ tags = {} }) => Object.entries(tags))
  return Object.fromEntries(all.map(([key, value]) => [key.toLowerCase(), String(value)]))
}
