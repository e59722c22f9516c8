import type { TaskFiles } from '../../aws/task-files.ts'
import type { Vault } from '../../sealed.ts'
import type { Services } from '../../services.ts'

/** Opens the secrets of a task, and closes them again. */
export type TaskVault = Pick<Vault, 'openAll' | 'sealSome'>

/** What running a task takes: all files and secrets of the service, or those of the task alone. */
export type TaskServices = Omit<Services, 'files' | 'vault'> & {
  readonly files: TaskFiles
  readonly vault: TaskVault
}
