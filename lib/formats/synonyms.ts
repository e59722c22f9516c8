import type { Category, FormatId } from './index.ts'

/** Words with the same meaning, and what a search for one of them finds. */
interface SynonymRow {
  /** Lower case; a search also matches their beginnings. */
  readonly words: readonly string[]
  readonly formats?: readonly FormatId[]
  readonly categories?: readonly Category[]
  /** Operations, and `organize-pdf`, which combines several of them on the web page. */
  readonly tools?: readonly string[]
}

/**
 * What people type instead of the names of formats and tools, in the API and the command line; the web page has the
 * words of its languages (functions/web/sections/convert/synonyms.ts). The first format of a row is the one to suggest.
 * Names, extensions and aliases are not repeated.
 */
const rows: readonly SynonymRow[] = [
  { words: ['word', 'msword', 'ms-word'], formats: ['docx', 'doc', 'docm', 'dotx', 'rtf', 'odt'] },
  {
    words: ['excel', 'spreadsheet', 'workbook', 'table'],
    formats: ['xlsx', 'xls', 'xlsm', 'xlsb', 'ods', 'csv', 'tsv', 'numbers'],
  },
  {
    words: ['powerpoint', 'presentation', 'slides', 'slideshow', 'deck'],
    formats: ['pptx', 'ppt', 'pptm', 'ppsx', 'pps', 'odp', 'key'],
  },
  { words: ['acrobat', 'adobe', 'portable'], formats: ['pdf'] },
  { words: ['openoffice', 'libreoffice', 'opendocument'], formats: ['odt', 'ods', 'odp', 'odg'] },
  { words: ['google-docs', 'gdoc', 'text-document'], formats: ['docx', 'odt'] },
  { words: ['notepad', 'note', 'plaintext', 'ascii', 'utf8'], formats: ['txt'] },
  { words: ['webpage', 'website', 'web-page'], formats: ['html', 'mhtml', 'xhtml'] },
  { words: ['email', 'mail', 'outlook'], formats: ['eml'] },
  { words: ['readme'], formats: ['md'] },
  { words: ['overleaf', 'scientific-paper'], formats: ['tex'] },
  {
    words: ['subtitle', 'caption', 'subs'],
    formats: ['srt', 'vtt', 'ass', 'ssa', 'sub', 'smi', 'ttml', 'scc'],
  },
  { words: ['picture', 'photo', 'pic', 'img', 'graphic'], categories: ['image'] },
  { words: ['iphone-photo', 'apple-photo'], formats: ['heic'] },
  { words: ['photoshop'], formats: ['psd', 'psb'] },
  { words: ['illustrator', 'vector'], formats: ['svg', 'ai', 'eps', 'emf', 'wmf'] },
  { words: ['gimp'], formats: ['xcf'] },
  { words: ['favicon', 'icon'], formats: ['ico', 'icns', 'png'] },
  { words: ['animation', 'animated'], formats: ['gif', 'apng', 'webp'] },
  { words: ['scan'], formats: ['pdf', 'tiff', 'jpg', 'djvu'], tools: ['ocr-pdf'] },
  {
    words: ['camera-raw', 'raw-photo'],
    formats: ['dng', 'raw', 'cr2', 'cr3', 'nef', 'arw', 'raf', 'orf', 'rw2'],
  },
  { words: ['movie', 'film', 'clip', 'footage'], categories: ['video'] },
  { words: ['quicktime'], formats: ['mov', 'qt'] },
  { words: ['youtube'], formats: ['mp4', 'webm'] },
  { words: ['music', 'song', 'sound', 'voice', 'podcast', 'recording'], categories: ['audio'] },
  { words: ['itunes', 'apple-music'], formats: ['m4a', 'alac', 'm4b'] },
  { words: ['ringtone'], formats: ['m4r', 'mp3'] },
  { words: ['audiobook'], formats: ['m4b', 'mp3'] },
  { words: ['lossless'], formats: ['flac', 'alac', 'wav', 'aiff', 'wv', 'tta'] },
  { words: ['book', 'ebook', 'e-book', 'novel'], categories: ['ebook'] },
  { words: ['kindle', 'amazon'], formats: ['azw3', 'mobi', 'azw'] },
  { words: ['kobo', 'ibooks', 'apple-books'], formats: ['epub'] },
  { words: ['comic', 'manga'], formats: ['cbz', 'cbr', 'cb7', 'cbt'] },
  { words: ['typeface', 'webfont'], categories: ['font'] },
  { words: ['zipped', 'zip-file', 'compressed', 'tarball'], categories: ['archive'], tools: ['archive'] },

  {
    words: ['combine', 'join', 'concatenate', 'concat', 'append', 'unite', 'stitch', 'collate'],
    tools: ['merge', 'merge-pdf'],
  },
  {
    words: ['shrink', 'reduce', 'smaller', 'minify', 'optimize', 'optimise', 'size', 'downsize'],
    tools: ['compress', 'compress-pdf', 'linearize-pdf'],
  },
  { words: ['resize', 'scale', 'preview', 'dimensions'], tools: ['thumbnail'] },
  { words: ['pack', 'bundle'], tools: ['archive'] },
  { words: ['unpack', 'unzip', 'decompress', 'untar', 'unrar'], tools: ['extract'] },
  { words: ['protect', 'lock', 'password', 'secure', 'permissions'], tools: ['encrypt-pdf'] },
  { words: ['unlock', 'unprotect', 'remove-password', 'open'], tools: ['decrypt-pdf'] },
  {
    words: ['sign', 'signature', 'stamp', 'logo', 'overlay', 'brand'],
    tools: ['add-watermark-pdf', 'watermark'],
  },
  { words: ['delete', 'drop', 'erase'], tools: ['remove-pdf-pages', 'remove-blank-pages-pdf', 'redact-pdf'] },
  { words: ['blackout', 'censor', 'anonymize', 'hide'], tools: ['redact-pdf', 'sanitize-pdf'] },
  { words: ['clean', 'scrub', 'strip'], tools: ['sanitize-pdf', 'metadata/write'] },
  { words: ['separate', 'divide', 'cut', 'burst'], tools: ['split-pdf', 'extract-pdf-pages'] },
  { words: ['select', 'pick', 'keep'], tools: ['extract-pdf-pages'] },
  { words: ['turn', 'flip', 'landscape', 'portrait', 'orientation'], tools: ['rotate-pdf'] },
  { words: ['trim', 'margin', 'margins'], tools: ['crop-pdf'] },
  { words: ['arrange', 'rearrange', 'sort', 'order', 'move'], tools: ['reorder-pdf-pages', 'organize-pdf'] },
  { words: ['numbering', 'numbers', 'bates', 'pagination'], tools: ['add-page-numbers-pdf'] },
  { words: ['recognize', 'searchable', 'recognition'], tools: ['ocr-pdf'] },
  { words: ['fix', 'recover', 'restore', 'damaged', 'corrupt'], tools: ['repair-pdf'] },
  { words: ['archival', 'long-term', 'pdf/a', 'pdf-a'], tools: ['to-pdfa'] },
  { words: ['monochrome', 'black-and-white', 'greyscale', 'colorless'], tools: ['grayscale-pdf'] },
  { words: ['fill', 'form', 'forms', 'uneditable'], tools: ['flatten-pdf'] },
  { words: ['title', 'author', 'properties', 'tags'], tools: ['edit-pdf-metadata', 'metadata/write'] },
  { words: ['exif', 'details', 'information', 'inspect'], tools: ['metadata', 'pdf-info'] },
  { words: ['web-optimized', 'fast-view'], tools: ['linearize-pdf'] },
  { words: ['empty', 'blank'], tools: ['remove-blank-pages-pdf'] },
  { words: ['image', 'images'], tools: ['extract-pdf-images'] },
]

