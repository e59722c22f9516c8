import type { Feature } from '../../model/stored-summary.ts'
import type { FileBytes } from '../bytes.ts'
import type { ContentSummary } from '../content-summary.ts'
import { WordCounts } from './word-counts.ts'

/** Groups that are not text of the document (Rich Text Format 1.9.1). */
const skippedGroups = new Set([
  ...[
    'fonttbl',
    'colortbl',
    'stylesheet',
    'info',
    'pict',
    'object',
    'header',
    'headerl',
    'headerr',
    'headerf',
  ],
  ...['footer', 'footerl', 'footerr', 'footerf', 'fldinst', 'listtable', 'listoverridetable', 'revtbl'],
  ...['generator', 'themedata', 'colorschememapping', 'datastore', 'latentstyles', 'xmlnstbl', 'listtext'],
  ...['pntext', 'bkmkstart', 'bkmkend', 'filetbl', 'annotation', 'atnid', 'atnauthor', 'shpinst', 'rsidtbl'],
  ...['nonshppict', 'shprslt', 'txe', 'xe'],
])
/** Groups whose text is visible although they are inside skipped groups, such as the text of shapes. */
const visibleGroups = new Set(['shptxt', 'footnote'])
const separatorWords = new Set([
  'par',
  'line',
  'tab',
  'cell',
  'row',
  'page',
  'sect',
  'nestcell',
  'nestrow',
  'column',
])
const symbols: Readonly<Record<string, string>> = { '~': ' ', _: '-', '-': '', '\n': '\n', '\r': '\n' }
/** Control words for hidden text, for text deleted with tracked changes, and for the end of both. */
const hidingWords = new Set(['v', 'deleted', 'plain'])
const deletingWordPattern = /\\deleted(?![a-z0-9])/
const hidingWordPattern = /\\v(?![a-z0-9])/
const tokenPattern = /\\([a-z]+)(-?\d+)? ?|\\'([\da-fA-F]{2})|\\([^a-z'])|(\{+|\}+)|([^\\{}\r\n]+)/g

export async function readRichText(bytes: FileBytes): Promise<ContentSummary> {
  const words = new WordCounts()
  const rtf = (await bytes.readWhole()).toString('latin1')
  words.add(new RtfReader(rtf).text())
  const features: Feature[] = [
    ...(rtf.includes('\\pict') ? (['pictures'] as const) : []),
    ...(deletingWordPattern.test(rtf) ? (['changes'] as const) : []),
    ...(hidingWordPattern.test(rtf) ? (['hiddenText'] as const) : []),
  ]
  return { words, counts: {}, features }
}

interface Group {
  readonly isHidden: boolean
  /** Whether the group starts with `\*`: programs that do not know such a group skip it. */
  readonly isOptional: boolean
  /** Number of fallback characters after each Unicode character. */
  readonly fallbackLength: number
  /** Code page of the text, which its font determines. */
  readonly codePage: string
}

class RtfReader {
  readonly #rtf: string
  readonly #fonts: FontCodePages
  readonly #parts: string[] = []
  readonly #outerGroups: Group[] = []
  #group: Group
  #bytes: number[] = []
  #fallbackLeft = 0

