import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { Problem, toProblem } from '../../../api.ts'
import { navigate } from '../../../shell/router.ts'
import { adoptStyles } from '../../../shell/styles.ts'
import { addOrigins } from '../add-files.ts'
import { Icon, Notice } from '../components.tsx'
import many from '../file-list.css'
import { formatFileSize } from '../format-text.ts'
import {
  connect,
  disconnect,
  type Entry,
  importFiles,
  type Listing,
  listFolder,
  loadConnection,
  saveConnection,
} from './drive-client.ts'
import rules from './drives.css'
import words from './words/en.ts'

adoptStyles(many, rules)

/** Maximum number of files per import. */
const maxFiles = 20

/** The file browser of a drive. The drive redirects to its URL after granting access. */
export default function DriveDialog({ query }: { readonly query: URLSearchParams }) {
  const drive = query.get('drive') ?? ''
  const dialog = useRef<HTMLDialogElement>(null)
  const lifetime = useRef(new AbortController())
  const trail = useSignal<readonly Pick<Entry, 'id' | 'name'>[]>([])
  const listing = useSignal<Listing | undefined>(undefined)
  const chosen = useSignal<readonly Entry[]>([])
  const problem = useSignal<Problem | string | undefined>(undefined)
  const isBusy = useSignal(false)
  const requestCount = useRef(0)
  const lastQuery = useRef<{ readonly folderId?: string; readonly q?: string }>({})

  const connection = () => {
    const id = loadConnection(drive)
    if (id === undefined) throw new Problem('DRIVE_NOT_CONNECTED', words.notConnected)
    return id
  }
  /** Runs an operation on the drive and shows its error. */
  const attempt = async (act: () => Promise<void>) => {
    problem.value = undefined
    isBusy.value = true
    try {
      await act()
    } catch (error) {
      if (lifetime.current.signal.aborted) return
      problem.value = toProblem(error)
      if (problem.value instanceof Problem && problem.value.code === 'DRIVE_NOT_CONNECTED')
        saveConnection(drive, undefined)
    } finally {
      isBusy.value = false
    }
  }
  const open = (what: { folderId?: string; q?: string; cursor?: string }) => {
    const { cursor: _, ...place } = what
    lastQuery.current = place
    return attempt(async () => {
      const requestNumber = ++requestCount.current
      const found = await listFolder(drive, { connectionId: connection(), ...what })
      if (requestNumber !== requestCount.current) return
      const earlierItems = what.cursor === undefined ? [] : (listing.value?.items ?? [])
      listing.value = { ...found, items: [...earlierItems, ...found.items] }
    })
  }
  const currentFolderId = () => trail.value.at(-1)?.id
  const folderQuery = (id: string | undefined) => (id === undefined ? {} : { folderId: id })

  useEffect(() => {
    dialog.current?.showModal()
    const newConnection = query.get('connectionId')
    if (newConnection) {
      saveConnection(drive, newConnection)
      // The connection id is private and must not stay in the URL.
      history.replaceState(null, '', `/convert?${new URLSearchParams({ drive })}`)
    }
    if (query.has('error')) problem.value = words.refused
    else void open({})
    return () => lifetime.current.abort()
  }, [drive])

  const close = () => {
    dialog.current?.close()
    navigate('/', { replace: true })
  }
  const take = () =>
    attempt(async () => {
      const origins = await importFiles(drive, connection(), chosen.value, lifetime.current.signal)
      await addOrigins(origins)
      close()
    })
  const toggle = (entry: Entry, isChosen: boolean) => {
    const others = chosen.value.filter(({ id }) => id !== entry.id)
    chosen.value = isChosen ? [...others, entry] : others
  }
  const isChosen = (entry: Entry) => chosen.value.some(({ id }) => id === entry.id)
  const needsConnection = loadConnection(drive) === undefined
  return (
    <dialog ref={dialog} class="drawer" aria-labelledby="drive-title" onClose={close}>
      <div class="drawer-head">
        <h2 id="drive-title">{words.title(words.names[drive] ?? drive)}</h2>
        <button type="button" class="remove" aria-label={words.close} onClick={close}>
          <Icon name="close" />
        </button>
      </div>
      <Notice text={problem.value} />
      {needsConnection && !isBusy.value ? (
        <p>
          <button type="button" class="button primary" onClick={() => void attempt(() => connect(drive))}>
            {words.connect}
          </button>
        </p>
      ) : (
        <>
          <form
            class="drive-search"
            onSubmit={(event) => {
              event.preventDefault()
              const q = new FormData(event.currentTarget).get('q')
              trail.value = []
              void open(typeof q === 'string' && q.trim() ? { q: q.trim() } : {})
            }}
          >
            <input
              type="search"
              name="q"
              aria-label={words.search}
              placeholder={words.search}
              maxLength={200}
            />
            <button type="submit" class="button">
              {words.find}
            </button>
          </form>
          {trail.value.length > 0 && (
            <p>
              <button
                type="button"
                class="link"
                onClick={() => {
                  trail.value = trail.value.slice(0, -1)
                  void open(folderQuery(currentFolderId()))
                }}
              >
                {words.back}
              </button>{' '}
              <bdi>{trail.value.map(({ name }) => name).join(' / ')}</bdi>
            </p>
          )}
          <ul class="drive-list" aria-label={words.files} aria-busy={isBusy.value}>
            {listing.value?.items.map((entry) => (
              <li key={entry.id}>
                {entry.isFolder ? (
                  <button
                    type="button"
                    class="link"
                    onClick={() => {
                      trail.value = [...trail.value, entry]
                      void open({ folderId: entry.id })
                    }}
                  >
                    <bdi>{entry.name}</bdi>/
                  </button>
                ) : (
                  <label class="drive-file">
                    <input
                      type="checkbox"
                      checked={isChosen(entry)}
                      disabled={chosen.value.length >= maxFiles && !isChosen(entry)}
                      onChange={(event) => toggle(entry, event.currentTarget.checked)}
                    />
                    <bdi>{entry.name}</bdi>
                    {entry.size !== null && <span class="hint">{formatFileSize(entry.size)}</span>}
                  </label>
                )}
              </li>
            ))}
          </ul>
          {listing.value?.items.length === 0 && <p class="hint">{words.nothing}</p>}
          {listing.value?.nextCursor && (
            <button
              type="button"
              class="button"
              disabled={isBusy.value}
              onClick={() => void open({ ...lastQuery.current, cursor: listing.value?.nextCursor ?? '' })}
            >
              {words.more}
            </button>
          )}
          <div class="actions">
            <button
              type="button"
              class="button primary"
              disabled={isBusy.value || chosen.value.length === 0}
              onClick={() => void take()}
            >
              {isBusy.value ? words.busy : words.addFiles(chosen.value.length)}
            </button>
            <button
              type="button"
              class="button quiet"
              onClick={() => void attempt(() => disconnect(drive, connection())).then(close)}
            >
              {words.disconnect}
            </button>
          </div>
        </>
      )}
    </dialog>
  )
}
