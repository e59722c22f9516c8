import type { FileBytes } from './bytes.ts'
import type { Feature, Holding } from './holding.ts'
import { Words } from './words.ts'

/** Groups that are no text of the document (Rich Text Format 1.9.1). */
const unread = new Set([
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
/** Text of shapes stands within what is not read. */
const read = new Set(['shptxt', 'footnote'])
const breaks = new Set(['par', 'line', 'tab', 'cell', 'row', 'page', 'sect', 'nestcell', 'nestrow', 'column'])
const symbols: Readonly<Record<string, string>> = { '~': ' ', _: '-', '-': '', '\n': '\n', '\r': '\n' }
/** Hidden letters, those that were deleted while changes were tracked, and the end of both. */
const unseen = new Set(['v', 'deleted', 'plain'])
const deletingWord = /\\deleted(?![a-z0-9])/
const hidingWord = /\\v(?![a-z0-9])/
const token = /\\([a-z]+)(-?\d+)? ?|\\'([\da-fA-F]{2})|\\([^a-z'])|([{}])|([^\\{}\r\n]+)/g

export async function richText(bytes: FileBytes): Promise<Holding> {
  const words = new Words()
  const rtf = (await bytes.whole()).toString('latin1')
  words.add(new Reading(rtf).text())
  const features: Feature[] = [
    ...(rtf.includes('\\pict') ? (['pictures'] as const) : []),
    ...(deletingWord.test(rtf) ? (['changes'] as const) : []),
    ...(hidingWord.test(rtf) ? (['hiddenText'] as const) : []),
  ]
  return { words, counts: {}, features }
}

interface Group {
  readonly isHidden: boolean
  /** What begins with `\*` is left out by programs that do not know it. */
  readonly isOptional: boolean
  /** Letters for programs that know no Unicode, after each that is. */
  readonly spare: number
}

class Reading {
  readonly #rtf: string
  readonly #page: InstanceType<typeof TextDecoder>
  readonly #parts: string[] = []
  readonly #outer: Group[] = []
  #group: Group = { isHidden: false, isOptional: false, spare: 1 }
  #bytes: number[] = []
  #toSkip = 0

  constructor(rtf: string) {
    this.#rtf = rtf
    this.#page = codePageOf(rtf)
  }

  text(): string {
    for (const [, word, number, hex, symbol, brace, text] of this.#rtf.matchAll(token)) {
      if (text !== undefined) this.#plain(text)
      else if (word !== undefined) this.#control(word, number)
      else if (hex !== undefined) this.#byte(Number.parseInt(hex, 16))
      else if (symbol === '*') this.#group = { ...this.#group, isOptional: true }
      else if (symbol !== undefined) this.#say(symbols[symbol] ?? symbol)
      else this.#brace(brace)
    }
    this.#say('')
    return this.#parts.join('')
  }

  #brace(brace: string | undefined): void {
    if (brace === '{') this.#outer.push(this.#group)
    this.#group = brace === '{' ? { ...this.#group, isOptional: false } : (this.#outer.pop() ?? this.#group)
    this.#toSkip = 0
  }

  #control(word: string, number: string | undefined): void {
    const { isOptional } = this.#group
    if (word === 'u') {
      this.#say(String.fromCharCode(Number(number) & 0xffff))
      this.#toSkip = this.#group.spare
    } else if (word === 'uc') this.#group = { ...this.#group, spare: Number(number) }
    else if (breaks.has(word)) this.#say('\n')
    else if (unseen.has(word)) this.#hide(word !== 'plain' && number !== '0')
    else if (read.has(word)) this.#group = { ...this.#group, isHidden: false }
    else if (unread.has(word) || isOptional) this.#group = { ...this.#group, isHidden: true }
    if (isOptional) this.#group = { ...this.#group, isOptional: false }
  }

  /** Hidden letters inside of what is read; what is not read stays so. */
  #hide(isHidden: boolean): void {
    const isWithin = this.#outer.at(-1)?.isHidden ?? false
    this.#group = { ...this.#group, isHidden: isHidden || isWithin }
  }

  #byte(value: number): void {
    if (this.#toSkip > 0) this.#toSkip--
    else if (!this.#group.isHidden) this.#bytes.push(value)
  }

  #plain(text: string): void {
    this.#say(text.slice(this.#toSkip))
    this.#toSkip = Math.max(0, this.#toSkip - text.length)
  }

  #say(text: string): void {
    if (this.#bytes.length > 0) this.#parts.push(this.#page.decode(Uint8Array.from(this.#bytes)))
    this.#bytes = []
    if (!this.#group.isHidden) this.#parts.push(text)
  }
}

const pages: Readonly<Record<string, string>> = { 932: 'shift_jis', 936: 'gbk', 949: 'euc-kr', 950: 'big5' }

function codePageOf(rtf: string): InstanceType<typeof TextDecoder> {
  const number = /\\ansicpg(\d+)/.exec(rtf)?.[1] ?? '1252'
  try {
    return new TextDecoder(pages[number] ?? `windows-${number}`)
  } catch {
    return new TextDecoder('windows-1252')
  }
}
