import type { TaskFiles } from '../../aws/task-files.ts'
import type { Vault } from '../../crypto/sealed.ts'
import type { Services } from '../../services/services.ts'

/** Unseals the secrets of a task and seals them again. */
export type TaskVault = Pick<Vault, 'unsealAll' | 'sealSecrets'>

/** Services for running a task, with access to all files and secrets, or only to those of the task. */
export type TaskServices = Omit<Services, 'files' | 'vault'> & {
  readonly files: TaskFiles
  readonly vault: TaskVault
}
