import type { VNode } from 'preact'
import type { RenderDocument, SectionId } from './section-paths.ts'
import { DropZone, NoScriptForm } from './sections/convert/drop-zone.tsx'
import { Loading, NotFound } from './shell/placeholders.tsx'
import { Shell } from './shell/shell.tsx'
import { renderToHtml } from './shell/to-html.ts'
import words from './words/en.ts'

/** What a section shows before its script has loaded; sections without an entry show a loading message. */
const initialContent: Partial<Readonly<Record<SectionId, () => VNode>>> = {
  convert: () => (
    <>
      <DropZone />
      <div class="work" />
    </>
  ),
}

const titleFor = (section: SectionId | undefined) => {
  if (section === 'convert') return words.title
  return words.titleOf(section ? words.sections[section] : words.notFound)
}

/** Inlined, because it is hardly longer than its URL plus the request. */
const icon = `data:image/svg+xml,${encodeURIComponent('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><path d="M13 24H7a3 3 0 0 1-3-3V6a3 3 0 0 1 3-3h12a3 3 0 0 1 3 3v5" fill="none" stroke="#0c8c7c" stroke-width="2.6" stroke-linecap="round"/><circle cx="21" cy="21" r="8.5" fill="#0c8c7c"/></svg>')}`

export const renderDocument: RenderDocument = (section, { script, preload, style }) => {
  const body = section === undefined ? <NotFound /> : (initialContent[section]?.() ?? <Loading />)
  const head = (
    <>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <meta name="color-scheme" content="light dark" />
      <meta name="description" content={words.description} />
      <title>{titleFor(section)}</title>
      <link rel="icon" href={icon} type="image/svg+xml" />
      {preload.map((href) => (
        <link key={href} rel="modulepreload" href={href} />
      ))}
      <script type="module" src={script} />
    </>
  )
  const app = <Shell section={section}>{body}</Shell>
  return `<!doctype html><html lang="${words.lang}" dir="${words.dir}"><head>${renderToHtml(head)}<style>${style}</style></head><body><div id="app">${renderToHtml(app)}</div>${section === 'convert' ? `<noscript>${renderToHtml(<NoScriptForm />)}</noscript>` : ''}</body></html>`
}
