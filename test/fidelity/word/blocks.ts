import { pickOne } from '../../sweep/seeded-random.ts'

/** A block of a document whose text and kind a conversion has to keep. */
export type KnownBlock =
  | { readonly kind: 'heading' | 'paragraph' | 'item'; readonly text: string }
  | { readonly kind: 'table'; readonly rows: readonly (readonly string[])[] }

/** A part of a document: its HTML, and the blocks in this HTML. */
export interface Part {
  readonly html: string
  readonly blocks: readonly KnownBlock[]
}

const vocabulary = [
  ...([
    'harbour',
    'river',
    'mountain',
    'the',
    'of',
    'a',
    'in',
    'and',
    'to',
    'with',
    'boat',
    'captain',
  ] as const),
  ...([
    'weather',
    'report',
    'cargo',
    'arrives',
    'north',
    'early',
    'signal',
    'between',
    'light',
    'under',
  ] as const),
  ...(['council', 'agreed', 'because', 'morning', 'measured', 'several', 'bridges', 'were', 'safe'] as const),
] as const

/** Builds the parts of one document. Every text occurs once, because it ends with a number. */
export class Writer {
  readonly #random: () => number
  #texts = 0

  constructor(random: () => number) {
    this.#random = random
  }

  words(count: number): string {
    const words = Array.from({ length: count }, () => pickOne(vocabulary, this.#random))
    const text = words.join(' ')
    return `${text.charAt(0).toUpperCase()}${text.slice(1)} ${++this.#texts}`
  }

  heading(level = 2, length = 4): Part {
    const text = this.words(length)
    return { html: `<h${level}>${text}</h${level}>`, blocks: [{ kind: 'heading', text }] }
  }

  paragraph(length = 45, attributes = ''): Part {
    const text = `${this.words(length)}.`
    return { html: `<p ${attributes}>${text}</p>`, blocks: [{ kind: 'paragraph', text }] }
  }

  /** Creates lines such as an address, which a conversion may keep as one paragraph or split into several. */
  lines(texts: readonly string[], attributes = ''): Part {
    return {
      html: `<p ${attributes}>${texts.join('<br>')}</p>`,
      blocks: texts.map((text) => ({ kind: 'paragraph', text })),
    }
  }

  list(tag: 'ul' | 'ol', count: number, length = 9): Part {
    const texts = Array.from({ length: count }, () => this.words(length))
    return {
      html: `<${tag}>${texts.map((text) => `<li>${text}</li>`).join('')}</${tag}>`,
      blocks: texts.map((text) => ({ kind: 'item', text })),
    }
  }

  table(columns: number, rows: number, { length = 2, attributes = 'class="ruled"' } = {}): Part {
    const cells = Array.from({ length: rows + 1 }, () =>
      Array.from({ length: columns }, () => this.words(length)),
    )
    return createTable(cells, attributes)
  }

  image(width: number, height: number, attributes = ''): Part {
    const hue = Math.floor(this.#random() * 360)
    const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"><rect width="100%" height="100%" fill="hsl(${hue} 60% 75%)"/><circle cx="50%" cy="50%" r="30%" fill="hsl(${hue} 60% 40%)"/></svg>`
    return {
      html: `<img data-svg="${Buffer.from(svg).toString('base64')}" width="${width}" height="${height}" ${attributes}>`,
      blocks: [],
    }
  }
}

export function createTable(
  [head = [], ...rows]: readonly (readonly string[])[],
  attributes = 'class="ruled"',
): Part {
  const createRow = (tag: string, cells: readonly string[]) =>
    `<tr>${cells.map((cell) => `<${tag}>${cell}</${tag}>`).join('')}</tr>`
  return {
    html: `<table ${attributes}>${createRow('th', head)}${rows.map((cells) => createRow('td', cells)).join('')}</table>`,
    blocks: [{ kind: 'table', rows: [head, ...rows] }],
  }
}

export function join(...parts: readonly Part[]): Part {
  return { html: parts.map(({ html }) => html).join('\n'), blocks: parts.flatMap(({ blocks }) => blocks) }
}

/** Wraps parts in an element. */
export function wrap(attributes: string, ...parts: readonly Part[]): Part {
  const { html, blocks } = join(...parts)
  return { html: `<div ${attributes}>${html}</div>`, blocks }
}

export const times = (count: number, make: (at: number) => Part): Part =>
  join(...Array.from({ length: count }, (_, at) => make(at)))
