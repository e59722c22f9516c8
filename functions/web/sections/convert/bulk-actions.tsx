import { useSignal } from '@preact/signals'
import { explainError, type Format, Problem, requestZip, toProblem } from '../../api.ts'
import { announce } from '../../shell/announce.ts'
import { Lazy } from '../../shell/lazy.tsx'
import { keyShortcut } from '../../shell/shortcuts.ts'
import { setTargetForAll } from './choose-target.ts'
import { Icon, Notice } from './components.tsx'
import { cancelItem, convertItem, retryItem } from './convert-item.ts'
import { findCommonTargets, sortByPopularity, suggestTargets } from './format-catalog.ts'
import type { ConversionItem } from './item.ts'
import { countItems, countMatches, listFilter, listFilters, maxCards, openedItem } from './item-list.ts'
import { wantsNotification } from './notifications.ts'
import { removeItems } from './remove-items.ts'
import { TargetPicker } from './target-picker.tsx'
import { watchJob } from './watch-job.ts'
import words from './words/en.ts'
import { createZipBatches } from './zip-batches.ts'

/** Actions for several files: a target per category, convert, cancel, download and clear. */
export function BulkActions({
  items,
  zip,
}: {
  readonly items: readonly ConversionItem[]
  readonly zip?: string | undefined
}) {
  const { ready, active: activeCount, done, failed, total, toRetry } = countItems(items)
  const waitingItems = items.filter((item) => item.canStart.value && !item.hasFailed.value)
  const groupsByCategory = [
    ...Map.groupBy(
      waitingItems.filter(({ tool }) => !tool.value),
      ({ source }) => source?.category ?? 'other',
    ),
  ]
  return (
    <>
      <fieldset id="together" class="together" aria-label={words.allReady} hidden={waitingItems.length < 2}>
        <div class="together-head">
          <p>{words.ready(waitingItems.length)}</p>
          <button
            type="button"
            class="button primary"
            {...keyShortcut('c')}
            onClick={() => {
              for (const item of waitingItems) void convertItem(item)
            }}
          >
            {words.convertAll}
          </button>
        </div>
        {waitingItems.length >= 2 &&
          groupsByCategory.map(([category, group]) => (
            <CategoryRow key={category} category={category} group={group} />
          ))}
      </fieldset>
      {total > 1 && <Filters items={items} />}
      {total > 1 && (
        <div class="all">
          <p class="all-words">{words.summary({ ready, active: activeCount, done, failed, total })}</p>
          <div class="actions">
            {done > 1 && <ZipButton items={items} name={zip} />}
            {done > 1 && <Lazy load={loadSaveButtons} jobIds={listDoneJobs(items)} />}
            {activeCount > 0 && (
              <button
                type="button"
                class="button"
                onClick={() => {
                  for (const item of items) if (item.isActive.value) void cancelItem(item)
                }}
              >
                {words.cancelAll}
              </button>
            )}
            {toRetry > 0 && (
              <button
                type="button"
                class="button"
                onClick={() => {
                  for (const item of items) if (item.canRetry.value) void retryItem(item)
                }}
              >
                {words.retryAll(toRetry)}
              </button>
            )}
            {activeCount > 0 && 'Notification' in window && <NotifyButton />}
            {activeCount === 0 && (
              <button type="button" class="button quiet" onClick={() => removeItems(items)}>
                {words.clear}
              </button>
            )}
          </div>
        </div>
      )}
    </>
  )
}

/** Buttons that filter the list, for example for failed files. Hidden if they would not help. */
function Filters({ items }: { readonly items: readonly ConversionItem[] }) {
  const filterChoices = listFilters
    .map((filter) => ({ filter, count: countMatches(items, filter) }))
    .filter(({ filter, count }) => filter === 'all' || (count > 0 && count < items.length))
  const failedItems = items.filter((item) => item.hasFailed.value)
  const isUseful = items.length > maxCards || failedItems.length > 0
  if (filterChoices.length < 2 || !isUseful) return null
  const showNextProblem = () => {
    const at = lastVisitedProblem.current ? failedItems.indexOf(lastVisitedProblem.current) : -1
    const next = failedItems[(at + 1) % failedItems.length]
    lastVisitedProblem.current = next
    // The table renders only the visible rows, so the next problem is opened in the drawer.
    if (items.length > maxCards) openedItem.value = next
    else {
      const card = document.querySelector<HTMLElement>(`[data-key="${next?.key}"]`)
      card?.scrollIntoView({ block: 'center' })
      card?.querySelector<HTMLElement>('[data-primary]')?.focus({ preventScroll: true })
    }
  }
  return (
    <div class="filters">
      <fieldset class="chips" aria-label={words.filter}>
        {filterChoices.map(({ filter, count }) => (
          <button
            key={filter}
            type="button"
            class="button small"
            aria-pressed={listFilter.value === filter}
            onClick={() => {
              listFilter.value = filter
            }}
          >
            {words.filters[filter](count)}
          </button>
        ))}
      </fieldset>
      {failedItems.length > 0 && (
        <button type="button" class="button quiet" {...keyShortcut('n')} onClick={showNextProblem}>
          {words.nextProblem}
        </button>
      )}
    </div>
  )
}

/** The file that "next problem" showed last. */
const lastVisitedProblem: { current: ConversionItem | undefined } = { current: undefined }

const loadGroupOptions = () => import('./group-options.tsx')

type CategoryId = keyof typeof words.counted

