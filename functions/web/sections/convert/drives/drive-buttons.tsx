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
import words from './words/en.ts'

/** A button for each configured drive. */
export default function DriveButtons() {
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
      if (loadConnection(id, 'read')) navigate(getDialogPath(id, 'read'))
      else await connect(id, 'read')
    } catch (error) {
      problem.value = toProblem(error)
    }
  }
  if (drives.value.length === 0) return null
  return (
    <>
      <p class="drive-buttons">
        {drives.value.map(({ id, name }) => (
          <button key={id} type="button" class="button" onClick={() => void openDrive(id)}>
            {words.from(name)}
          </button>
        ))}
      </p>
      <Notice text={problem.value} />
    </>
  )
}
