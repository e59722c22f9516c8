import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { TextReader, Uint8ArrayWriter, ZipWriter } from '@zip.js/zip.js'
import { AppError, type ErrorCode } from '../../lib/errors.ts'
import { detectFromContent } from '../../lib/formats/detect.ts'
import { type FormatId, formatByExtension, formats } from '../../lib/formats/index.ts'
import { assertRefused } from '../support/assert-refused.ts'
import { type DetectOptions, detectFile, memorySource } from './detect-file.ts'

const readFixture = (name: string) => readFile(new URL(`../fixtures/${name}`, import.meta.url))

const assertFileRejected = (
  code: ErrorCode,
  name: string,
  bytes: Uint8Array | string,
  givenOptions?: DetectOptions,
) => assertRefused(detectFile(name, bytes, givenOptions), code, undefined, name)

describe('format detection', () => {
  test('the format of a file is detected from its content without an extension', async () => {
    for (const [file, format] of [
      ['corners.png', 'png'],
      ['corners.jpg', 'jpg'],
      ['corners.svg', 'svg'],
      ['corners.heic', 'heic'],
      ['pages.tiff', 'tiff'],
      ['video.mp4', 'mp4'],
      ['video.webm', 'webm'],
      ['tone.wav', 'wav'],
      ['three-pages.pdf', 'pdf'],
      ['letter.docx', 'docx'],
      ['letter.odt', 'odt'],
      ['note.rtf', 'rtf'],
      ['page.html', 'html'],
    ] as const) {
      assert.equal(await detectFile('upload', await readFixture(file)), format)
    }
  })

  test('format detection also returns the registered MIME type of the format', async () => {
    const { mimeType } = await detectFromContent(memorySource('x', await readFixture('letter.docx')))
    assert.equal(mimeType, 'application/vnd.openxmlformats-officedocument.wordprocessingml.document')
  })

  test('the format follows the file name if several formats have the same magic bytes', async () => {
    assert.equal(await detectFile('video.m4v', await readFixture('video.mp4')), 'm4v')
    assert.equal(await detectFile('clip.F4V', await readFixture('video.mp4')), 'f4v')
    assert.equal(await detectFile('table.csv', await readFixture('table.csv')), 'csv')
    assert.equal(await detectFile('table.tsv', 'a\tb\n1\t2\n'), 'tsv')
  })

  test('the format follows the content if the file extension is wrong but of the same category', async () => {
    assert.equal(await detectFile('photo.jpg', await readFixture('corners.png')), 'png')
    assert.equal(await detectFile('letter.pdf', await readFixture('letter.docx')), 'docx')
    assert.equal(await detectFile('letter.doc', await readFixture('note.rtf')), 'rtf')
  })

  test('text in ASCII, UTF-16 or Latin-1 is detected as plain text', async () => {
    assert.equal(await detectFile('README', 'words\n'), 'txt')
    assert.equal(await detectFile('notes.txt', Buffer.from('\ufeffwords', 'utf16le')), 'txt')
    assert.equal(await detectFile('notes.txt', Buffer.from([0x47, 0x72, 0xfc, 0xdf, 0x65])), 'txt')
  })

  test('a compressed SVG is detected', async () => {
    assert.equal(await detectFile('drawing.svgz', gzipSync(await readFixture('corners.svg'))), 'svgz')
  })

  test('the format of a large file is detected from its start and end without reading all of it', async () => {
    const head = await readFixture('tone.wav')
    const largeFile = Buffer.alloc(50_000_000)
    head.copy(largeFile)
    largeFile.writeUInt32LE(0xffffffff, 4)
    let read = 0
    assert.equal(
      await detectFile('long.wav', largeFile, {
        onRead: (bytes) => {
          read += bytes
        },
      }),
      'wav',
    )
    assert.ok(read < 300_000, `${read} bytes were read`)
  })
})

describe('detection of text files', () => {
  test('a text file is detected in UTF-16, with and without a byte order mark, and in legacy encodings', async () => {
    const words = 'Name,Ort\nGrüße,Köln\n'
    const utf16Bytes = Buffer.from(words, 'utf16le')
    const utf16 = [utf16Bytes, Buffer.from(utf16Bytes).swap16(), Buffer.from(`\ufeff${words}`, 'utf16le')]
    for (const bytes of [
      ...utf16,
      Buffer.from(words, 'latin1'),
      Buffer.from('\x93\xfa\x96{\x8c\xea\n', 'latin1'),
    ]) {
      for (const name of ['txt', 'csv', 'srt'] as const)
        assert.equal(await detectFile(`x.${name}`, bytes), name, bytes.toString('hex'))
    }
  })
})

