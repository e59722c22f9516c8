import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { Problem, toProblem } from '../../../api.ts'
import { announce } from '../../../shell/announce.ts'
import { addOrigins } from '../add-files.ts'
import {
  connect,
  disconnect,
  type Entry,
  getDialogPath,
  importFiles,
  type Listing,
  listFolder,
  loadConnection,
  saveConnection,
} from './drive-client.ts'
import { loadJobsToSave, saveResults } from './save-results.ts'
import words from './words/en.ts'

/** Maximum number of files per import. */
const maxFiles = 20

const toFolderQuery = (id: string | undefined) => (id === undefined ? {} : { folderId: id })

/** State of the file browser: the open folder of the drive, and the files chosen in any of its folders. */
export function useDrive(query: URLSearchParams, { onClose }: { readonly onClose: () => void }) {
  const drive = query.get('drive') ?? ''
  const access = query.has('save') ? 'write' : 'read'
  const abortController = useRef(new AbortController())
  const folderPath = useSignal<readonly Pick<Entry, 'id' | 'name'>[]>([])
  const listing = useSignal<Listing | undefined>(undefined)
  const chosenEntries = useSignal<readonly Entry[]>([])
  const problem = useSignal<Problem | string | undefined>(undefined)
  const isBusy = useSignal(false)
  const isSaved = useSignal(false)
  /** Number of running operations: a folder can be opened while results are being saved. */
  const operationCount = useRef(0)
  const requestCount = useRef(0)
  const lastQuery = useRef<{ readonly folderId?: string; readonly q?: string }>({})

  const connection = () => {
    const id = loadConnection(drive, access)
    if (id === undefined) throw new Problem('DRIVE_NOT_CONNECTED', words.notConnected)
    return id
  }
  /** Runs an operation on the drive and shows its error. */
  const runOperation = async (operation: () => Promise<void>) => {
    problem.value = undefined
    isBusy.value = true
    operationCount.current += 1
    try {
      await operation()
    } catch (error) {
      if (abortController.current.signal.aborted) return
      problem.value = toProblem(error)
      if (problem.value instanceof Problem && problem.value.code === 'DRIVE_NOT_CONNECTED')
        saveConnection(drive, access, undefined)
    } finally {
      operationCount.current -= 1
      isBusy.value = operationCount.current > 0
    }
  }
  const openListing = (listQuery: { folderId?: string; q?: string; cursor?: string }) => {
    const { cursor: _, ...locationQuery } = listQuery
    lastQuery.current = locationQuery
    return runOperation(async () => {
      const requestNumber = ++requestCount.current
      const newListing = await listFolder(drive, { connectionId: connection(), ...listQuery })
      if (requestNumber !== requestCount.current) return
      const previousItems = listQuery.cursor === undefined ? [] : (listing.value?.items ?? [])
      listing.value = { ...newListing, items: [...previousItems, ...newListing.items] }
    })
  }
  useEffect(() => {
    const newConnection = query.get('connectionId')
    if (newConnection) {
      saveConnection(drive, access, newConnection)
      // The connection id is private, so it is removed from the URL.
      history.replaceState(null, '', getDialogPath(drive, access))
    }
    if (query.has('error')) problem.value = words.refused
    else void openListing({})
    return () => abortController.current.abort()
  }, [drive, access])

  const isChosen = (entry: Entry) => chosenEntries.value.some(({ id }) => id === entry.id)
  return {
    name: words.names[drive] ?? drive,
    problem: problem.value,
    isBusy: isBusy.value,
    isConnected: loadConnection(drive, access) !== undefined,
    /** Names of the folders from the top down to the open one. */
    path: folderPath.value.map(({ name }) => name),
    listing: listing.value,
    chosenCount: chosenEntries.value.length,
    isChosen,
    canChoose: (entry: Entry) => chosenEntries.value.length < maxFiles || isChosen(entry),
    choose: (entry: Entry, isSelected: boolean) => {
      const otherEntries = chosenEntries.value.filter(({ id }) => id !== entry.id)
      chosenEntries.value = isSelected ? [...otherEntries, entry] : otherEntries
    },
    search: (text: string) => {
      folderPath.value = []
      void openListing(text === '' ? {} : { q: text })
    },
    openFolder: (entry: Entry) => {
      folderPath.value = [...folderPath.value, entry]
      void openListing({ folderId: entry.id })
    },
    goBack: () => {
      folderPath.value = folderPath.value.slice(0, -1)
      void openListing(toFolderQuery(folderPath.value.at(-1)?.id))
    },
    showMore: () => void openListing({ ...lastQuery.current, cursor: listing.value?.nextCursor ?? '' }),
    connect: () => void runOperation(() => connect(drive, access)),
    disconnect: () => void runOperation(() => disconnect(drive, access, connection())).then(onClose),
    importChosen: () =>
      void runOperation(async () => {
        await addOrigins(
          await importFiles(drive, connection(), chosenEntries.value, abortController.current.signal),
        )
        onClose()
      }),
    /** Whether the dialog saves results to the drive instead of importing files from it. */
    isSaving: access === 'write',
    isSaved: isSaved.value,
    jobsToSave: loadJobsToSave(),
    saveHere: () =>
      void runOperation(async () => {
        const target = { connectionId: connection(), folderId: folderPath.value.at(-1)?.id }
        await saveResults(drive, loadJobsToSave(), target, abortController.current.signal)
        isSaved.value = true
        announce(words.saved(words.names[drive] ?? drive))
      }),
  }
}

export type DriveState = ReturnType<typeof useDrive>
