import '../convert/entry.ts'
import { useEffect } from 'preact/hooks'
import { carried } from '../../shell/pending-files.ts'
import type { Whereabouts } from '../../shell/router.ts'
import { useStyles } from '../../shell/styles.ts'
import { sectionTitle } from '../../shell/title.ts'
import { Block, Page } from '../../ui/components.tsx'
import { Search, useSearch } from '../../ui/search.tsx'
import names from './names/words/en.ts'
import { OneTool } from './tool-page.tsx'
import rules from './tools.css'
import { groupIds, groups, toolOf } from './tools.ts'
import words from './words/en.ts'

useStyles(rules)

/** `/tools` and `/tools/split-pdf`. */
export default function Tools({ at }: { readonly at: Whereabouts }) {
  const asked = at.params['tool']
  const tool = toolOf(asked)
  useEffect(() => {
    sectionTitle.value = tool ? names[tool.id] : undefined
  }, [tool])
  if (asked && !tool)
    return (
      <Page title={words.unknown(asked)}>
        <p>
          <a href="/tools">{words.all}</a>
        </p>
      </Page>
    )
  return tool ? <OneTool key={tool.id} tool={tool} /> : <All query={at.query} />
}

function All({ query }: { readonly query: URLSearchParams }) {
  const { text, search } = useSearch('/tools', query)
  const needle = text.trim().toLowerCase()
  const shown = groupIds.map((group) => ({
    group,
    some: groups[group].filter((id) =>
      [id, names[id], words.abouts[id]].some((one) => one.toLowerCase().includes(needle)),
    ),
  }))
  const found = words.found(shown.reduce((sum, { some }) => sum + some.length, 0))
  const waiting = carried.value.map(({ name }) => name)
  return (
    <Page title={words.title} lead={words.lead}>
      {waiting.length > 0 && (
        <p class="notice" role="status">
          <span>
            {words.carried} <bdi>{waiting.join(', ')}</bdi>
          </span>
        </p>
      )}
      <Search label={words.search} text={text} search={search} found={found} />
      {shown.map(
        ({ group, some }) =>
          some.length > 0 && (
            <Block key={group} title={words.groups[group]}>
              <ul class="tool-grid">
                {some.map((id) => (
                  <li key={id}>
                    <a href={`/tools/${id}`}>
                      <strong>{names[id]}</strong>
                      <span>{words.abouts[id]}</span>
                    </a>
                  </li>
                ))}
              </ul>
            </Block>
          ),
      )}
    </Page>
  )
}
