import { type FormatId, isFormatId } from '../../../lib/formats/index.ts'
import { defined } from '../../../lib/validation/defined.ts'
import { fixture, type Variant } from './variant.ts'

const report = fixture('report.pdf')
const createQpdfVariant = (name: string, ...args: string[]): Variant => ({
  area: 'document',
  name,
  commands: [['qpdf', '--static-id', '--warning-exit-0', ...args, report, '{out}']],
})
const createEncryptedPdf = (name: string, bits: string, ...args: string[]): Variant => ({
  ...createQpdfVariant(name, '--allow-weak-crypto', '--encrypt', 'secret', 'owner', bits, ...args, '--'),
  comparisonPath: report,
})

const pdfs: readonly Variant[] = [
  createQpdfVariant('object-streams.pdf', '--object-streams=generate'),
  createQpdfVariant('no-object-streams.pdf', '--object-streams=disable', '--force-version=1.3'),
  createQpdfVariant('linear.pdf', '--linearize'),
  createQpdfVariant('unpacked.pdf', '--stream-data=uncompress', '--qdf'),
  createQpdfVariant('version-2.pdf', '--force-version=2.0'),
  createQpdfVariant('turned.pdf', '--rotate=90'),
  createQpdfVariant('owner-only.pdf', '--encrypt', '', 'owner', '256', '--print=none', '--'),
  ...[
    ['rc4-40.pdf', '40'],
    ['rc4-128.pdf', '128', '--use-aes=n'],
    ['aes-128.pdf', '128', '--use-aes=y'],
    ['aes-256.pdf', '256'],
    ['clear-metadata.pdf', '256', '--cleartext-metadata'],
  ].flatMap(([name = '', bits = '', ...args]) => [
    { ...createEncryptedPdf(name, bits, ...args), options: { password: 'secret' } },
    createEncryptedPdf(`closed-${name}`, bits, ...args),
    { ...createEncryptedPdf(`wrong-${name}`, bits, ...args), options: { password: 'guess' } },
  ]),
  ...['1.3', '1.5', '1.7'].map((version) => ({
    area: 'document' as const,
    name: `ghostscript-${version}.pdf`,
    commands: [
      [
        'gs',
        '-q',
        '-dSAFER',
        '-dBATCH',
        '-dNOPAUSE',
        '-sDEVICE=pdfwrite',
        `-dCompatibilityLevel=${version}`,
        '-sOutputFile={out}',
        report,
      ],
    ],
  })),
  ...['eps2write', 'ps2write'].map((device) => ({
    area: 'document' as const,
    name: `${device}.ps`,
    commands: [
      [
        'gs',
        '-q',
        '-dSAFER',
        '-dBATCH',
        '-dNOPAUSE',
        '-dLastPage=1',
        `-sDEVICE=${device}`,
        '-sOutputFile={out}',
        report,
      ],
    ],
  })),
  { area: 'document', name: 'cleaned.pdf', commands: [['mutool', 'clean', '-gggg', '-z', report, '{out}']] },
  { area: 'document', name: 'ascii.pdf', commands: [['mutool', 'clean', '-a', '-d', report, '{out}']] },
]

/** A sentence per encoding, in a language that it supports and long enough for detection. */
const sentences: Readonly<Record<string, string>> = {
  latin:
    'Die Größe der Äpfel überraschte jeden, der früher schöne Birnen aß. Le garçon a mangé des crêpes à Noël. ',
  polish: 'Zażółć gęślą jaźń, powiedział chłopiec, który wczoraj kupił świeże jabłka na targu. ',
  russian:
    'Съешь ещё этих мягких французских булок, да выпей чаю. Вчера мальчик купил свежие яблоки на рынке. ',
  greek: 'Το αγόρι αγόρασε φρέσκα μήλα στην αγορά και γύρισε σπίτι πριν από το βράδυ. ',
  japanese: '昨日、少年は市場で新鮮なりんごを買いました。りんごはとてもおいしかったです。',
  chinese: '昨天,男孩在市場買了新鮮的蘋果。蘋果非常好吃,大家都很高興。',
  simplified: '昨天,男孩在市场买了新鲜的苹果。苹果非常好吃,大家都很高兴。',
  korean: '어제 소년은 시장에서 신선한 사과를 샀습니다. 사과는 매우 맛있었습니다. ',
  hebrew: 'הילד קנה אתמול תפוחים טריים בשוק וחזר הביתה לפני הערב. ',
}
const encodings: readonly (readonly [string, string])[] = [
  ...[
    'UTF-8',
    'UTF-16LE',
    'UTF-16BE',
    'UTF-16',
    'WINDOWS-1252',
    'ISO-8859-1',
    'ISO-8859-15',
    'MACINTOSH',
  ].map((name) => ['latin', name] as const),
  ...['ISO-8859-2', 'WINDOWS-1250', 'UTF-16LE'].map((name) => ['polish', name] as const),
  ...['KOI8-R', 'WINDOWS-1251', 'ISO-8859-5', 'UTF-16BE'].map((name) => ['russian', name] as const),
  ...['ISO-8859-7', 'WINDOWS-1253'].map((name) => ['greek', name] as const),
  ...['SHIFT_JIS', 'EUC-JP', 'ISO-2022-JP', 'UTF-8'].map((name) => ['japanese', name] as const),
  ...['BIG5', 'UTF-16LE'].map((name) => ['chinese', name] as const),
  ...['GB18030', 'GBK'].map((name) => ['simplified', name] as const),
  ...['EUC-KR', 'UTF-8'].map((name) => ['korean', name] as const),
  ...['ISO-8859-8', 'WINDOWS-1255'].map((name) => ['hebrew', name] as const),
]