function CategoryRow({
  category,
  group,
}: {
  readonly category: CategoryId
  readonly group: readonly ConversionItem[]
}) {
  const countText = words.counted[category](group.length)
  const targets = findCommonTargets(group.map((item) => item.targets))
  const sourceIds = [...new Set(group.flatMap(({ source }) => source?.id ?? []))]
  const chosenTargets = new Set(group.map((item) => item.target.value?.id.toUpperCase() ?? '?'))
  return (
    <div class="kind">
      <p class="kind-words">
        {countText} <Icon name="arrow" /> <strong>{[...chosenTargets].slice(0, 3).join(', ')}</strong>
      </p>
      {targets.length > 0 && group.length > 1 && (
        <CommonTargets countText={countText} group={group} targets={targets} />
      )}
      {targets.length > 0 && group.length > 1 && (
        <TargetPicker
          label={words.targetOf(countText)}
          placeholder={words.search(targets.length)}
          sources={sourceIds}
          targets={sortByPopularity(group[0]?.source, targets)}
          onChoose={(target) => setTargetForAll(group, target)}
        />
      )}
      {category === 'image' && <CombineImages group={group} />}
      {group.length > 1 && chosenTargets.size === 1 && (
        <Lazy load={loadGroupOptions} group={group} countText={countText} />
      )}
    </div>
  )
}

/** Sets the same target for all files of a category. */
const CommonTargets = (props: {
  readonly countText: string
  readonly group: readonly ConversionItem[]
  readonly targets: readonly Format[]
}) => (
  <fieldset class="chips" aria-label={words.allInto(props.countText)}>
    {suggestTargets(props.group[0]?.source, props.targets).map((target) => (
      <button
        key={target.id}
        type="button"
        class="button small"
        aria-pressed={props.group.every((item) => item.target.value === target && !item.tool.value)}
        onClick={() => setTargetForAll(props.group, target)}
      >
        {target.id.toUpperCase()}
      </button>
    ))}
  </fieldset>
)

const loadCombineBar = () => import('./combine-bar.tsx')

/** Offers to combine images into one PDF once the target of all of them is PDF. */
function CombineImages({ group }: { readonly group: readonly ConversionItem[] }) {
  const canCombine =
    group.length > 1 && group.every(({ target, file }) => target.value?.id === 'pdf' && file.value)
  return canCombine ? <Lazy load={loadCombineBar} group={group} /> : null
}

const loadSaveButtons = () => import('./drives/save-buttons.tsx')

const listDoneJobs = (items: readonly ConversionItem[]) =>
  items.flatMap(({ phase, job }) => (phase.value === 'done' && job.value ? [job.value.jobId] : []))

const loadRenameField = () => import('./rename-field.tsx')

function ZipButton({
  items,
  name,
}: {
  readonly items: readonly ConversionItem[]
  readonly name: string | undefined
}) {
  const isPacking = useSignal(false)
  const isRenaming = useSignal(false)
  const pattern = useSignal('')
  const problem = useSignal<Problem | undefined>(undefined)
  const doneItems = items.filter(({ phase }) => phase.value === 'done')
  const createAndSave = async () => {
    isPacking.value = true
    problem.value = undefined
    try {
      const jobs = doneItems.flatMap(({ job, folder }) =>
        job.value ? [{ jobId: job.value.jobId, folder, fileCount: job.value.result?.files.length ?? 0 }] : [],
      )
      for (const { jobs: packedJobs, firstIndex } of createZipBatches(jobs)) {
        const job = await requestZip(packedJobs, {
          filename: name,
          nameTemplate: pattern.value.trim().replaceAll('{n}', '{index}'),
          firstIndex,
        })
        const finishedJob = await watchJob(job, () => {}, new AbortController().signal)
        if (!finishedJob.result)
          throw finishedJob.error
            ? await explainError(finishedJob.error)
            : new Problem('ZIP', words.jobExpired(job.jobId))
        saveUrl(finishedJob.result.downloadUrl, finishedJob.result.filename)
      }
    } catch (error) {
      problem.value = toProblem(error)
      announce(problem.value.message)
    } finally {
      isPacking.value = false
    }
  }
  return (
    <>
      <button
        type="button"
        class="button"
        {...keyShortcut('d')}
        disabled={isPacking.value}
        onClick={() => void createAndSave()}
      >
        <Icon name="download" />
        {isPacking.value ? words.creatingZip : words.downloadAll(doneItems.length)}
      </button>
      <button
        type="button"
        class="button quiet"
        aria-expanded={isRenaming.value}
        onClick={() => {
          isRenaming.value = !isRenaming.value
          pattern.value = ''
        }}
      >
        {words.rename}
      </button>
      {isRenaming.value && <Lazy load={loadRenameField} items={doneItems} pattern={pattern} />}
      <Notice text={problem.value} />
    </>
  )
}

function saveUrl(url: string, filename: string): void {
  const link = document.createElement('a')
  link.href = url
  link.download = filename
  link.click()
}

/** Asks for permission on click, because browsers require a user gesture. */
function NotifyButton() {
  if (wantsNotification.value) return <p class="hint">{words.notifyOn}</p>
  return (
    <button
      type="button"
      class="button quiet"
      onClick={() => {
        void Notification.requestPermission().then((permission) => {
          wantsNotification.value = permission === 'granted'
        })
      }}
    >
      {words.notify}
    </button>
  )
}
