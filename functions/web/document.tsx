import type { VNode } from 'preact'
import {
  type DocumentId,
  findLandingId,
  findSection,
  type LandingId,
  limitTokens,
  type RenderDocument,
  type SectionId,
  themeToken,
} from './section-paths.ts'
import { DropZone, NoScriptForm } from './sections/convert/drop-zone.tsx'
import { landingChoices } from './sections/landing/landing-pages.ts'
import { LandingText } from './sections/landing/landing-text.tsx'
import landingWords from './sections/landing/words/en.ts'
import { Loading, NotFound } from './shell/placeholders.tsx'
import { PopularTasks } from './shell/popular.tsx'
import { Shell } from './shell/shell.tsx'
import { renderToHtml } from './shell/to-html.ts'
import words from './words/en.ts'

/** What a section shows before its script has loaded; sections without an entry show a loading message. */
const initialContent: Partial<Readonly<Record<SectionId, () => VNode>>> = {
  convert: () => (
    <>
      <DropZone />
      <div class="work">
        <PopularTasks />
      </div>
    </>
  ),
}

const renderLanding = (id: LandingId) => (
  <>
    <DropZone title={landingWords.pages[id].title} lead={landingWords.pages[id].lead} />
    {landingChoices[id].tool !== 'merge' && <div class="work" />}
    <LandingText id={id} />
  </>
)

function getDocumentTitle(id: DocumentId): string {
  if (id === 'convert') return words.title
  const landingId = findLandingId(`/${id}`)
  if (landingId) return words.titleOf(words.popular.names[landingId])
  const section = findSection(id)
  return words.titleOf(section ? words.sections[section] : words.notFound)
}

function renderBody(id: DocumentId, landingId: LandingId | undefined) {
  if (landingId) return renderLanding(landingId)
  const section = findSection(id)
  return section ? (initialContent[section]?.() ?? <Loading />) : <NotFound />
}

/** Without JavaScript, the page offers conversions but no tools. */
function renderNoScriptForm(id: DocumentId, landingId: LandingId | undefined): string {
  const to = landingId && landingChoices[landingId].to
  return id === 'convert' || to ? `<noscript>${renderToHtml(<NoScriptForm to={to} />)}</noscript>` : ''
}

/** The icon is inlined, because it is hardly longer than its URL and a request would cost more. */
const icon = `data:image/svg+xml,${encodeURIComponent('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><path d="M13 24H7a3 3 0 0 1-3-3V6a3 3 0 0 1 3-3h12a3 3 0 0 1 3 3v5" fill="none" stroke="#0c8c7c" stroke-width="2.6" stroke-linecap="round"/><circle cx="21" cy="21" r="8.5" fill="#0c8c7c"/></svg>')}`

export const renderDocument: RenderDocument = (id, { script, preload, style }) => {
  const landingId = findLandingId(`/${id}`)
  const head = (
    <>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <meta name="color-scheme" content="light dark" />
      <meta
        name="description"
        content={landingId ? landingWords.pages[landingId].description : words.description}
      />
      <title>{getDocumentTitle(id)}</title>
      <link rel="icon" href={icon} type="image/svg+xml" />
      {preload.map((href) => (
        <link key={href} rel="modulepreload" href={href} />
      ))}
      <script type="module" src={script} />
    </>
  )
  const app = <Shell section={findSection(id)}>{renderBody(id, landingId)}</Shell>
  return `<!doctype html><html lang="${words.lang}" dir="${words.dir}" data-theme="${themeToken}" data-max-file-size="${limitTokens.maxFileSize}" data-retention="${limitTokens.retention}"><head>${renderToHtml(head)}<style>${style}</style></head><body><div id="app">${renderToHtml(app)}</div>${renderNoScriptForm(id, landingId)}</body></html>`
}
