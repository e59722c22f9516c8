import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import iconv from 'iconv-lite'
import type { Tools } from '../../../lib/engines/engine.ts'
import { prepareOfficeSource } from '../../../lib/engines/libreoffice/office-source.ts'
import { findCharset } from '../../../lib/engines/shared/text/charsets.ts'
import { isNumberOrDate } from '../../../lib/engines/shared/text/csv-numbers.ts'
import { guessCharset } from '../../../lib/engines/shared/text/detect-charset.ts'
import { copyAsUtf8, type Utf8CopySettings } from '../../../lib/engines/shared/text/read-text.ts'
import { copyAsCsv } from '../../../lib/engines/shared/text/table.ts'
import { TableOptions } from '../../../lib/engines/shared/text/table-options.ts'
import type { FormatId } from '../../../lib/formats/index.ts'
import { scratchFolder } from '../../support/scratch-folder.ts'

const workDir = scratchFolder('text-test')

/** Returns the UTF-8 copy of a text and the warnings. */
async function copyText(bytes: string | Buffer, format: FormatId) {
  const path = join(workDir, `given.${format}`)
  await writeFile(path, bytes)
  const warnings: string[] = []
  const tools: Tools = {
    exec: () => Promise.reject(new Error('no program is needed')),
    host: () => Promise.reject(new Error('no host is needed')),
    progress: () => undefined,
    warn: (code, message) => warnings.push(`${code} ${message}`),
    signal: new AbortController().signal,
    workDir,
  }
  return { input: { path, filename: `given.${format}`, format, size: bytes.length }, tools, warnings }
}

async function readAsUtf8(bytes: string | Buffer, format: FormatId = 'txt', settings: Utf8CopySettings = {}) {
  const { input, tools, warnings } = await copyText(bytes, format)
  const text = await readFile(await copyAsUtf8(input, tools, settings), 'utf8')
  return { text, warnings: warnings.map((words) => words.replace(/ .*/, '')), words: warnings.join() }
}

async function table(bytes: string | Buffer, options: object = {}, format: FormatId = 'csv') {
  const { input, tools } = await copyText(bytes, format)
  const { path, rows, columns } = await copyAsCsv(input, TableOptions.parse(options), tools)
  return { text: await readFile(path, 'utf8'), rows, columns }
}

const russianText = 'Вчера вечером мы ходили в театр, а потом ужинали.'
const texts = {
  'windows-1252': 'Die Straße war naß, als wir über die Brücke gingen; le château était fermé.',
  'windows-1250': 'Zażółć gęślą jaźń. Wczoraj wieczorem poszliśmy do kina.',
  'iso-8859-2': 'Zażółć gęślą jaźń. Wczoraj wieczorem poszliśmy do kina.',
  'windows-1251': russianText,
  'koi8-r': russianText,
  'iso-8859-5': russianText,
  ibm866: russianText,
  'iso-8859-7': 'Χθες το βράδυ πήγαμε στο θέατρο και μετά φάγαμε.',
  'windows-1254': 'Dün akşam tiyatroya gittik, sonra yemek yedik. Çocuklar şimdi uyuyor.',
  'windows-1255': 'אתמול בערב הלכנו לתיאטרון ואחר כך אכלנו ארוחת ערב',
  'windows-874': 'เมื่อวานตอนเย็นเราไปโรงละครแล้วกินข้าวเย็นด้วยกัน',
  'windows-1256': 'ذهبنا مساء أمس إلى المسرح ثم تناولنا العشاء',
  shift_jis: '昨日の夜、私たちは劇場に行きました。',
  'euc-jp': '昨日の夜、私たちは劇場に行きました。',
  gb18030: '昨天晚上我们去了剧院，然后在餐厅吃了晚饭。',
  big5: '昨天晚上我們去了劇院，然後在餐廳吃了晚飯。',
  'euc-kr': '어제 저녁 우리는 극장에 갔다가 식당에서 똠얌을 먹었다.',
} as const

