import { useEffect, useRef } from 'preact/hooks'
import { navigate } from '../../../shell/router.ts'
import { adoptStyles } from '../../../shell/styles.ts'
import { Icon, Notice } from '../components.tsx'
import many from '../file-list.css'
import { formatFileSize } from '../format-text.ts'
import type { Entry } from './drive-client.ts'
import rules from './drives.css'
import { type DriveState, useDrive } from './use-drive.ts'
import words from './words/en.ts'

adoptStyles(many, rules)

/** The file browser of a drive. The drive redirects to its URL after the user has granted access. */
export default function DriveDialog({ query }: { readonly query: URLSearchParams }) {
  const dialog = useRef<HTMLDialogElement>(null)
  const close = () => {
    dialog.current?.close()
    navigate('/', { replace: true })
  }
  useEffect(() => dialog.current?.showModal(), [query.get('drive')])
  const drive = useDrive(query, { onClose: close })
  return (
    <dialog ref={dialog} class="drawer" aria-labelledby="drive-title" onClose={close}>
      <div class="drawer-head">
        <h2 id="drive-title">{drive.isSaving ? words.saveTo(drive.name) : words.title(drive.name)}</h2>
        <button type="button" class="remove" aria-label={words.close} onClick={close}>
          <Icon name="close" />
        </button>
      </div>
      <Notice text={drive.problem} />
      <Content drive={drive} />
    </dialog>
  )
}

function Content({ drive }: { readonly drive: DriveState }) {
  if (drive.isSaved) return <p class="notice">{words.saved(drive.name)}</p>
  if (!drive.isConnected && !drive.isBusy)
    return (
      <p>
        <button type="button" class="button primary" onClick={drive.connect}>
          {words.connect}
        </button>
      </p>
    )
  return (
    <>
      {!drive.isSaving && <Search drive={drive} />}
      <Folder drive={drive} />
      <Actions drive={drive} />
    </>
  )
}

const Search = ({ drive }: { readonly drive: DriveState }) => (
  <form
    class="drive-search"
    onSubmit={(event) => {
      event.preventDefault()
      const text = new FormData(event.currentTarget).get('q')
      drive.search(typeof text === 'string' ? text.trim() : '')
    }}
  >
    <input type="search" name="q" aria-label={words.search} placeholder={words.search} maxLength={200} />
    <button type="submit" class="button">
      {words.find}
    </button>
  </form>
)

/**
 * Lists the open folder, or the results of a search. When the user chooses where to save results, only folders are
 * listed.
 */
function Folder({ drive }: { readonly drive: DriveState }) {
  const entries = drive.listing?.items.filter(({ isFolder }) => isFolder || !drive.isSaving)
  return (
    <>
      {drive.path.length > 0 && (
        <p>
          <button type="button" class="link" onClick={drive.goBack}>
            {words.back}
          </button>{' '}
          <bdi>{drive.path.join(' / ')}</bdi>
        </p>
      )}
      <ul
        class="drive-list"
        aria-label={drive.isSaving ? words.folders : words.files}
        aria-busy={drive.isBusy}
      >
        {entries?.map((entry) => (
          <li key={entry.id}>
            <EntryRow drive={drive} entry={entry} />
          </li>
        ))}
      </ul>
      {entries?.length === 0 && <p class="hint">{drive.isSaving ? words.noFolders : words.nothing}</p>}
      {drive.listing?.nextCursor && (
        <button type="button" class="button" disabled={drive.isBusy} onClick={drive.showMore}>
          {words.more}
        </button>
      )}
    </>
  )
}

const EntryRow = ({ drive, entry }: { readonly drive: DriveState; readonly entry: Entry }) =>
  entry.isFolder ? (
    <button type="button" class="link" onClick={() => drive.openFolder(entry)}>
      <bdi>{entry.name}</bdi>/
    </button>
  ) : (
    <label class="drive-file">
      <input
        type="checkbox"
        checked={drive.isChosen(entry)}
        disabled={!drive.canChoose(entry)}
        onChange={(event) => drive.choose(entry, event.currentTarget.checked)}
      />
      <bdi>{entry.name}</bdi>
      {entry.size !== null && <span class="hint">{formatFileSize(entry.size)}</span>}
    </label>
  )

const Actions = ({ drive }: { readonly drive: DriveState }) => (
  <div class="actions">
    {drive.isSaving ? (
      <button
        type="button"
        class="button primary"
        disabled={drive.isBusy || drive.jobsToSave.length === 0}
        onClick={drive.saveHere}
      >
        {drive.isBusy ? words.busy : words.saveHere(drive.jobsToSave.length)}
      </button>
    ) : (
      <button
        type="button"
        class="button primary"
        disabled={drive.isBusy || drive.chosenCount === 0}
        onClick={drive.importChosen}
      >
        {drive.isBusy ? words.busy : words.addFiles(drive.chosenCount)}
      </button>
    )}
    <button type="button" class="button quiet" onClick={drive.disconnect}>
      {words.disconnect}
    </button>
  </div>
)
