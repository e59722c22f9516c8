import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { TextReader, Uint8ArrayWriter, ZipWriter } from '@zip.js/zip.js'
import { AppError, type ErrorCode } from '../../lib/errors.ts'
import { detectFormat } from '../../lib/formats/detect.ts'
import { type FormatId, formatByExtension, formats } from '../../lib/formats/index.ts'
import { assertRefused } from '../assert-refused.ts'
import { detected, type Given, inMemory } from './detect-file.ts'

const fixture = (name: string) => readFile(new URL(`../fixtures/${name}`, import.meta.url))

const refusedFile = (code: ErrorCode, name: string, bytes: Uint8Array | string, given?: Given) =>
  assertRefused(detected(name, bytes, given), code, undefined, name)

describe('the format of a file', () => {
  test('is told by its bytes, whatever its name', async () => {
    for (const [file, format] of [
      ['corners.png', 'png'],
      ['corners.jpg', 'jpg'],
      ['corners.svg', 'svg'],
      ['corners.heic', 'heic'],
      ['pages.tiff', 'tiff'],
      ['film.mp4', 'mp4'],
      ['film.webm', 'webm'],
      ['tone.wav', 'wav'],
      ['three-pages.pdf', 'pdf'],
      ['letter.docx', 'docx'],
      ['letter.odt', 'odt'],
      ['note.rtf', 'rtf'],
      ['page.html', 'html'],
    ] as const) {
      assert.equal(await detected('upload', await fixture(file)), format)
    }
  })

  test('comes with its registered MIME type', async () => {
    const { mimeType } = await detectFormat(inMemory('x', await fixture('letter.docx')))
    assert.equal(mimeType, 'application/vnd.openxmlformats-officedocument.wordprocessingml.document')
  })

  test('follows the name within a family of equal bytes', async () => {
    assert.equal(await detected('film.m4v', await fixture('film.mp4')), 'm4v')
    assert.equal(await detected('clip.F4V', await fixture('film.mp4')), 'f4v')
    assert.equal(await detected('table.csv', await fixture('table.csv')), 'csv')
    assert.equal(await detected('table.tsv', 'a\tb\n1\t2\n'), 'tsv')
  })

  test('is that of the content when the name is wrong and nobody is harmed', async () => {
    assert.equal(await detected('photo.jpg', await fixture('corners.png')), 'png')
    assert.equal(await detected('letter.pdf', await fixture('letter.docx')), 'docx')
    assert.equal(await detected('letter.doc', await fixture('note.rtf')), 'rtf')
  })

  test('of text without an extension is plain text, in any encoding', async () => {
    assert.equal(await detected('README', 'words\n'), 'txt')
    assert.equal(await detected('notes.txt', Buffer.from('\ufeffwords', 'utf16le')), 'txt')
    assert.equal(await detected('notes.txt', Buffer.from([0x47, 0x72, 0xfc, 0xdf, 0x65])), 'txt')
  })

  test('is found in compressed SVG', async () => {
    assert.equal(await detected('drawing.svgz', gzipSync(await fixture('corners.svg'))), 'svgz')
  })

  test('is found from the ends of a file without reading it whole', async () => {
    const head = await fixture('tone.wav')
    const large = Buffer.alloc(50_000_000)
    head.copy(large)
    large.writeUInt32LE(0xffffffff, 4)
    let read = 0
    assert.equal(
      await detected('long.wav', large, {
        onRead: (bytes) => {
          read += bytes
        },
      }),
      'wav',
    )
    assert.ok(read < 300_000, `${read} bytes were read`)
  })
})

describe('a text', () => {
  test('is known in UTF-16, with a mark and without, and in what was there before Unicode', async () => {
    const words = 'Name,Ort\nGrüße,Köln\n'
    const wide = Buffer.from(words, 'utf16le')
    const letters = [wide, Buffer.from(wide).swap16(), Buffer.from(`\ufeff${words}`, 'utf16le')]
    for (const bytes of [
      ...letters,
      Buffer.from(words, 'latin1'),
      Buffer.from('\x93\xfa\x96{\x8c\xea\n', 'latin1'),
    ]) {
      for (const name of ['txt', 'csv', 'srt'] as const)
        assert.equal(await detected(`x.${name}`, bytes), name, bytes.toString('hex'))
    }
  })
})

