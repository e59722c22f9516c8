// The functions through which client text and the content of files are read, each with a function that repeats a text
// to create its input. `test/scanners.test.ts` gives them growing inputs.
import { Uint8ArrayReader, Uint8ArrayWriter, ZipWriter } from '@zip.js/zip.js'
import type { ContentReaderName } from '../../lib/fidelity/content-formats.ts'
import { summarize } from '../../lib/fidelity/summarize.ts'
import { detectFromContent } from '../../lib/formats/detect.ts'
import { parseFormFields } from '../../lib/http/body/body.ts'
import { sanitizeFileName, sanitizeFolderPath, withExtension } from '../../lib/names/file-name.ts'
import { parseJsonBody } from '../../lib/validation/json-body.ts'

export interface EntryPoint {
  readonly name: string
  /** Runs on the event loop of the API. */
  readonly isApi?: true
  read(text: string): unknown
}

/** Parts of ZIP files that contain the text, by reader. */
const mainParts = {
  word: 'word/document.xml',
  openDocument: 'content.xml',
  openSpreadsheet: 'content.xml',
  excel: 'xl/worksheets/sheet1.xml',
  powerPoint: 'ppt/slides/slide1.xml',
  zippedText: 'index.html',
} as const satisfies Partial<Record<ContentReaderName, string>>

/** Further parts that programs need to find the main part. */
const otherParts = {
  'xl/workbook.xml': '<workbook xmlns:r="r"><sheets><sheet name="a" r:id="rId1"/></sheets></workbook>',
  'xl/_rels/workbook.xml.rels':
    '<Relationships><Relationship Id="rId1" Target="worksheets/sheet1.xml"/></Relationships>',
}

const textReaders: readonly ContentReaderName[] = [
  ...([
    'richText',
    'pdf',
    'html',
    'documentXml',
    'storyXml',
    'plainText',
    'markdown',
    'likeMarkdown',
  ] as const),
  ...([
    'restructuredText',
    'asciiDoc',
    'org',
    'mediaWiki',
    'tex',
    'roff',
    'likeMediaWiki',
    'notebook',
  ] as const),
  ...(['opml', 'commaSeparated', 'tabSeparated', 'subRip', 'subStationAlpha', 'timedText', 'sami'] as const),
  ...(['lyrics', 'microDvd', 'mpl2', 'fictionBook', 'type1', 'type42', 'svgFont'] as const),
]

/** File beginnings without which a reader refuses the file. */
const starts: Partial<Readonly<Record<ContentReaderName, string>>> = {
  richText: '{\\rtf1 ',
  pdf: '%PDF-1.4\n',
}

async function readFile(reader: ContentReaderName, content: string | Uint8Array): Promise<unknown> {
  const bytes = Buffer.from(content)
  const read = async (start: number, end: number) => bytes.subarray(start, end)
  return summarize({ size: bytes.length, read }, { kind: 'content', reader, isResult: false })
}

/** Creates a PDF whose page has the text as its content stream (ISO 32000-1, 7.8.2). */
function createPdf(text: string): string {
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 99 99] /Contents 4 0 R /Resources << >> >>',
    `<< /Length ${Buffer.byteLength(text)} >>\nstream\n${text}\nendstream`,
  ]
  let file = '%PDF-1.4\n'
  const rows = objects.map((object, index) => {
    const row = `${String(Buffer.byteLength(file)).padStart(10, '0')} 00000 n \n`
    file += `${index + 1} 0 obj\n${object}\nendobj\n`
    return row
  })
  const at = Buffer.byteLength(file)
  return `${file}xref\n0 5\n0000000000 65535 f \n${rows.join('')}trailer\n<< /Size 5 /Root 1 0 R >>\nstartxref\n${at}\n%%EOF`
}

const createNotebook = (text: string) =>
  JSON.stringify({
    cells: [{ cell_type: 'markdown', metadata: {}, source: [text] }],
    metadata: {},
    nbformat: 4,
    nbformat_minor: 5,
  })

async function zip(partName: string, text: string): Promise<Uint8Array> {
  const writer = new ZipWriter(new Uint8ArrayWriter(), { level: 1, useWebWorkers: false })
  for (const [name, content] of Object.entries({ ...otherParts, [partName]: text }))
    await writer.add(name, new Uint8ArrayReader(Buffer.from(content)))
  return writer.close()
}

const fileNames = ['a.svg', 'a.html', 'a.pdf', 'a.txt']
const fileStarts = ['', '<svg xmlns="http://www.w3.org/2000/svg">', '%PDF-1.4 /Encrypt ']

const ignoreRefusal = (action: () => unknown) => {
  try {
    action()
  } catch {
    // Only the time matters.
  }
}

