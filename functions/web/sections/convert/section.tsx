import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { type Job, listFormats, listJobs, type Problem, problemOf } from '../../api.ts'
import { announce } from '../../shell/announce.ts'
import { brought } from '../../shell/brought.ts'
import type { Whereabouts } from '../../shell/router.ts'
import { useStyles } from '../../shell/styles.ts'
import { add, linked } from './adding.ts'
import { Bar } from './bar.tsx'
import card from './card.css'
import { Card } from './card.tsx'
import { createCatalogue } from './catalogue.ts'
import choice from './choice.css'
import { keptDrafts } from './drafts.ts'
import { addressIn, chooseFiles, mostFiles } from './incoming.ts'
import { Item, type Origin } from './item.ts'
import { lookAtBegun } from './keeping.ts'
import { Kinds } from './kinds.tsx'
import { Later } from './later.tsx'
import { catalogue, items, mostCards, newest, opened } from './list.ts'
import many from './many.css'
import { Notice } from './parts.tsx'
import { finishRemoval, removed, undo } from './removing.ts'
import { follow } from './running.ts'
import { Table } from './table.tsx'
import { onOtherTab } from './tabs.ts'
import { keepTitleOfWork } from './telling.ts'
import { WayIn } from './way-in.tsx'
import words from './words/en.ts'

useStyles(card, choice, many)

const drawer = () => import('./drawer.tsx')

/** Once for the page, not for each time that the section is shown. */
const once = Promise.withResolvers<void>()
let isBegun = false

export default function Convert({ at }: { readonly at: Whereabouts }) {
  const problem = useSignal<Problem | undefined>(undefined)
  const retry = useRef<() => void>(() => {})
  const only = useSignal<string | undefined>(undefined)
  /** Loads what is known of formats, at the first sign that it is needed. */
  const wanted = useRef<() => void>(() => {})
  const isThere = useSignal(catalogue.value !== undefined)

  useEffect(() => {
    const to = at.query.get('to')
    if (!to) return
    const values = Object.fromEntries([...at.query].filter(([name]) => name !== 'to' && name !== 'lang'))
    linked.value = { to, values }
  }, [at])

  useEffect(() => {
    /** Asks until it works; the notice has the button that asks again. */
    const untilItWorks = async <Value,>(ask: () => Promise<Value>): Promise<Value> => {
      for (;;) {
        try {
          const value = await ask()
          problem.value = undefined
          return value
        } catch (error) {
          problem.value = problemOf(error)
          await new Promise<void>((resolve) => {
            retry.current = resolve
          })
        }
      }
    }
    const begin = async () => {
      isBegun = true
      keepTitleOfWork()
      window.addEventListener('beforeunload', (event) => {
        if (items.value.some(({ phase }) => phase.value === 'sending')) event.preventDefault()
      })
      window.addEventListener('pagehide', () => void finishRemoval())
      wanted.current = () => {
        wanted.current = () => {}
        void untilItWorks(listFormats).then((formats) => {
          catalogue.value = createCatalogue(formats)
          once.resolve()
        })
      }
      for (const hint of ['pointerdown', 'keydown', 'dragenter', 'paste'])
        window.addEventListener(hint, () => wanted.current(), { once: true })
      const [drafts, earlier] = await Promise.all([
        keptDrafts(),
        listJobs().catch((error: unknown) => problemOf(error)),
      ])
      const first = 'jobs' in earlier ? earlier : await untilItWorks(() => listJobs())
      // Whoever has no files yet need not wait for, nor load, the names of all formats.
      if (drafts.length + first.jobs.length > 0) wanted.current()
      else isThere.value = true
      await once.promise
      const known = catalogue.value
      if (!known) return
      const restored = add(
        // A file that was dropped meanwhile is a draft already.
        drafts
          .filter(({ key }) => !items.value.some((item) => item.key === key))
          .map((draft) => ({ kind: 'draft', draft }) as const),
        known,
      )
      for (const item of restored) void lookAtBegun(item)
      addJobs(first.jobs)
      isThere.value = true
      for (let cursor = first.nextCursor; cursor !== null; ) {
        const from = cursor
        const page = await untilItWorks(() => listJobs(from))
        addJobs(page.jobs)
        cursor = page.nextCursor
      }
      onOtherTab(
        () =>
          void listJobs().then(
            ({ jobs }) => addJobs(jobs),
            () => {},
          ),
      )
    }
    if (isBegun) void once.promise.then(() => (isThere.value = true))
    else void begin()
  }, [problem, isThere])

  // Files that come before the formats are known must not be lost, and not open in place of the page.
  const bring = (origins: readonly Origin[]) => {
    if (origins.length === 0) return
    wanted.current()
    void once.promise.then(() => {
      const known = catalogue.value
      if (!known) return
      only.value = origins.length > mostFiles ? words.onlyFirst(mostFiles) : undefined
      const added = add(origins.slice(0, mostFiles), known)
      newest.current = added[0]
      announce(added.length === 1 ? words.added(added[0]?.name ?? '') : words.addedMany(added.length))
    })
  }
  const take = (files: readonly File[]) => bring(files.map((file) => ({ kind: 'file', file })))
  const takeAddress = (text: string) => {
    const url = addressIn(text)
    if (!url) return
    const name = decodeURIComponent(new URL(url).pathname.split('/').at(-1) ?? '') || new URL(url).hostname
    bring([{ kind: 'url', url, name }])
  }

  useEffect(
    () =>
      brought.subscribe((all) => {
        if (all.length === 0) return
        brought.value = []
        for (const what of all) typeof what === 'string' ? takeAddress(what) : take(what)
      }),
    [],
  )

  const all = items.value
  document.documentElement.dataset['files'] = String(all.length > 0)
  return (
    <>
      <WayIn onFolder={() => void chooseFiles({ folder: true }).then(take)} onAddress={takeAddress} />
      <div class="work">
        <div id="notices">
          <Notice text={problem.value} />
          {problem.value && (
            <button type="button" class="button" onClick={() => retry.current()}>
              {words.tryAgain}
            </button>
          )}
          {only.value && <p class="notice">{only.value}</p>}
        </div>
        {isThere.value && all.length > 0 && (
          <section id="files" aria-labelledby="files-title">
            <h2 id="files-title">{words.yourFiles}</h2>
            <Bar />
            {all.length > mostCards ? (
              <Table />
            ) : (
              <ul id="cards" class="cards">
                {all.map((item) => (
                  <Card key={item.key} item={item} />
                ))}
              </ul>
            )}
          </section>
        )}
        {isThere.value && <Kinds />}
        {isThere.value && (
          <section aria-labelledby="terminal-title">
            <h2 id="terminal-title">{words.terminal}</h2>
            <pre class="terminal" dir="ltr">
              <code>
                {`curl -LOJ -H 'Prefer: wait=25' -F file=@photo.jpg -F targetFormat=webp \\\n  '${location.origin}/v1/convert?redirect=true'`}
              </code>
            </pre>
          </section>
        )}
      </div>
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

/** Those that are not in the page yet, behind what is. */
function addJobs(jobs: readonly Job[]): void {
  const known = catalogue.value
  if (!known) return
  const there = new Set(items.value.map(({ job }) => job.value?.jobId))
  const added = jobs
    .filter(({ jobId, source }) => !there.has(jobId) && source !== null)
    .map((job) => new Item({ kind: 'job', job }, known))
  items.value = [...items.value, ...added]
  for (const item of added) if (item.job.value) void follow(item, item.job.value)
}