describe('text in an undeclared encoding', () => {
  for (const [name, text] of Object.entries(texts)) {
    test(`text in an undeclared encoding is detected as ${name}, in plain text, tables and subtitles`, async () => {
      const words = text.split(' ')
      const csv = `id;name\n${words.map((word, at) => `${at};"${word}"\n`).join('')}`
      const srt = words.map((word, at) => `${at + 1}\n00:00:01,000 --> 00:00:02,000\n${word}\n\n`).join('')
      for (const [format, content] of [
        ['txt', text],
        ['csv', csv],
        ['srt', srt],
      ] as const) {
        const seenText = await readAsUtf8(iconv.encode(content, name), format)
        assert.equal(seenText.text, content, format)
        assert.deepEqual(seenText.warnings, ['ENCODING_ASSUMED'])
        assert.match(seenText.words, new RegExp(`read as ${name}\\.`))
      }
    })
  }

  test('text in an undeclared encoding is read as Windows-1252 if all encodings are equally likely', () => {
    assert.equal(guessCharset(Buffer.from('Tür', 'latin1')), 'windows-1252')
    assert.equal(guessCharset(iconv.encode('50 €', 'windows-1252')), 'windows-1252')
  })

  test('text without a declared encoding is decoded correctly from DOS code pages, Mac Roman and Windows-1252', () => {
    for (const [name, text] of [
      ['cp850', 'Die Prüfung läuft noch: Bücher, Öfen, Türen und Möbel müssen überprüft werden.'],
      ['cp437', "Le café était déjà fermé à l'été, où les élèves préféraient la forêt près du château."],
      ['cp852', 'Zażółć gęślą jaźń, proszę państwa, ponieważ łódź płynie już późno.'],
      ['macintosh', 'Räksmörgås på ön är något för både små och stora människor från Göteborg.'],
      ['windows-1252', 'Don’t worry — it’s fine, and we’re “happy”…'],
      ['windows-1252', 'L’été n’est pas fini, c’est l’homme d’à côté'],
      ['windows-1252', '• one\n• two – and three\nword—word'],
    ] as const) {
      const bytes = iconv.encode(text, name)
      assert.equal(iconv.decode(bytes, guessCharset(bytes)), text, name)
    }
  })

  test('short names are decoded correctly from Chinese, Thai and Greek encodings', () => {
    for (const [name, text] of [
      ['gb18030', '文档资料/会议记录.txt'],
      ['windows-874', 'เอกสารการประชุม.txt'],
      ['windows-874', 'รายงาน ปี ๒๕๖๗'],
      ['windows-1253', 'Ελληνικό τραγούδι'],
    ] as const) {
      const bytes = iconv.encode(text, name)
      assert.equal(iconv.decode(bytes, guessCharset(bytes)), text)
    }
  })

  test('text in undeclared UTF-8 with one invalid byte is still read as UTF-8, with warnings', async () => {
    const seenText = await readAsUtf8(Buffer.concat([Buffer.from(russianText), Buffer.from([0xff])]))
    assert.equal(seenText.text, `${russianText}\ufffd`)
    assert.deepEqual(seenText.warnings, ['ENCODING_ASSUMED', 'LETTERS_REPLACED'])
  })

  test('text with a null byte in an undeclared encoding is not mistaken for UTF-16', async () => {
    for (const words of [
      'id,name\n007,first\n\x00,second\n',
      `Plain words${'\0'} and more of them. `.repeat(9),
    ])
      for (const bytes of [Buffer.from(words), Buffer.from(` ${words}`)])
        assert.deepEqual((await readAsUtf8(bytes)).text, bytes.toString())
  })

  test('the encoding of a text file is detected even if its first non-ASCII characters are far into the file', async () => {
    const plainTable = 'id,name\n'.repeat(150_000)
    const { text } = await readAsUtf8(
      Buffer.concat([Buffer.from(plainTable), iconv.encode(russianText, 'windows-1251')]),
      'csv',
    )
    assert.ok(text.endsWith(russianText))
  })
})

