import type { AppError } from '../errors.ts'
import type { RequestedTask } from '../tasks/parse-tasks.ts'
import type { NewUpload } from '../uploads/uploads.ts'
import type { WebhookFormat } from '../webhooks/webhook.ts'
import type { SourceFile } from './source.ts'

/** Source of an import task: a stored file, or an upload that the task waits for. */
export type ImportSource =
  | { readonly source: SourceFile }
  | { readonly awaited: NewUpload; readonly form: Record<string, unknown> }
  /** The task fetches the file into an upload that other requests can use. */
  | { readonly into: NewUpload }
  /** The file could not be imported; the task reports why. Only batches have such imports. */
  | { readonly refused: AppError }

export interface JobRequest {
  readonly owner: string
  /** The API key or client that sent the request. */
  readonly keyId?: string | undefined
  readonly requestId: string
  readonly jobId?: string | undefined
  readonly tag?: string | null | undefined
  readonly webhookUrl?: string | undefined
  /** Format of the webhook's payload; `json` by default. */
  readonly webhookFormat?: WebhookFormat | undefined
  readonly retryOf?: string
  readonly tasks: readonly RequestedTask[]
  /** Sources by name of the import task. */
  readonly imports: ReadonlyMap<string, ImportSource>
  /** True for a batch, which succeeds if one task does; the job reports rejected tasks. */
  readonly isBatch?: boolean
  readonly failFast?: boolean
  /** True if the job's download URL delivers all results, packed into a ZIP if there are several. */
  readonly packsResults?: boolean
  /**
   * How many seconds after the end of the job its files are deleted, if that is earlier than the service's retention.
   */
  readonly expiresInS?: number | undefined
  /** Creates the error for a batch in which every task was rejected. */
  readonly createAllRefusedError?: (errors: readonly AppError[]) => AppError
  /** True if all sources must be images (`combineImages`). */
  readonly imagesOnly?: boolean | undefined
  /** Request field to name in errors about additional files. Set if the endpoint, not the client, defines the tasks. */
  readonly additionalFilesField?: string
}

/** Whether errors name tasks. Clients do not know the tasks that endpoints and batches create for them. */
export const shouldErrorsNameTasks = ({ additionalFilesField, isBatch }: JobRequest) =>
  additionalFilesField === undefined && !isBatch
