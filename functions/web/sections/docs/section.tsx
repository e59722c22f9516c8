import { useEffect, useMemo } from 'preact/hooks'
import { Problem } from '../../api.ts'
import type { Whereabouts } from '../../shell/router.ts'
import { useStyles } from '../../shell/styles.ts'
import { sectionTitle } from '../../shell/title.ts'
import { Page, Shown } from '../../ui/components.tsx'
import { Search, useSearch } from '../../ui/search.tsx'
import { useLoaded } from '../../ui/use-query.ts'
import rules from './docs.css'
import { type Entry, entriesOf, type OpenApi } from './openapi.ts'
import { OperationView } from './operation.tsx'
import { Prose } from './prose.tsx'
import words from './words/en.ts'

useStyles(rules)

async function readDocument(): Promise<OpenApi> {
  const response = await fetch('/v1/openapi.json').catch(() => undefined)
  if (!response?.ok) throw new Problem('UNREACHABLE', words.unreachable)
  return (await response.json()) as OpenApi // the service's own
}

/** `/docs`, and one operation at `/docs?operation=postV1Convert`. */
export default function Reference({ at }: { readonly at: Whereabouts }) {
  const document = useLoaded('openapi', readDocument)
  return (
    <Page title={words.title}>
      <p class="row">
        <a href="/v1/openapi.json">openapi.json</a>
        <a href="/docs/events">{words.events}</a>
        <a href="/errors">{words.errors}</a>
      </p>
      <Shown of={document}>{(data) => <Whole document={data} at={at} />}</Shown>
    </Page>
  )
}

const found = ({ method, path, summary = '', description = '', tags = [] }: Entry, needle: string) =>
  [`${method} ${path}`, summary, description, ...tags].some((text) => text.toLowerCase().includes(needle))

function Whole({ document, at }: { readonly document: OpenApi; readonly at: Whereabouts }) {
  const { text, search } = useSearch('/docs', at.query)
  const entries = useMemo(() => entriesOf(document), [document])
  const needle = text.trim().toLowerCase()
  const shown = entries.filter((entry) => found(entry, needle))
  const chosen = entries.find(({ operationId }) => operationId === at.query.get('operation'))
  const tag = document.tags?.find(({ name }) => name === at.query.get('about'))
  useEffect(() => {
    sectionTitle.value = chosen ? `${chosen.method} ${chosen.path}` : tag?.name
  }, [chosen, tag])
  const isAlone = chosen !== undefined || tag !== undefined
  return (
    <div class="reference" data-chosen={isAlone}>
      <div class="contents">
        <Search label={words.search} text={text} search={search} found={words.found(shown.length)} />
        <nav aria-label={words.contents}>
          {[...Map.groupBy(shown, ({ tags }) => tags?.[0] ?? '')].map(([name, some]) => (
            <section key={name}>
              <h2>{name}</h2>
              <ul>
                {document.tags?.some((one) => one.name === name) && (
                  <li>
                    <a href={`/docs?${new URLSearchParams({ about: name })}`}>{words.about(name)}</a>
                  </li>
                )}
                {some.map(({ operationId, method, path, summary }) => (
                  <li key={operationId}>
                    <a
                      href={`/docs?operation=${operationId}`}
                      aria-current={operationId === chosen?.operationId ? 'true' : undefined}
                    >
                      {summary}{' '}
                      <code>
                        {method} {path}
                      </code>
                    </a>
                  </li>
                ))}
              </ul>
            </section>
          ))}
        </nav>
      </div>
      {isAlone && (
        <article class="operation" aria-label={chosen?.summary ?? tag?.name}>
          <p class="back">
            <a href="/docs">{words.toAll}</a>
          </p>
          {chosen && <OperationView key={chosen.operationId} entry={chosen} document={document} />}
          {!chosen && tag && (
            <>
              <h2>{tag.name}</h2>
              <Prose text={tag.description ?? ''} />
            </>
          )}
        </article>
      )}
    </div>
  )
}