describe('text in a known encoding', () => {
  test('text in UTF-8 or UTF-16 is read without a warning, with or without a byte order mark', async () => {
    for (const text of ['Plain words\r\nand more', russianText, '昨天晚上我们去了。\n一一一', 'Grüße 😀']) {
      for (const bytes of [
        Buffer.from(text, 'utf16le'),
        Buffer.from(text, 'utf16le').swap16(),
        Buffer.from(`\ufeff${text}`, 'utf16le'),
        Buffer.from(`\ufeff${text}`, 'utf16le').swap16(),
        Buffer.from(`\ufeff${text}`),
        Buffer.from(text),
      ]) {
        assert.deepEqual(await readAsUtf8(bytes), { text, warnings: [], words: '' }, bytes.toString('hex'))
      }
    }
    const iso2022Bytes = Buffer.from('\x1b$B:rF|\x1b(B words')
    assert.deepEqual((await readAsUtf8(iso2022Bytes)).text, '昨日 words')
  })

  test('text is read in the encoding declared in the file, and the copy declares UTF-8', async () => {
    for (const [format, start] of [
      ['html', '<html><meta http-equiv="Content-Type" content="text/html; charset=NAME"><p>'],
      ['html', "<meta charset='NAME'>"],
      ['fb2', '<?xml version="1.0" encoding="NAME"?><FictionBook>'],
      ['tex', '\\usepackage[NAME]{inputenc}'],
    ] as const) {
      const bytes = iconv.encode(`${start.replace('NAME', 'cp1251')}${russianText}`, 'windows-1251')
      const seenText = await readAsUtf8(bytes, format)
      const name = format === 'tex' ? 'utf8' : 'utf-8'
      assert.deepEqual(seenText, {
        text: `${start.replace('NAME', name)}${russianText}`,
        warnings: [],
        words: '',
      })
    }
  })

  test('text is read in the encoding that the client requests, unless a byte order mark says otherwise', async () => {
    const bytes = iconv.encode('Привет', 'koi8-r')
    assert.deepEqual(await readAsUtf8(bytes, 'txt', { encoding: 'KOI8-R' }), {
      text: 'Привет',
      warnings: [],
      words: '',
    })
    assert.equal((await readAsUtf8(bytes, 'txt', { encoding: 'cp1251' })).text, 'рТЙЧЕФ')
    assert.equal(
      (await readAsUtf8(Buffer.from('\ufeffПривет'), 'txt', { encoding: 'cp1251' })).text,
      'Привет',
    )
    const wrongText = await readAsUtf8(Buffer.from([0x61, 0xff]), 'txt', { encoding: 'utf-8' })
    assert.deepEqual([wrongText.text, wrongText.warnings], ['a\ufffd', ['LETTERS_REPLACED']])
  })

  test('text with a UTF-32 byte order mark is not mistaken for UTF-16', async () => {
    const text = '"Grüße, 😀","a""b"\n1,2'
    for (const encoding of ['utf-32le', 'utf-32be']) {
      const bytes = iconv.encode(text, encoding, { addBOM: true })
      const { text: read, warnings } = await readAsUtf8(bytes, 'csv')
      assert.deepEqual([read, warnings], [text, []], encoding)
    }
  })

  test('aliases such as CP932 and Latin1 select a text encoding, and unknown names select none', () => {
    for (const [label, name] of [
      ['CP932', 'shift_jis'],
      ['gb2312', 'gb18030'],
      ['Latin1', 'windows-1252'],
      ['cp437', 'cp437'],
      ['UTF-16', 'utf-16le'],
      ['base64', undefined],
      ['nonsense', undefined],
    ] as const)
      assert.equal(findCharset(label), name, label)
  })
})

