import { useEffect, useMemo } from 'preact/hooks'
import { Problem } from '../../api.ts'
import type { PageRoute } from '../../shell/router.ts'
import { adoptStyles } from '../../shell/styles.ts'
import { sectionTitle } from '../../shell/title.ts'
import { Page, QueryView } from '../../ui/components.tsx'
import { Search, useSearch } from '../../ui/search.tsx'
import { useQuery } from '../../ui/use-query.ts'
import rules from './docs.css'
import { listOperations, type OpenApi, type OperationEntry } from './openapi.ts'
import { OperationView } from './operation.tsx'
import { Prose } from './prose.tsx'
import words from './words/en.ts'

adoptStyles(rules)

async function fetchDocument(): Promise<OpenApi> {
  const response = await fetch('/v1/openapi.json').catch(() => undefined)
  if (!response?.ok) throw new Problem('UNREACHABLE', words.unreachable)
  return (await response.json()) as OpenApi // a document of this service
}

/** The section at `/docs`, or one operation at `/docs?operation=postV1Convert`. */
export default function Reference({ route }: { readonly route: PageRoute }) {
  const document = useQuery('openapi', fetchDocument)
  return (
    <Page title={words.title}>
      <p class="row">
        <a href="/v1/openapi.json">openapi.json</a>
        <a href="/docs/events">{words.events}</a>
        <a href="/errors">{words.errors}</a>
      </p>
      {!route.query.has('operation') && !route.query.has('about') && (
        <section class="block" aria-labelledby="terminal-title">
          <h2 id="terminal-title">{words.fromTerminal}</h2>
          <pre class="terminal" dir="ltr">
            <code>
              {`curl -LOJ -H 'Prefer: wait=25' -F file=@photo.jpg -F targetFormat=webp \\\n  '${location.origin}/v1/convert?redirect=true'`}
            </code>
          </pre>
        </section>
      )}
      <QueryView query={document}>{(data) => <ReferenceView document={data} route={route} />}</QueryView>
    </Page>
  )
}

const matches = (
  { method, path, summary = '', description = '', tags = [] }: OperationEntry,
  needle: string,
) => [`${method} ${path}`, summary, description, ...tags].some((text) => text.toLowerCase().includes(needle))

function ReferenceView({ document, route }: { readonly document: OpenApi; readonly route: PageRoute }) {
  const { text, search } = useSearch('/docs', route.query)
  const entries = useMemo(() => listOperations(document), [document])
  const needle = text.trim().toLowerCase()
  const matchingEntries = entries.filter((entry) => matches(entry, needle))
  const chosenOperation = entries.find(({ operationId }) => operationId === route.query.get('operation'))
  const tag = document.tags?.find(({ name }) => name === route.query.get('about'))
  useEffect(() => {
    sectionTitle.value = chosenOperation ? `${chosenOperation.method} ${chosenOperation.path}` : tag?.name
  }, [chosenOperation, tag])
  const isEntryShown = chosenOperation !== undefined || tag !== undefined
  return (
    <div class="reference" data-chosen={isEntryShown}>
      <div class="contents">
        <Search
          label={words.search}
          text={text}
          search={search}
          countText={words.found(matchingEntries.length)}
        />
        <nav aria-label={words.contents}>
          {[...Map.groupBy(matchingEntries, ({ tags }) => tags?.[0] ?? '')].map(([name, tagEntries]) => (
            <section key={name}>
              <h2 lang="en">{name}</h2>
              <ul>
                {document.tags?.some((tagEntry) => tagEntry.name === name) && (
                  <li>
                    <a href={`/docs?${new URLSearchParams({ about: name })}`}>{words.about(name)}</a>
                  </li>
                )}
                {tagEntries.map(({ operationId, method, path, summary }) => (
                  <li key={operationId}>
                    <a
                      href={`/docs?operation=${operationId}`}
                      aria-current={operationId === chosenOperation?.operationId ? 'true' : undefined}
                    >
                      <span lang="en">{summary}</span>{' '}
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
      {isEntryShown && (
        <article class="operation" aria-label={chosenOperation?.summary ?? tag?.name}>
          <p class="back">
            <a href="/docs">{words.toAll}</a>
          </p>
          {chosenOperation && (
            <OperationView key={chosenOperation.operationId} entry={chosenOperation} document={document} />
          )}
          {!chosenOperation && tag && (
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
