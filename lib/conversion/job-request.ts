import type { AppError } from '../errors.ts'
import type { RequestedTask } from '../tasks/parse-tasks.ts'
import type { UploadRecord } from '../uploads.ts'
import type { WebhookFormat } from '../webhooks/webhook.ts'
import type { SourceFile } from './source.ts'

/** What an import task gives from the start, or waits for. */
export type ImportSource =
  | { readonly source: SourceFile }
  | { readonly awaited: UploadRecord; readonly form: Record<string, unknown> }
  /** Fetched by the task, into an upload that others take. */
  | { readonly into: UploadRecord }
  /** Of a batch: there is none, and the task says why. */
  | { readonly refused: AppError }

export interface JobRequest {
  readonly owner: string
  /** The API key or the client that asked. */
  readonly keyId?: string | undefined
  readonly requestId: string
  readonly jobId?: string | undefined
  readonly tag?: string | null | undefined
  readonly webhookUrl?: string | undefined
  /** As it is told there; `json` when left out. */
  readonly webhookFormat?: WebhookFormat | undefined
  readonly retryOf?: string
  readonly tasks: readonly RequestedTask[]
  /** By the name of the task. */
  readonly imports: ReadonlyMap<string, ImportSource>
  /** One task that gives something is enough; those that cannot work are told of in the job, and do not end it. */
  readonly isBatch?: boolean
  readonly failFast?: boolean
  /** Seconds after its end in which its files go, where that is sooner than the service has it. */
  readonly expiresInS?: number | undefined
  /** What is thrown when no task of a batch can work. */
  readonly createAllRefusedError?: (errors: readonly AppError[]) => AppError
  /** The tasks are ours and not the client's: errors name the client's fields. */
  readonly additionalFilesField?: string
}

/** Of a batch each error stands beside its item, and nobody has sent the tasks that items become. */
export const errorsNameTasks = ({ additionalFilesField, isBatch }: JobRequest) =>
  additionalFilesField === undefined && !isBatch