describe('CSV fields', () => {
  test('a CSV field counts as a number or a date only if it is unambiguous and exported unchanged', () => {
    const numbers = ['0', '7', '-5', '3.14', '-0.5', '1.10', '123456789012345', '0.12345678901234']
    const dates = ['2024-02-29', '1999-12-31 23:59:59']
    for (const field of [...numbers, ...dates]) assert.ok(isNumberOrDate(field), field)
    const texts = [
      ...['007', '00', '-0', '-007', '1E5', '1e5', '1/2', '+49', '+1', '.5', '5.', '1,5', '1,234', '1 000'],
      ...['1234567890123456', '0.1234567890123456', '٣', '０', '0x1F', 'NaN', 'Infinity', '5%', '$5', 'TRUE'],
      ...[
        '=1+1',
        '-1+1',
        '--1',
        '-',
        '@A1',
        '3/4/2024',
        '12.03.2024',
        '2024-02-30',
        '2023-02-29',
        '2024-13-01',
      ],
      ...[
        '1900-01-01',
        '0001-01-01',
        '2024-1-1',
        '2024-01-01T10:00:00Z',
        '10:30',
        '2024-01',
        '20240101T',
        '',
      ],
    ]
    for (const field of texts) assert.ok(!isNumberOrDate(field), field)
  })
})

describe('CSV files', () => {
  test('a CSV with semicolons is normalized to commas, with quotes around text fields', async () => {
    const { text, rows, columns } = await table('a;b\r\n 7 ;"x;""y"""\n"007";=1\n\n1;\n\n\n')
    assert.equal(text, '"a","b"\n7,"x;""y"""\n"007","=1"\n\n1,\n')
    assert.deepEqual([rows, columns], [5, 2])
  })

  test('a CSV is split at the requested, declared or detected separator', async () => {
    for (const sign of [',', ';', '\t', '|'])
      assert.equal((await table(`a${sign}b\n"x, ;|"${sign}2\n`)).text, '"a","b"\n"x, ;|",2\n', sign)
    assert.equal((await table('sep=|\r\na;b|c\r\n')).text, '"a;b","c"\n')
    assert.equal((await table('a;b,c\n', { delimiter: 'Semicolon' })).text, '"a","b,c"\n')
    assert.equal((await table('a:b,c\n', { delimiter: ':' })).text, '"a","b,c"\n')
    assert.equal((await table('a,b\tc\n', {}, 'tsv')).text, '"a,b","c"\n')
    for (const delimiter of ['x', '"', '\n', ';;', '7'])
      assert.throws(() => TableOptions.parse({ delimiter }), /expected comma/, delimiter)
  })

  test('a CSV keeps numeric column names as text with headers=true, and keeps line breaks in quoted fields', async () => {
    assert.equal((await table('2023,2024\n1,2\n', { headers: 'true' })).text, '"2023","2024"\n1,2\n')
    assert.equal((await table('2023,2024\n1,2\n')).text, '2023,2024\n1,2\n')
    assert.equal((await table('a\r\n"b\r\nc"\rd\ne')).text, '"a"\n"b\nc"\n"d"\n"e"\n')
  })

  test('a CSV that is long or has unclosed quotes is read completely', async () => {
    const longTable = await table('7,x\r\n'.repeat(30_000))
    assert.equal(longTable.rows, 30_000)
    assert.ok(longTable.text.endsWith('7,"x"\n7,"x"\n'))
    assert.equal((await table('a,"b\nc')).text, '"a","""b"\n"c"\n')
  })

  test('a CSV with more rows or columns than the target supports causes a warning', async () => {
    const { input, tools, warnings } = await copyText(`x${',x'.repeat(256)}\n${'1\n'.repeat(65_536)}`, 'csv')
    const work = { operation: 'convert', inputs: [input], from: 'csv', options: {}, outDir: workDir } as const
    await prepareOfficeSource({ ...work, to: 'xlsx' }, input, tools)
    assert.deepEqual(warnings, [])
    await prepareOfficeSource({ ...work, to: 'xls' }, input, tools)
    assert.match(warnings.join('\n'), /^ROWS_DROPPED .*65536 of 65537.*\nCOLUMNS_DROPPED .*256 of 257/)
  })
})
