import { type ComponentChildren, Fragment, isValidElement } from 'preact'

/**
 * Renders components without hooks to HTML, for the page that the server sends first. Preact's own renderer would be an
 * additional package for thirty lines of code.
 */
export function renderToHtml(node: ComponentChildren): string {
  if (node === null || node === undefined || typeof node === 'boolean') return ''
  if (Array.isArray(node)) return node.map(renderToHtml).join('')
  if (!isValidElement(node)) return escapeHtml(String(node))
  const { type, props } = node as { type: unknown; props: Record<string, unknown> } // the type may also be a function
  const children = props['children'] as ComponentChildren // JSX stores children here
  if (type === Fragment) return renderToHtml(children)
  if (typeof type === 'function') return renderToHtml(type(props))
  const attributes = Object.entries(props).map(([name, value]) => renderAttribute(name, value))
  const openTag = `<${type}${attributes.join('')}>`
  return voidElements.has(String(type)) ? openTag : `${openTag}${renderToHtml(children)}</${type}>`
}

const voidElements: ReadonlySet<string> = new Set(['meta', 'link', 'input', 'img', 'br', 'hr', 'source'])

function renderAttribute(name: string, value: unknown): string {
  if (name === 'children' || name === 'key' || typeof value === 'function') return ''
  if (value === undefined || value === null || value === false) return ''
  const attributeName = attributeNames[name] ?? name
  return value === true && !name.startsWith('aria-')
    ? ` ${attributeName}`
    : ` ${attributeName}="${escapeHtml(String(value))}"`
}

const attributeNames: Readonly<Record<string, string>> = {
  tabIndex: 'tabindex',
  crossOrigin: 'crossorigin',
  htmlFor: 'for',
  encType: 'enctype',
}

const escapeHtml = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
