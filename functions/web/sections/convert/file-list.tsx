import { useEffect } from 'preact/hooks'
import { Lazy } from '../../shell/lazy.tsx'
import { keyShortcut } from '../../shell/shortcuts.ts'
import { adoptStyles } from '../../shell/styles.ts'
import { consumePendingInputs, limitNotice } from './add-files.ts'
import { BulkActions } from './bulk-actions.tsx'
import card from './card.css'
import { Card } from './card.tsx'
import { Notice } from './components.tsx'
import many from './file-list.css'
import type { ConversionItem } from './item.ts'
import choice from './item-form.css'
import { filterItems, maxCards, openedItem } from './item-list.ts'
import { pendingRemoval, undoRemoval } from './remove-items.ts'
import { isRestored, loadProblem, startRestoring } from './restore-list.ts'
import words from './words/en.ts'

adoptStyles(card, choice, many)

const loadTable = () => import('./file-table.tsx')
const loadDrawer = () => import('./drawer.tsx')

/** The file list with all its actions, used by every section that accepts files. */
export function ItemList({
  items,
  zip,
}: {
  readonly items: readonly ConversionItem[]
  readonly zip?: string
}) {
  useEffect(startRestoring, [])
  useEffect(consumePendingInputs, [])
  return (
    <>
      <div id="notices">
        <Notice text={loadProblem.value?.problem} />
        {loadProblem.value && (
          <button type="button" class="button" onClick={loadProblem.value.retry}>
            {words.tryAgain}
          </button>
        )}
        {limitNotice.value && <p class="notice">{limitNotice.value}</p>}
      </div>
      {isRestored.value && items.length > 0 && (
        <section id="files" aria-labelledby="files-title">
          <h2 id="files-title">{words.yourFiles}</h2>
          <BulkActions items={items} zip={zip} />
          {items.length > maxCards ? (
            <Lazy load={loadTable} items={filterItems(items)} />
          ) : (
            <ul id="cards" class="cards">
              {filterItems(items).map((item) => (
                <Card key={item.key} item={item} />
              ))}
            </ul>
          )}
        </section>
      )}
      {openedItem.value && <Lazy key={openedItem.value.key} load={loadDrawer} item={openedItem.value} />}
      {pendingRemoval.value && (
        <div class="toast" role="status">
          <span>
            {pendingRemoval.value.items.length === 1
              ? words.removed(pendingRemoval.value.items[0]?.name ?? '')
              : words.removedMany(pendingRemoval.value.items.length)}
          </span>
          <button type="button" class="button" {...keyShortcut('u')} onClick={undoRemoval}>
            {words.undo}
          </button>
        </div>
      )}
    </>
  )
}