const createEncodedText = (name: string, encoding: string, text: string, words?: string): Variant => ({
  area: 'document',
  name,
  ...defined({ words }),
  // UTF-8 as octal escapes, so that the locale of the shell does not matter.
  commands: [
    [
      'sh',
      '-c',
      `printf '%b' '${toOctalEscapes(text)}' | iconv -f UTF-8 -t ${encoding}${encoding === 'UTF-8' ? '' : '//TRANSLIT'} > "$0"`,
      '{out}',
    ],
  ],
})
const toOctalEscapes = (text: string) =>
  [...Buffer.from(text)].map((byte) => `\\0${byte.toString(8).padStart(3, '0')}`).join('')

const texts: readonly Variant[] = [
  ...encodings.flatMap(([language, encoding]) => {
    const sentence = sentences[language] ?? ''
    const rows = Array.from({ length: 6 }, (_, at) => `${at},"${sentence.trim()}"`).join('\n')
    const cues = Array.from(
      { length: 4 },
      (_, at) => `${at + 1}\r\n00:00:0${at},000 --> 00:00:0${at},900\r\n${sentence}\r\n`,
    )
    const shortName = `${language}-${encoding.toLowerCase()}`
    return [
      createEncodedText(`${shortName}.txt`, encoding, sentence.repeat(5), sentence),
      createEncodedText(`${shortName}.csv`, encoding, `number,sentence\n${rows}\n`, sentence),
      createEncodedText(`${shortName}.srt`, encoding, cues.join('\r\n'), sentence),
      createEncodedText(
        `${shortName}.html`,
        encoding,
        `<html><head><meta charset="${encoding}"></head><body><p>${sentence.repeat(3)}</p></body></html>`,
        sentence,
      ),
    ]
  }),
  ...[
    ['crlf.txt', 'first words\r\nsecond words\r\n'],
    ['cr.txt', 'first words\rsecond words\r'],
    ['bom.txt', '\ufefffirst words\nsecond words\n'],
    ['bom.csv', '\ufeffname,amount\napple,1\n'],
    ['semicolons.csv', 'name;amount\nÄpfel;1,5\nBirnen;2,5\n'],
    ['tabs.csv', 'name\tamount\napple\t1\npear\t2\n'],
    ['pipes.csv', 'name|amount\napple|1\npear|2\n'],
    ['lines.csv', 'name,remark\napple,"two\nlines"\npear,"a ""quoted"" word"\n'],
    ['uneven.csv', 'a,b,c\n1,2\n1,2,3,4\n\n5\n'],
    ['formulas.csv', 'name,sum\n=1+1,+2\n@x,-3\n'],
    ['zeros.csv', 'code,phone\n00123,+49 170 1234567\n1E5,1/2\n'],
    ['one-line.txt', `${'word '.repeat(3000)}\n`],
    ['short.srt', '1\n00:00:01,000 --> 00:00:02,000\nonly words\n'],
    [
      'styled.vtt',
      'WEBVTT\n\nSTYLE\n::cue{color:red}\n\n00:01.000 --> 00:02.000 align:left\n<c.x>marked</c> words\n',
    ],
    [
      'notes.md',
      '---\ntitle: Notes\n---\n\n# Heading\n\n| a | b |\n|---|---|\n| one | two |\n\nText[^1].\n\n[^1]: A footnote.\n',
    ],
    ['nested.html', `<div>${'<div>'.repeat(200)}deep words here${'</div>'.repeat(200)}</div>`],
    [
      'entities.html',
      '<p>fish &amp; chips &#x1F600; &nbsp;caf&eacute; &lt;tag&gt;</p>',
      'fish chips café tag',
    ],
    ['unclosed.html', '<p>first<p>second<table><tr><td>cell<td>other'],
    ['plain.rtf', "{\\rtf1\\ansi\\ansicpg1252 caf\\'e9 \\u8364? {\\b bold} words\\par}"],
    [
      'cyrillic.rtf',
      "{\\rtf1\\ansi\\ansicpg1251\\deff0{\\fonttbl{\\f0\\fcharset204 Arial;}}\\f0 \\'cf\\'f0\\'e8\\'e2\\'e5\\'f2 words\\par}",
    ],
  ].map(([name = '', text = '', words]) => createEncodedText(name, 'UTF-8', text, words)),
]