describe('a file that contradicts its name', () => {
  test('is refused when it is of another kind, and told what it looks like', async () => {
    const error = await refusedFile('CORRUPT_FILE', 'report.pdf', 'Only some words.\n')
    assert.match(error.message, /named as Portable Document Format \(pdf\), but it looks like plain text/)
    await refusedFile('CORRUPT_FILE', 'song.mp3', await fixture('three-pages.pdf'))
    await refusedFile('CORRUPT_FILE', 'letter.docx', await fixture('film.mp4'))
    await refusedFile('CORRUPT_FILE', 'film.mp4', Buffer.concat([Buffer.from('MZ'), Buffer.alloc(200)]))
    await refusedFile('CORRUPT_FILE', 'film.mp4', randomBytes(5000))
  })

  test('or of no known format is named with what was seen', async () => {
    const program = await readFile('/bin/true')
    assert.match(
      (await refusedFile('UNSUPPORTED_FORMAT', 'setup.exe', program)).message,
      /named \.exe and looks like application\/x-/,
    )
    assert.match((await refusedFile('UNSUPPORTED_FORMAT', 'upload', program)).message, /has no extension/)
    await refusedFile('UNSUPPORTED_FORMAT', 'notes.qqq', 'words\n')
    await refusedFile('UNSUPPORTED_FORMAT', 'data.bin', randomBytes(5000))
  })

  test('or is empty says so', async () => {
    await refusedFile('INVALID_INPUT', 'empty.pdf', '')
  })
})

describe('a damaged file', () => {
  const cut = [
    'corners.png',
    'corners.jpg',
    'corners.webp',
    'corners.heic',
    'corners.avif',
    'corners.svg',
    'pages.tiff',
    'animated.gif',
    'film.mp4',
    'film.mov',
    'film.webm',
    'film.avi',
    'tracks.mkv',
    'tone.wav',
    'tone.m4a',
    'three-pages.pdf',
    'letter.docx',
    'letter.odt',
    'note.rtf',
  ]

  for (const name of cut) {
    test(`is found before it is queued: ${name} cut off`, async () => {
      const whole = await fixture(name)
      for (const part of [0.6, 0.9]) {
        await refusedFile('CORRUPT_FILE', name, whole.subarray(0, Math.floor(whole.length * part)))
      }
    })
  }

  test('is found when a part of an office file does not unpack', async () => {
    const bytes = await fixture('letter.docx')
    const at = bytes.lastIndexOf('word/document.xml', bytes.indexOf('PK\x01\x02')) + 40
    bytes.fill(0x55, at, at + 30)
    assert.match(
      (await refusedFile('CORRUPT_FILE', 'letter.docx', bytes)).message,
      /holds its content is damaged/,
    )
  })

  test('is not suspected for what phones append to a picture', async () => {
    const photo = Buffer.concat([await fixture('corners.jpg'), randomBytes(300_000)])
    assert.equal(await detected('motion.jpg', photo), 'jpg')
  })

  test('is not suspected for a length that a stream could not know', async () => {
    const wav = await fixture('tone.wav')
    wav.writeUInt32LE(0, 4)
    assert.equal(await detected('stream.wav', wav), 'wav')
  })

  test('made to confuse is refused or read, and never more than a coded error', async () => {
    for (const name of [...cut, 'needs-password.pdf', 'tone.ogg', 'tone.flac', 'film.avi']) {
      const whole = await fixture(name)
      for (let round = 0; round < 12; round++) {
        const bent = Buffer.from(whole)
        for (let count = 0; count < 8; count++)
          bent[(round * 131 + count * 977) % bent.length] = (round * 37 + count * 101) & 0xff
        await detectFormat(inMemory(name, bent)).catch((error: unknown) => {
          assert.ok(error instanceof AppError, `${name}: ${error instanceof Error ? error.stack : error}`)
        })
      }
    }
  })
})