  constructor(rtf: string) {
    this.#rtf = rtf
    this.#fonts = new FontCodePages(rtf)
    this.#group = {
      isHidden: false,
      isOptional: false,
      fallbackLength: 1,
      codePage: this.#fonts.defaultCodePage,
    }
  }

  text(): string {
    for (const [, word, number, hex, symbol, braces = '', text] of this.#rtf.matchAll(tokenPattern)) {
      if (text !== undefined) this.#addPlainText(text)
      else if (word !== undefined) this.#readControlWord(word, number)
      else if (hex !== undefined) this.#addByte(Number.parseInt(hex, 16))
      else if (symbol === '*') this.#group = { ...this.#group, isOptional: true }
      else if (symbol !== undefined) this.#addText(symbols[symbol] ?? symbol)
      else for (const brace of braces) this.#readBrace(brace)
    }
    this.#addText('')
    return this.#parts.join('')
  }

  #readBrace(brace: string): void {
    this.#flushBytes()
    if (brace === '{') {
      this.#outerGroups.push(this.#group)
      if (this.#group.isOptional) this.#group = { ...this.#group, isOptional: false }
    } else this.#group = this.#outerGroups.pop() ?? this.#group
    this.#fallbackLeft = 0
  }

  #readControlWord(word: string, number: string | undefined): void {
    const { isOptional } = this.#group
    if (word === 'u') {
      this.#addText(String.fromCharCode(Number(number) & 0xffff))
      this.#fallbackLeft = this.#group.fallbackLength
    } else if (word === 'f') this.#setFont(number)
    else if (word === 'uc') this.#group = { ...this.#group, fallbackLength: Number(number) }
    else if (separatorWords.has(word)) this.#addText('\n')
    else if (hidingWords.has(word)) {
      this.#hide(word !== 'plain' && number !== '0')
      if (word === 'plain') this.#setFont(undefined)
    } else if (visibleGroups.has(word)) this.#group = { ...this.#group, isHidden: false }
    else if (skippedGroups.has(word) || isOptional) this.#group = { ...this.#group, isHidden: true }
    if (isOptional) this.#group = { ...this.#group, isOptional: false }
  }

  /** Sets the font; without a number, the default font. */
  #setFont(number: string | undefined): void {
    this.#flushBytes()
    this.#group = { ...this.#group, codePage: this.#fonts.getCodePage(number) }
  }

  /** Hides or shows text; text within a skipped group stays hidden. */
  #hide(isHidden: boolean): void {
    const isInSkippedGroup = this.#outerGroups.at(-1)?.isHidden ?? false
    this.#group = { ...this.#group, isHidden: isHidden || isInSkippedGroup }
  }

  #addByte(value: number): void {
    if (this.#fallbackLeft > 0) this.#fallbackLeft--
    else if (this.#countsText()) this.#bytes.push(value)
  }

  #addPlainText(plainText: string): void {
    // This byte may be the second one of a character, even if it is an ASCII code.
    const isSecondByte =
      this.#bytes.length > 0 &&
      multiByteCodePages.has(this.#group.codePage) &&
      this.#decodeBytes().endsWith('\ufffd')
    if (isSecondByte) this.#bytes.push(plainText.charCodeAt(0))
    const text = isSecondByte ? plainText.slice(1) : plainText
    this.#addText(text.slice(this.#fallbackLeft))
    this.#fallbackLeft = Math.max(0, this.#fallbackLeft - text.length)
  }

  #decodeBytes(): string {
    return this.#fonts.getDecoder(this.#group.codePage).decode(Uint8Array.from(this.#bytes))
  }

  #flushBytes(): void {
    if (this.#bytes.length > 0) this.#parts.push(this.#decodeBytes())
    this.#bytes = []
  }

  #addText(text: string): void {
    this.#flushBytes()
    if (this.#countsText()) this.#parts.push(text)
  }

  /** Symbol fonts show symbols in place of letters, which are not counted as words. */
  #countsText(): boolean {
    return !this.#group.isHidden && this.#group.codePage !== symbolCodePage
  }
}

const encodingsByCodePage: Readonly<Record<string, string>> = {
  932: 'shift_jis',
  936: 'gbk',
  949: 'euc-kr',
  950: 'big5',
  10000: 'macintosh',
}
/** Code pages with two-byte characters. */
const multiByteCodePages = new Set(['932', '936', '949', '950'])
/** Stands for the code of a symbol font, such as Wingdings. */
const symbolCodePage = 'symbol'
/** Code pages of fonts by `\\fcharset`. */
const codePagesByCharset: Readonly<Record<string, string>> = {
  2: symbolCodePage,
  77: '10000',
  128: '932',
  129: '949',
  134: '936',
  136: '950',
  161: '1253',
  162: '1254',
  163: '1258',
  177: '1255',
  178: '1256',
  186: '1257',
  204: '1251',
  222: '874',
  238: '1250',
}
/** Maximum length of a font table. */
const maxFontTableLength = 500_000
const fontPattern = /\\f(\d{1,5})(?!\d)(?:[^{}\\]|\\(?!f\d)){0,300}?\\fcharset(\d{1,3})/g

/** Code pages of a file's fonts, which define the characters above 127. */
class FontCodePages {
  /** Default code page of the file. */
  readonly defaultCodePage: string
  readonly #defaultFont: string
  readonly #codePages = new Map<string, string>()
  readonly #decoders = new Map<string, Decoder>()

  constructor(rtf: string) {
    this.defaultCodePage = /\\ansicpg(\d+)/.exec(rtf)?.[1] ?? '1252'
    this.#defaultFont = /\\deff(\d+)/.exec(rtf)?.[1] ?? '0'
    const start = Math.max(0, rtf.indexOf('\\fonttbl'))
    const table = rtf.slice(start, start + maxFontTableLength)
    for (const [, number = '', charset = ''] of table.matchAll(fontPattern))
      this.#codePages.set(number, codePagesByCharset[charset] ?? this.defaultCodePage)
  }

  getCodePage(number: string | undefined): string {
    return this.#codePages.get(number ?? this.#defaultFont) ?? this.defaultCodePage
  }

  /** Caches decoders, because the font of a text may change with each word. */
  getDecoder(codePage: string): Decoder {
    const decoder = this.#decoders.get(codePage) ?? createDecoder(codePage)
    this.#decoders.set(codePage, decoder)
    return decoder
  }
}

type Decoder = InstanceType<typeof TextDecoder>

function createDecoder(codePage: string): Decoder {
  try {
    return new TextDecoder(encodingsByCodePage[codePage] ?? `windows-${codePage}`)
  } catch {
    return new TextDecoder('windows-1252')
  }
}
