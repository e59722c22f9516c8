import { pickOne } from '../seeded-random.ts'

/** Part of a document as HTML, and its text as rows of cells. Only rows of tables have more than one cell. */
interface Part {
  readonly html: string
  readonly rows: readonly (readonly string[])[]
}

export interface KnownDocument {
  readonly html: string
  readonly parts: readonly Part[]
  /** All words of the document; each occurs once and ends with a number. */
  readonly words: readonly string[]
}

const syllables = ['ka', 'lo', 'mi', 'ru', 'sén', 'tür', 'vo', 'przy', 'но', 'да'] as const

export function makeDocument(random: () => number): KnownDocument {
  const words: string[] = []
  const word = () => {
    const syllablesOfWord = Array.from({ length: 3 }, () => pickOne(syllables, random))
    words.push(`${syllablesOfWord.join('')}${words.length}`)
    return words.at(-1) ?? ''
  }
  const upTo = (max: number) => 1 + Math.floor(random() * max)
  const repeat = <T>(length: number, make: () => T) => Array.from({ length }, make)
  const sentence = () => repeat(5 + upTo(20), word).join(' ')
  const wrap = (tag: string, texts: readonly string[]) =>
    texts.map((text) => `<${tag}>${text}</${tag}>`).join('')
  const list = (tag: string, texts: readonly string[]): Part => ({
    html: `<${tag}>${wrap('li', texts)}</${tag}>`,
    rows: texts.map((text) => [text]),
  })
  const makers = [
    () => {
      const text = `${word()} ${word()}`
      return { html: `<h2>${text}</h2>`, rows: [[text]] }
    },
    () => {
      const [text, bold, italic, link] = [sentence(), word(), word(), word()]
      return {
        html: `<p>${text} <b>${bold}</b> <i>${italic}</i> <a href="https://example.com/">${link}</a></p>`,
        rows: [[`${text} ${bold} ${italic} ${link}`]],
      }
    },
    () => list('ul', repeat(upTo(5), sentence)),
    () => list('ol', repeat(upTo(5), word)),
    () => {
      const text = sentence()
      return { html: `<blockquote><p>${text}</p></blockquote>`, rows: [[text]] }
    },
    () => {
      const columns = 1 + upTo(4)
      const [head = [], ...rows] = repeat(1 + upTo(6), () => repeat(columns, word))
      const body = rows.map((cells) => wrap('td', cells))
      return {
        html: `<table><tr>${wrap('th', head)}</tr>${wrap('tr', body)}</table>`,
        rows: [head, ...rows],
      }
    },
  ] as const
  const parts: Part[] = repeat(4 + upTo(8), () => pickOne(makers, random)())
  const body = parts.map(({ html }) => html).join('\n')
  return {
    html: `<!DOCTYPE html>\n<html><head><meta charset="utf-8"><title>Known</title></head><body>${body}</body></html>\n`,
    parts,
    words,
  }
}
