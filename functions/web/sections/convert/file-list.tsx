import { useEffect } from 'preact/hooks'
import { Later } from '../../shell/lazy.tsx'
import { useStyles } from '../../shell/styles.ts'
import { onlySome, takeBrought } from './add-files.ts'
import { Bar } from './bulk-actions.tsx'
import card from './card.css'
import { Card } from './card.tsx'
import choice from './item-form.css'
import type { Item } from './item.ts'
import { mostCards, opened } from './item-list.ts'
import { begin, isThere, trouble } from './restore-list.ts'
import many from './file-list.css'
import { Notice } from './components.tsx'
import { removed, undo } from './remove-items.ts'
import words from './words/en.ts'

useStyles(card, choice, many)

const table = () => import('./file-table.tsx')
const drawer = () => import('./drawer.tsx')

/** The list of files with all that can be done with it, as every section shows it that takes files in. */
export function Files({ all, zip }: { readonly all: readonly Item[]; readonly zip?: string }) {
  useEffect(begin, [])
  useEffect(takeBrought, [])
  return (
    <>
      <div id="notices">
        <Notice text={trouble.value?.problem} />
        {trouble.value && (
          <button type="button" class="button" onClick={trouble.value.retry}>
            {words.tryAgain}
          </button>
        )}
        {onlySome.value && <p class="notice">{onlySome.value}</p>}
      </div>
      {isThere.value && all.length > 0 && (
        <section id="files" aria-labelledby="files-title">
          <h2 id="files-title">{words.yourFiles}</h2>
          <Bar all={all} zip={zip} />
          {all.length > mostCards ? (
            <Later load={table} all={all} />
          ) : (
            <ul id="cards" class="cards">
              {all.map((item) => (
                <Card key={item.key} item={item} />
              ))}
            </ul>
          )}
        </section>
      )}
      {opened.value && <Later key={opened.value.key} load={drawer} item={opened.value} />}
      {removed.value && (
        <div class="toast" role="status">
          <span>
            {removed.value.items.length === 1
              ? words.removed(removed.value.items[0]?.name ?? '')
              : words.removedMany(removed.value.items.length)}
          </span>
          <button type="button" class="button" onClick={undo}>
            {words.undo}
          </button>
        </div>
      )}
    </>
  )
}