/** All words for formats. */
export const formatWords: readonly string[] = rows.flatMap(({ words, formats }) => (formats ? words : []))

const wordsOf = (isMeant: (row: SynonymRow) => boolean) => rows.filter(isMeant).flatMap(({ words }) => words)

/** Words other than its own names by which people search for a format. */
export const formatSynonyms = ({ id, category }: { readonly id: string; readonly category: string }) =>
  wordsOf(
    ({ formats, categories }) =>
      formats?.some((format) => format === id) || categories?.some((one) => one === category) || false,
  )

/** Words other than its own name by which people search for a tool. */
export const toolSynonyms = (id: string) =>
  wordsOf(({ tools }) => tools?.some((tool) => tool === id) ?? false)

/** The formats and tools that a word means, the one to suggest first. */
export function findBySynonym(word: string): {
  readonly formats: readonly FormatId[]
  readonly tools: readonly string[]
} {
  const meantRows = rows.filter(({ words }) => words.includes(word.trim().toLowerCase()))
  return {
    formats: meantRows.flatMap(({ formats = [] }) => formats),
    tools: meantRows.flatMap(({ tools = [] }) => tools),
  }
}

/** Shorter beginnings of synonyms would match nearly everything. */
const minSynonymLength = 3

/**
 * Whether each word of the search text is a part of a name or begins a synonym.
 * @param names lower case.
 */
export function matchesSearch(text: string, names: readonly string[], synonyms: readonly string[]): boolean {
  const wholeText = text.trim().toLowerCase().replace(/^\./, '')
  if (names.some((name) => name.includes(wholeText))) return true
  return wholeText
    .split(/\s+/)
    .every(
      (word) =>
        names.some((name) => name.includes(word)) ||
        (word.length >= minSynonymLength && synonyms.some((synonym) => synonym.startsWith(word))),
    )
}
