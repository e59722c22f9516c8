import '../convert/entry.ts'
import { useEffect } from 'preact/hooks'
import { getToolSynonyms } from '../../../../lib/formats/synonyms.ts'
import { toolFiles } from '../../shell/pending-files.ts'
import type { PageRoute } from '../../shell/router.ts'
import { adoptStyles } from '../../shell/styles.ts'
import { sectionTitle } from '../../shell/title.ts'
import { Block, Page } from '../../ui/components.tsx'
import { LineIcon } from '../../ui/line-icon.tsx'
import { Search, useSearch } from '../../ui/search.tsx'

import { matchesTool } from '../convert/target-search.ts'
import { toolIcons } from './icons.ts'
import names from './names/words/en.ts'
import { ToolPage } from './tool-page.tsx'
import rules from './tools.css'
import { findTool, groupIds, groups } from './tools.ts'
import words from './words/en.ts'

adoptStyles(rules)

/** The section at `/tools` and `/tools/split-pdf`. */
export default function Tools({ route }: { readonly route: PageRoute }) {
  const requestedId = route.params['tool']
  const tool = findTool(requestedId)
  useEffect(() => {
    sectionTitle.value = tool ? names[tool.id] : undefined
  }, [tool])
  if (requestedId && !tool)
    return (
      <Page title={words.unknown(requestedId)}>
        <p>
          <a href="/tools">{words.all}</a>
        </p>
      </Page>
    )
  return tool ? <ToolPage key={tool.id} tool={tool} /> : <ToolList query={route.query} />
}

function ToolList({ query }: { readonly query: URLSearchParams }) {
  const { text, search } = useSearch('/tools', query)
  const matchingGroups = groupIds.map((group) => ({
    group,
    matches: groups[group].filter((id) =>
      matchesTool({ id, name: names[id], description: words.descriptions[id] }, text, getToolSynonyms),
    ),
  }))
  const foundText = words.found(matchingGroups.reduce((sum, { matches }) => sum + matches.length, 0))
  const waitingFiles = toolFiles.value.map(({ name }) => name)
  return (
    <Page title={words.title} lead={words.lead}>
      {waitingFiles.length > 0 && (
        <p class="notice" role="status">
          <span>
            {words.chooseTool} <bdi>{waitingFiles.join(', ')}</bdi>
          </span>
        </p>
      )}
      <Search label={words.search} text={text} search={search} countText={foundText} />
      {matchingGroups.map(
        ({ group, matches }) =>
          matches.length > 0 && (
            <Block key={group} title={words.groups[group]}>
              <ul class="tool-grid">
                {matches.map((id) => (
                  <li key={id}>
                    <a href={`/tools/${id}`}>
                      <LineIcon of={toolIcons[id]} />
                      <strong>{names[id]}</strong>
                      <span>{words.descriptions[id]}</span>
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