export const entryPoints: readonly EntryPoint[] = [
  ...textReaders.map((reader) => ({
    name: `content of ${reader}`,
    read: (text: string) => readFile(reader, (starts[reader] ?? '') + text),
  })),
  { name: 'content of a page of pdf', read: (text) => readFile('pdf', createPdf(text)) },
  { name: 'content of a cell of notebook', read: (text) => readFile('notebook', createNotebook(text)) },
  ...Object.entries(mainParts).map(([reader, part]) => ({
    name: `content of ${reader}`,
    read: async (text: string) => readFile(reader as keyof typeof mainParts, await zip(part, text)),
  })),
  ...fileNames.flatMap((filename) =>
    fileStarts.map((start) => ({
      name: `format of ${filename} after ${start.slice(0, 5)}`,
      read: async (text: string) => {
        const bytes = Buffer.from(start + text)
        const read = async (from: number, to: number) => bytes.subarray(from, to)
        await detectFromContent({ filename, size: bytes.length, read }).catch(() => undefined)
      },
    })),
  ),
  { name: 'JSON body', isApi: true, read: (text) => ignoreRefusal(() => parseJsonBody(`{"a":"${text}`)) },
  { name: 'form', isApi: true, read: (text) => ignoreRefusal(() => parseFormFields(`a=${text}`)) },
  { name: 'file name', isApi: true, read: (text) => sanitizeFileName(text) },
  { name: 'folder', isApi: true, read: (text) => sanitizeFolderPath(text) },
  { name: 'extension', isApi: true, read: (text) => withExtension(text, 'pdf') },
]

/** Texts that make scanners search for an end, nest deeply, or split the text into many parts. */
export const adversarialTexts: readonly string[] = [
  ...[
    ' ',
    '\n',
    '\r',
    '\0',
    'a',
    'a ',
    '0',
    '"',
    '""',
    "'",
    '\\',
    '\\"',
    '\\u0041',
    '%',
    '%41',
    '&',
    '&amp',
    '+',
    '=',
  ],
  ...[
    '<',
    '<a ',
    '<a>',
    '<a hidden>',
    '</a>',
    '<!--',
    '<![CDATA[',
    '<?',
    '<!',
    '>',
    '-->',
    '<p style="',
    '<w:t>',
    '<w:p>',
  ],
  ...[
    '<w:fldChar w:fldCharType="begin"/>',
    '<table:table ',
    '<style:style ',
    '<text:p>',
    '<row>',
    '<c t="s"><v>',
    '<a:t>',
  ],
  ...[
    '<script>',
    '<style>',
    '<svg ',
    '<use href="#a"/>',
    '<g id="a">',
    '<text x="',
    'data:',
    'mask:',
    'filter:',
    'd:',
  ],
  ...[
    '{',
    '{{',
    '{\\',
    '{\\*',
    '}',
    '[',
    '[[',
    '[a](',
    '](',
    '(',
    '((',
    '<<',
    '>>',
    '/a ',
    '`',
    '```\n',
    '$',
    '$$',
    '~',
    '*',
  ],
  ...[
    '**',
    '_',
    '|',
    '||',
    '#',
    '# ',
    '= ',
    '==',
    '- ',
    ':',
    '::',
    ';',
    ',',
    ',"',
    '\t',
    '.. ',
    '.',
    '//',
    "''",
    "'''",
    '@',
  ],
  ...[
    '\\begin{',
    '\\a{',
    '\\verb|',
    '.\\"\n',
    "\\'e9",
    '\\u8364?',
    '\\bin9 ',
    '1 0 obj',
    'xref\n',
    'trailer',
    'BI ',
    'EI ',
  ],
  ...[
    'BT ',
    '(a) Tj ',
    'stream\n',
    'endobj\n',
    '1\n00:00:01,000 --> 00:00:02,000\na\n\n',
    '{1}{2}a\n',
    '[00:01.00]a\n',
  ],
  ...[
    'Dialogue: 0,0:00:01.00,',
    '<SYNC Start=1>',
    'From: a\n',
    '=?utf-8?q?',
    '--b\n',
    'Content-Type: multipart/mixed; boundary=b\n\n',
  ],
  ...['é', '\u{1f600}', '\ufffd', 'STARTCHAR ', 'eexec ', 'RD ', '#+BEGIN_SRC\n', '[fn:', '<<<', 'https://'],
]

/** Each input has another name, so that nothing can be cached by name. */
export const numberedInputs: readonly ((index: number) => string)[] = [
  (index) => `<a${index} hidden>`,
  (index) => `<x${index}>`,
  (index) => `[a${index}]: b\n`,
  (index) => `[^${index}]`,
  (index) => `${index} 0 obj `,
  (index) => `<g id="a${index}"><use href="#a${index + 1}"/>`,
  (index) => `<!ENTITY a${index} "&a${index + 1};">`,
]
