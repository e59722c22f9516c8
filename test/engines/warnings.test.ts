// Tests the warnings that no other test covers, each with a minimal source.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { ffmpeg } from '../../lib/engines/ffmpeg.ts'
import { fontforge } from '../../lib/engines/fontforge.ts'
import { pdf } from '../../lib/engines/pdf.ts'
import { scratchFolder } from '../support/scratch-folder.ts'
import { convert, fixture, type RunSettings } from './support/run-engine.ts'

const folder = scratchFolder('warnings')

function writeSource(name: string, bytes: Uint8Array): string {
  const path = join(folder, name)
  writeFileSync(path, bytes)
  return path
}

/** Creates a PDF page with these operators; the font `F` is Helvetica. */
function createPage(content: string): Uint8Array {
  const objects = [
    '<</Type/Catalog/Pages 2 0 R>>',
    '<</Type/Pages/Kids[3 0 R]/Count 1>>',
    '<</Type/Page/Parent 2 0 R/MediaBox[0 0 400 400]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>>>',
    `<</Length ${content.length}>>stream\n${content}\nendstream`,
    '<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>',
  ].map((body, at) => `${at + 1} 0 obj${body} endobj\n`)
  const starts = objects.map((_, at) => 9 + objects.slice(0, at).join('').length)
  const rows = starts.map((start) => `${String(start).padStart(10, '0')} 00000 n \n`).join('')
  const table = `xref\n0 6\n0000000000 65535 f \n${rows}trailer<</Size 6/Root 1 0 R>>\n`
  const body = `%PDF-1.4\n${objects.join('')}`
  return Buffer.from(`${body}${table}startxref\n${body.length}\n%%EOF`)
}

/** Creates a font collection that contains the font twice; table offsets are relative to the file. */
function createFontCollection(font: Buffer): Buffer {
  const head = Buffer.from('ttcf\0\x01\0\0\0\0\0\x02\0\0\0\x14\0\0\0\x14', 'latin1')
  const shiftedFont = Buffer.from(font)
  for (let at = 0; at < font.readUInt16BE(4); at++) {
    const offset = 12 + at * 16 + 8
    shiftedFont.writeUInt32BE(font.readUInt32BE(offset) + head.length, offset)
  }
  return Buffer.concat([head, shiftedFont])
}

/** Returns a copy of a video in which the subtitle track is marked as camera data. */
const withDataTrack = (video: Buffer) =>
  Buffer.from(video.toString('latin1').replace('tx3g', 'gpmd').replace('sbtl', 'meta'), 'latin1')

function createVideoWithFont(): string {
  const path = join(folder, 'attached.mkv')
  const videoInput = ['-f', 'lavfi', '-i', 'color=red:s=64x48:d=0.2', '-c:v', 'libx264']
  const font = ['-attach', fixture('odd/true.ttf'), '-metadata:s:t:0', 'mimetype=font/ttf']
  execFileSync('ffmpeg', ['-v', 'error', '-y', ...videoInput, ...font, path])
  return path
}

function create32BitFlac(): string {
  const wav = join(folder, 'deep.wav')
  const sine = ['-f', 'lavfi', '-i', 'sine=d=0.1', '-c:a', 'pcm_s32le', '-bitexact', wav]
  execFileSync('ffmpeg', ['-v', 'error', '-y', ...sine])
  execFileSync('flac', ['--silent', '--force', '-o', join(folder, 'deep.flac'), wav])
  return join(folder, 'deep.flac')
}

/** Creates an audio file with title, artist and date. */
function createTagged(name: string): string {
  const path = join(folder, name)
  const tags = ['title=Okapi', 'artist=Zebra', 'date=2001'].flatMap((tag) => ['-metadata', tag])
  execFileSync('ffmpeg', ['-v', 'error', '-y', '-f', 'lavfi', '-i', 'sine=d=0.3', ...tags, path])
  return path
}

/** Creates a red video whose transparency is given by an expression. */
function createTransparentVideo(name: string, alpha: string, codec: readonly string[]): string {
  const path = join(folder, name)
  const videoInput = `color=red:s=64x48:r=5:d=0.4,format=yuva444p,geq=lum=lum(X\\,Y):cb=cb(X\\,Y):cr=cr(X\\,Y):a=${alpha}`
  execFileSync('ffmpeg', ['-v', 'error', '-y', '-f', 'lavfi', '-i', videoInput, ...codec, path])
  return path
}

const turnedText =
  'BT /F 14 Tf 50 350 Td (Upright words) Tj ET BT /F 14 Tf 0 1 -1 0 200 50 Tm (Words on their side) Tj ET'
const restrictedOptions = { password: 'an open word', ownerPassword: 'an open word', allowPrinting: false }