describe('files of unknown or contradictory format', () => {
  test('a file whose content has another category than its name is rejected, and the error says what it looks like', async () => {
    const error = await assertFileRejected('CORRUPT_FILE', 'report.pdf', 'Only some words.\n')
    assert.match(
      error.message,
      /says Portable Document Format \(pdf\), but the content looks like plain text/,
    )
    await assertFileRejected('CORRUPT_FILE', 'song.mp3', await readFixture('three-pages.pdf'))
    await assertFileRejected('CORRUPT_FILE', 'letter.docx', await readFixture('video.mp4'))
    await assertFileRejected(
      'CORRUPT_FILE',
      'video.mp4',
      Buffer.concat([Buffer.from('MZ'), Buffer.alloc(200)]),
    )
    await assertFileRejected('CORRUPT_FILE', 'video.mp4', randomBytes(5000))
  })

  test('a file of unknown format is rejected, and the error says what it looks like', async () => {
    const program = await readFile('/bin/true')
    assert.match(
      (await assertFileRejected('UNSUPPORTED_FORMAT', 'setup.exe', program)).message,
      /named \.exe and looks like application\/x-/,
    )
    assert.match(
      (await assertFileRejected('UNSUPPORTED_FORMAT', 'upload', program)).message,
      /has no extension/,
    )
    await assertFileRejected('UNSUPPORTED_FORMAT', 'notes.qqq', 'words\n')
    await assertFileRejected('UNSUPPORTED_FORMAT', 'data.bin', randomBytes(5000))
  })

  test('an empty file is rejected', async () => {
    await assertFileRejected('INVALID_INPUT', 'empty.pdf', '')
  })
})

describe('damaged files', () => {
  const truncatedFiles = [
    'corners.png',
    'corners.jpg',
    'corners.webp',
    'corners.heic',
    'corners.avif',
    'corners.svg',
    'pages.tiff',
    'animated.gif',
    'video.mp4',
    'video.mov',
    'video.webm',
    'video.avi',
    'tracks.mkv',
    'tone.wav',
    'tone.m4a',
    'three-pages.pdf',
    'letter.docx',
    'letter.odt',
    'note.rtf',
  ]

  for (const name of truncatedFiles) {
    test(`a damaged file is rejected as corrupt: truncated ${name}`, async () => {
      const wholeFile = await readFixture(name)
      for (const fraction of [0.6, 0.9]) {
        await assertFileRejected(
          'CORRUPT_FILE',
          name,
          wholeFile.subarray(0, Math.floor(wholeFile.length * fraction)),
        )
      }
    })
  }

  test('an office file with a part that cannot be decompressed is rejected as damaged', async () => {
    const bytes = await readFixture('letter.docx')
    const at = bytes.lastIndexOf('word/document.xml', bytes.indexOf('PK\x01\x02')) + 40
    bytes.fill(0x55, at, at + 30)
    assert.match(
      (await assertFileRejected('CORRUPT_FILE', 'letter.docx', bytes)).message,
      /the part with its content is damaged/,
    )
  })

  test('an image with extra data at its end, as phones write it, is not rejected as damaged', async () => {
    const photo = Buffer.concat([await readFixture('corners.jpg'), randomBytes(300_000)])
    assert.equal(await detectFile('motion.jpg', photo), 'jpg')
  })

  test('a WAV stream with an unknown length in its header is not rejected as damaged', async () => {
    const wav = await readFixture('tone.wav')
    wav.writeUInt32LE(0, 4)
    assert.equal(await detectFile('stream.wav', wav), 'wav')
  })

  test('a file with random changes is either accepted or rejected with an AppError', async () => {
    for (const name of [...truncatedFiles, 'needs-password.pdf', 'tone.ogg', 'tone.flac', 'video.avi']) {
      const wholeFile = await readFixture(name)
      for (let round = 0; round < 12; round++) {
        const damagedFile = Buffer.from(wholeFile)
        for (let count = 0; count < 8; count++)
          damagedFile[(round * 131 + count * 977) % damagedFile.length] = (round * 37 + count * 101) & 0xff
        await detectFromContent(memorySource(name, damagedFile)).catch((error: unknown) => {
          assert.ok(error instanceof AppError, `${name}: ${error instanceof Error ? error.stack : error}`)
        })
      }
    }
  })
})

