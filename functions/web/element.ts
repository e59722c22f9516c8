type Attribute = string | number | boolean | undefined | ((event: Event) => void)

/**
 * Makes an element. Functions are listeners (`onclick`), `true` is an attribute without a value, `false` and
 * `undefined` leave it out. Texts become text nodes, so what a file is called is never read as markup.
 */
export function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Readonly<Record<string, Attribute>> = {},
  ...children: readonly (Node | string | undefined)[]
): HTMLElementTagNameMap[Tag] {
  const made = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'function') made.addEventListener(name.replace(/^on/, ''), value)
    else if (value !== undefined && value !== false)
      made.setAttribute(name, value === true ? '' : String(value))
  }
  made.append(...children.filter((child) => child !== undefined))
  return made
}

/** A drawing of `app.css`; it repeats words that stand beside it. */
export function icon(name: 'check' | 'warning' | 'download' | 'close' | 'arrow' | 'search'): HTMLElement {
  return element('span', { class: `icon icon-${name}`, 'aria-hidden': 'true' })
}

let lastId = 0

/** For what points at another element: labels, descriptions, lists. */
export function newElementId(prefix: string): string {
  lastId += 1
  return `${prefix}-${lastId}`
}