const cases: readonly [
  code: string,
  engine: Parameters<typeof convert>[0],
  source: () => string,
  to: Parameters<typeof convert>[2],
  settings: RunSettings,
][] = [
  ['FONTS_NOT_EMBEDDED', pdf, () => fixture('report.pdf'), 'docx', { options: { embedFonts: true } }],
  ['TEXT_MOVED', pdf, () => writeSource('turned.pdf', createPage(turnedText)), 'docx', {}],
  [
    'RESTRICTIONS_VOID',
    pdf,
    () => fixture('report.pdf'),
    'pdf',
    { operation: 'encrypt-pdf', options: restrictedOptions },
  ],
  [
    'FACES_DROPPED',
    fontforge,
    () => writeSource('two.ttc', createFontCollection(readFileSync(fixture('odd/true.ttf')))),
    'ttf',
    {},
  ],
  ['METADATA_DROPPED', ffmpeg, create32BitFlac, 'mp3', {}],
  ['STREAM_ENCODED', ffmpeg, create32BitFlac, 'ogg', { options: { audioCodec: 'copy' } }],
  ['ATTACHMENTS_DROPPED', ffmpeg, createVideoWithFont, 'mp4', {}],
  [
    'DATA_DROPPED',
    ffmpeg,
    () => writeSource('data.mp4', withDataTrack(readFileSync(fixture('subtitled.mp4')))),
    'mkv',
    {},
  ],
  [
    'DATA_DROPPED',
    ffmpeg,
    () => writeSource('data.mp4', withDataTrack(readFileSync(fixture('subtitled.mp4')))),
    'mp4',
    { operation: 'metadata/write', options: { title: 'Okapi' } },
  ],
]
for (const [code, engine, source, to, settings] of cases) {
  test(`the warning ${code} is reported for a minimal source`, async () => {
    const { warnings } = await convert(engine, source(), to, settings)
    assert.ok(warnings.includes(code), warnings.join())
  })
}

test('a video converted to GIF causes a warning for semi-transparent parts, but not for fully transparent ones', async () => {
  const partlyTransparent = ['X*4', ['TRANSPARENCY_DROPPED']] as const
  const fullyTransparent = ['255*gt(X\\,32)', []] as const
  const vp9 = ['-c:v', 'libvpx-vp9', '-pix_fmt', 'yuva420p']
  for (const [alpha, warnings] of [partlyTransparent, fullyTransparent])
    for (const [name, codec] of [
      ['coded.mov', ['-c:v', 'png']],
      ['coded.webm', vp9],
    ] as const) {
      const video = createTransparentVideo(name, alpha, codec)
      assert.deepEqual((await convert(ffmpeg, video, 'gif')).warnings, warnings, `${name} ${alpha}`)
      assert.deepEqual((await convert(ffmpeg, video, 'webp')).warnings, [])
    }
})

test('a frame of a transparent video causes a warning if the image format has no transparency', async () => {
  const video = createTransparentVideo('still.mov', '255*gt(X\\,32)', ['-c:v', 'png'])
  assert.deepEqual((await convert(ffmpeg, video, 'jpg')).warnings, ['TRANSPARENCY_DROPPED'])
  const sheet = { options: { rows: 1, columns: 2 } }
  assert.deepEqual((await convert(ffmpeg, video, 'jpg', sheet)).warnings, ['TRANSPARENCY_DROPPED'])
  assert.deepEqual((await convert(ffmpeg, video, 'png')).warnings, [])
  assert.deepEqual((await convert(ffmpeg, fixture('video.mp4'), 'jpg', sheet)).warnings, [])
})

for (const [source, to, lostTags] of [
  ['tags.mp3', 'amr', 'title, artist, date'],
  ['tags.mp3', 'au', 'date'],
  ['tags.mp3', 'ac3', 'title, artist, date'],
  // This audio is copied without ffprobe, because its header was parsed.
  ['tags.m4a', 'aac', 'title, artist, date'],
  ['tags.ogg', 'aac', 'title, artist, date'],
  ['tags.mp3', 'wav', undefined],
] as const) {
  test(
    lostTags
      ? `tags of ${source} that ${to} cannot store cause a warning`
      : `${to} keeps all tags of ${source}`,
    async () => {
      const { path, warnings, messages } = await convert(ffmpeg, createTagged(source), to)
      const sentence = `These tags were dropped because the format cannot store them: ${lostTags}.`
      assert.deepEqual([warnings, messages], lostTags ? [['METADATA_DROPPED'], [sentence]] : [[], []])
      const shownTags = execFileSync('ffprobe', ['-v', 'error', '-show_entries', 'format_tags', path], {
        encoding: 'utf8',
      })
      assert.equal(shownTags.includes('2001'), lostTags === undefined)
    },
  )
}

test('audio without tags causes no warning about lost tags', async () => {
  const path = join(folder, 'plain.m4a')
  execFileSync('ffmpeg', ['-v', 'error', '-y', '-f', 'lavfi', '-i', 'sine=d=0.3', path])
  for (const to of ['aac', 'ac3'] as const) assert.deepEqual((await convert(ffmpeg, path, to)).warnings, [])
})