test('a ZIP file with an unsafe path is rejected with a message that names the path', async () => {
  for (const name of ['../../up.txt', '/etc/x']) {
    const zip = new ZipWriter(new Uint8ArrayWriter())
    await zip.add('x'.repeat(name.length), new TextReader('words'))
    const bytes = Buffer.from(await zip.close())
      .toString('latin1')
      .replaceAll('x'.repeat(name.length), name)
    const { message, details } = await assertFileRejected(
      'INVALID_INPUT',
      'a.zip',
      Buffer.from(bytes, 'latin1'),
    )
    assert.ok(message.includes(`unsafe path: "${name}"`), message)
    assert.deepEqual(details, { field: 'file', reason: 'unsafe-name', name })
  }
})

describe('encrypted PDFs', () => {
  test('an encrypted PDF that requires a password is rejected without a password and with a wrong password', async () => {
    const bytes = await readFixture('needs-password.pdf')
    assert.match((await assertFileRejected('PDF_ENCRYPTED', 'x.pdf', bytes)).message, /is encrypted/)
    assert.match(
      (await assertFileRejected('PDF_ENCRYPTED', 'x.pdf', bytes, { password: 'wrong' })).message,
      /cannot be opened/,
    )
    assert.equal(await detectFile('x.pdf', bytes, { password: 'secret' }), 'pdf')
  })

  test('an encrypted PDF that only has an owner password is accepted', async () => {
    assert.equal(await detectFile('x.pdf', await readFixture('owner-password.pdf')), 'pdf')
    assert.equal(
      await detectFile('x.pdf', await readFixture('owner-password.pdf'), { password: 'any' }),
      'pdf',
    )
  })
})

describe('office files with a password', () => {
  const detectFixture = async (fixtureName: string, name: string) => {
    const { format, locked } = await detectFromContent(
      memorySource(name, await readFixture(`office/${fixtureName}`)),
    )
    return [format, locked]
  }

  test('an office file with a password is detected as encrypted, but refused if its name has no Office extension', async () => {
    assert.deepEqual(await detectFixture('locked.docx', 'a.docx'), ['docx', true])
    assert.deepEqual(await detectFixture('locked.pptx', 'a.ppt'), ['pptx', true])
    assert.deepEqual(await detectFixture('locked.odt', 'a.odt'), ['odt', true])
    assert.deepEqual(await detectFixture('report.docx', 'a.docx'), ['docx', undefined])
    const { message } = await assertFileRejected(
      'UNSUPPORTED_FORMAT',
      'a.bin',
      await readFixture('office/locked.docx'),
    )
    assert.match(message, /rename it to \.docx, \.xlsx or \.pptx/)
  })
})

const samples = process.env.SAMPLES_DIR ?? fileURLToPath(new URL('../../../shared/samples', import.meta.url))

function listSampleFiles(): { path: string; format: FormatId }[] {
  return ['video', 'audio', 'image', 'document', 'ebook'].flatMap((category) =>
    readdirSync(`${samples}/${category}`)
      .filter((name) => /^(s|real\d?|alpha)\./.test(name))
      // An image for Palm devices, whose ebooks have the same extension.
      .filter((name) => `${category}/${name}` !== 'image/s.pdb')
      // An XHTML page is detected as HTML.
      .filter((name) => name !== 's.xhtml')
      .flatMap((name) => {
        const namedFormat = formatByExtension(name)
        // Formats of two categories can share an extension; the folder determines the category.
        const extension = name.slice(name.lastIndexOf('.') + 1)
        const format = formats.find((one) => one.category === category && one.extensions.includes(extension))
        const foundFormat = format ?? (['video', 'audio'].includes(category) ? undefined : namedFormat)
        return foundFormat ? [{ path: `${samples}/${category}/${name}`, format: foundFormat.id }] : []
      }),
  )
}

describe('sample files of all formats', async () => {
  const hasSamples = await readdir(samples).then(
    () => true,
    () => false,
  )
  test(
    'each sample file is detected as the format of its folder and extension',
    hasSamples ? {} : { skip: `no samples in ${samples}` },
    async () => {
      const files = listSampleFiles()
      assert.ok(files.length > 100)
      for (const { path, format } of files) {
        assert.equal(
          await detectFile(path.slice(path.lastIndexOf('/') + 1), await readFile(path)),
          format,
          path,
        )
      }
    },
  )
})
