import type { ComponentChildren } from 'preact'
import { Fragment } from 'preact'

/**
 * Renders the subset of Markdown that the English descriptions use: paragraphs, lists, tables, code, bold and links.
 */
export function Prose({ text }: { readonly text: string }) {
  return (
    <div class="prose" lang="en">
      {text.split(/\n{2,}/).map((block, at) => (
        <Fragment key={at}>{renderBlock(block)}</Fragment>
      ))}
    </div>
  )
}

function renderBlock(block: string): ComponentChildren {
  const lines = block.split('\n')
  if (lines.every((line) => line.startsWith('- ')))
    return (
      <ul>
        {lines.map((line) => (
          <li key={line}>{renderInline(line.slice(2))}</li>
        ))}
      </ul>
    )
  if (lines.every((line) => line.startsWith('|'))) return renderTable(lines)
  return <p>{renderInline(lines.join(' '))}</p>
}

const splitCells = (line: string) =>
  line
    .replace(/^\||\|$/g, '')
    .split('|')
    .map((cell) => cell.trim())

function renderTable([head = '', _rule, ...rows]: readonly string[]): ComponentChildren {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable areas need keyboard access
    <section class="wide" tabIndex={0} aria-label={splitCells(head).join(', ')}>
      <table>
        <thead>
          <tr>
            {splitCells(head).map((cell) => (
              <th key={cell} scope="col">
                {renderInline(cell)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row}>
              {splitCells(row).map((cell) => (
                <td key={cell}>{renderInline(cell)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

const inlineMarkupPattern = /(`[^`]+`|\*\*[^*]+\*\*|\[[^[\]]+\]\([^()\s]+\))/

export function renderInline(text: string): ComponentChildren {
  return text.split(inlineMarkupPattern).map((part) => {
    if (part.startsWith('`')) return <code key={part}>{part.slice(1, -1)}</code>
    if (part.startsWith('**')) return <strong key={part}>{renderInline(part.slice(2, -2))}</strong>
    const [, label, href] = /^\[([^\]]+)\]\(([^)\s]+)\)$/.exec(part) ?? []
    if (href !== undefined && /^(?:https:|\/)/.test(href))
      return (
        <a key={part} href={href}>
          {label}
        </a>
      )
    return part
  })
}