test('a ZIP with a name that leads out of it is refused by that name', async () => {
  for (const name of ['../../up.txt', '/etc/x']) {
    const zip = new ZipWriter(new Uint8ArrayWriter())
    await zip.add('x'.repeat(name.length), new TextReader('words'))
    const bytes = Buffer.from(await zip.close())
      .toString('latin1')
      .replaceAll('x'.repeat(name.length), name)
    const { message, details } = await refusedFile('INVALID_INPUT', 'a.zip', Buffer.from(bytes, 'latin1'))
    assert.ok(message.includes(`leads out of it: "${name}"`), message)
    assert.deepEqual(details, { field: 'file', reason: 'unsafe-name', name })
  }
})

describe('an encrypted PDF', () => {
  test('that needs a password is refused without it, and with a wrong one', async () => {
    const bytes = await fixture('needs-password.pdf')
    assert.match((await refusedFile('PDF_ENCRYPTED', 'x.pdf', bytes)).message, /needs a password/)
    assert.match(
      (await refusedFile('PDF_ENCRYPTED', 'x.pdf', bytes, { password: 'wrong' })).message,
      /does not open/,
    )
    assert.equal(await detected('x.pdf', bytes, { password: 'secret' }), 'pdf')
  })

  test('that only restricts its owner passes', async () => {
    assert.equal(await detected('x.pdf', await fixture('owner-password.pdf')), 'pdf')
    assert.equal(await detected('x.pdf', await fixture('owner-password.pdf'), { password: 'any' }), 'pdf')
  })
})

describe('an office file that needs a password', () => {
  const look = async (fixtureName: string, name: string) => {
    const { format, locked } = await detectFormat(inMemory(name, await fixture(`office/${fixtureName}`)))
    return [format, locked]
  }

  test('is told by its parts, and as what its name says where it shows nothing else', async () => {
    assert.deepEqual(await look('locked.docx', 'a.docx'), ['docx', true])
    assert.deepEqual(await look('locked.pptx', 'a.ppt'), ['pptx', true])
    assert.deepEqual(await look('locked.odt', 'a.odt'), ['odt', true])
    assert.deepEqual(await look('report.docx', 'a.docx'), ['docx', undefined])
    const { message } = await refusedFile('UNSUPPORTED_FORMAT', 'a.bin', await fixture('office/locked.docx'))
    assert.match(message, /name it \.docx, \.xlsx or \.pptx/)
  })
})

const samples = process.env.SAMPLES_DIR ?? fileURLToPath(new URL('../../../shared/samples', import.meta.url))

function sampleFiles(): { path: string; format: FormatId }[] {
  return ['video', 'audio', 'image', 'document', 'ebook'].flatMap((category) =>
    readdirSync(`${samples}/${category}`)
      .filter((name) => /^(s|real\d?|alpha)\./.test(name))
      // A picture for the Palm; its books have the same kind of file.
      .filter((name) => `${category}/${name}` !== 'image/s.pdb')
      // Read as any other page.
      .filter((name) => name !== 's.xhtml')
      .flatMap((name) => {
        const first = formatByExtension(name)
        // An extension may name formats of two categories: the folder says which it is here.
        const ending = name.slice(name.lastIndexOf('.') + 1)
        const format = formats.find((one) => one.category === category && one.extensions.includes(ending))
        const found = format ?? (['video', 'audio'].includes(category) ? undefined : first)
        return found ? [{ path: `${samples}/${category}/${name}`, format: found.id }] : []
      }),
  )
}

describe('a real file of each format', async () => {
  const present = await readdir(samples).then(
    () => true,
    () => false,
  )
  test('is recognized', present ? {} : { skip: `no samples in ${samples}` }, async () => {
    const files = sampleFiles()
    assert.ok(files.length > 100)
    for (const { path, format } of files) {
      assert.equal(await detected(path.slice(path.lastIndexOf('/') + 1), await readFile(path)), format, path)
    }
  })
})
