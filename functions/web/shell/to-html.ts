import { type ComponentChildren, Fragment, isValidElement } from 'preact'

/**
 * The markup of components without hooks, for the first sight that the server sends. A renderer of Preact's own is a
 * package more, for what thirty lines do.
 */
export function toHtml(node: ComponentChildren): string {
  if (node === null || node === undefined || typeof node === 'boolean') return ''
  if (Array.isArray(node)) return node.map(toHtml).join('')
  if (!isValidElement(node)) return escaped(String(node))
  const { type, props } = node as { type: unknown; props: Record<string, unknown> }
  const children = props['children'] as ComponentChildren
  if (type === Fragment) return toHtml(children)
  if (typeof type === 'function') return toHtml(type(props))
  const attributes = Object.entries(props).map(([name, value]) => attribute(name, value))
  const open = `<${type}${attributes.join('')}>`
  return empty.has(String(type)) ? open : `${open}${toHtml(children)}</${type}>`
}

const empty: ReadonlySet<string> = new Set(['meta', 'link', 'input', 'img', 'br', 'hr', 'source'])

function attribute(name: string, value: unknown): string {
  if (name === 'children' || name === 'key' || typeof value === 'function') return ''
  if (value === undefined || value === null || value === false) return ''
  const spelled = spellings[name] ?? name
  return value === true && !name.startsWith('aria-')
    ? ` ${spelled}`
    : ` ${spelled}="${escaped(String(value))}"`
}

const spellings: Readonly<Record<string, string>> = {
  tabIndex: 'tabindex',
  crossOrigin: 'crossorigin',
  htmlFor: 'for',
  encType: 'enctype',
}

const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