const secretWords = 'walnuts almonds hazelnuts and chestnuts'
const pageTargets = ['pdf', 'docx', 'txt'] as const

/** Pages whose text a program can miss, or show with its markup. */
const pages: readonly Variant[] = [
  ...[
    ['srcdoc.html', `<h1>Outside</h1><iframe srcdoc="<p>${secretWords}</p>"></iframe><p>afterwards</p>`],
    [
      'srcdoc-single-quotes.html',
      `<p>Outside</p><iframe srcdoc='&lt;p title="x"&gt;${secretWords}'></iframe>`,
    ],
  ].map(
    ([name = '', page = '']): Variant => ({
      ...createEncodedText(name, 'UTF-8', page, `outside ${secretWords}`),
      targets: [...pageTargets, 'md', 'epub', 'doc', 'mobi'],
    }),
  ),
  ...['xhtml', 'html'].flatMap((extension) =>
    ['UTF-8', 'ISO-8859-1'].map((encoding): Variant => {
      const declaration = `<?xml version="1.0" encoding="${encoding}"?>`
      const page = `${declaration}\n<html><head><title>Nuts</title></head><body><p class="shell">Äpfel ${secretWords}</p><br/></body></html>`
      const name = `no-namespace-${encoding.toLowerCase()}.${extension}`
      return {
        ...createEncodedText(name, encoding, page, `äpfel ${secretWords}`),
        markup: 'shell',
        targets: pageTargets,
      }
    }),
  ),
]

const createMail = (encoding: string): Variant => ({
  ...createEncodedText(
    `${encoding.toLowerCase()}.eml`,
    encoding,
    `From: a@example.org\r\nSubject: Grüße\r\nContent-Type: text/plain; charset=${encoding}\r\n\r\nÄpfel ${secretWords}\r\n`,
    `grüße äpfel ${secretWords}`,
  ),
  targets: [...pageTargets, 'html'],
})

/** A scanned page of few lines that lies on its side. */
const createSidewaysScan = (degrees: string): Variant => ({
  area: 'document',
  name: `scan-${degrees}.pdf`,
  commands: [
    [
      ...['convert', '-size', '1000x700', 'xc:white', '-font', 'DejaVu-Sans', '-pointsize', '32'],
      ...['-annotate', '+90+150', 'Shopping list for the weekend party'],
      ...['-annotate', '+90+240', 'Please call the plumber on Monday'],
      ...['-annotate', '+90+330', 'Meeting moved to half past nine'],
      ...['-colorspace', 'Gray', '-rotate', degrees, '-alpha', 'off', '-depth', '8', '{out}.png'],
    ],
    ['img2pdf', '--imgsize', '150dpix150dpi', '--output', '{out}', '{out}.png'],
  ],
  words: 'shopping list for the weekend party please call plumber on monday meeting moved to half past nine',
  // Plain text is read without OCR, with a warning.
  targets: ['docx', 'md', 'html'],
  mustKeepWords: true,
})

export const documents: readonly Variant[] = [
  ...pdfs,
  ...texts,
  ...pages,
  ...['UTF-16', 'UTF-16LE', 'UTF-16BE'].map(createMail),
  ...['90', '180', '270'].map(createSidewaysScan),
]

/** Old formats whose files the service creates itself, because only its engines can still write them. */
export const chains: readonly { readonly source: string; readonly to: readonly FormatId[] }[] = [
  {
    source: 'story.html',
    to: 'docx doc odt rtf fodt dotx ott txt md adoc rst tex org dbk pdf epub azw3 mobi fb2'
      .split(' ')
      .filter(isFormatId),
  },
  { source: 'story.epub', to: ['htmlz', 'txtz', 'pdb', 'rb', 'lrf', 'snb', 'pmlz', 'tcr'] },
  { source: 'list.csv', to: ['xlsx', 'xls', 'ods', 'fods', 'tsv', 'html', 'xltx', 'ots'] },
  { source: 'slides.odp', to: ['ppt', 'pptx', 'fodp', 'ppsx', 'potx', 'otp', 'pps'] },
  { source: 'subtitles.srt', to: ['vtt', 'ass', 'ttml', 'lrc'] },
]
