import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { type Problem, toProblem } from '../../../api.ts'
import { navigate } from '../../../shell/router.ts'
import { Notice } from '../components.tsx'
import {
  connect,
  type DriveName,
  getDialogPath,
  listAvailableDrives,
  loadConnection,
} from './drive-client.ts'
import { storeJobsToSave } from './save-results.ts'
import words from './words/en.ts'

/** A button for each configured drive; it opens a folder dialog to save the results of these jobs. */
export default function SaveButtons({ jobIds }: { readonly jobIds: readonly string[] }) {
  const drives = useSignal<readonly DriveName[]>([])
  const problem = useSignal<Problem | undefined>(undefined)
  useEffect(() => {
    void listAvailableDrives().then((listedDrives) => {
      drives.value = listedDrives
    })
  }, [drives])
  const openDrive = async (id: string) => {
    problem.value = undefined
    try {
      storeJobsToSave(jobIds)
      if (loadConnection(id, 'write')) navigate(getDialogPath(id, 'write'))
      else await connect(id, 'write')
    } catch (error) {
      problem.value = toProblem(error)
    }
  }
  return (
    <>
      {drives.value.map(({ id, name }) => (
        <button key={id} type="button" class="button" onClick={() => void openDrive(id)}>
          {jobIds.length > 1 ? words.saveAllTo(name) : words.saveTo(name)}
        </button>
      ))}
      <Notice text={problem.value} />
    </>
  )
}
