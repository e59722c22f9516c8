import type { DriveId } from '../../component-ids.ts'
import type { OutgoingRequest, OutgoingResponse } from '../guarded-http.ts'
import type { OutgoingFile } from '../transfer.ts'

/** URLs of a drive; settings can override them. */
export interface Endpoints {
  readonly authorize: string
  readonly token: string
  /** Without a trailing slash. */
  readonly api: string
  /** The same for the content of files. */
  readonly upload: string
}

/** What a connection may do in a drive. */
export const driveAccessLevels = ['read', 'write'] as const
export type DriveAccessLevel = (typeof driveAccessLevels)[number]

export interface DriveItem {
  readonly id: string
  readonly name: string
  readonly isFolder: boolean
  readonly mimeType: string | null
  /** Bytes; null if the drive does not report it. */
  readonly size: number | null
  /** RFC 3339. */
  readonly modifiedAt: string | null
  readonly thumbnailUrl: string | null
  readonly path: string | null
}

interface DriveListing {
  readonly items: readonly DriveItem[]
  /** Cursor of the next page, in the drive's own format. */
  readonly nextCursor: string | null
}

interface ListQuery {
  /** `root`, or the id of an item. */
  readonly folderId: string
  /** Search words for names. */
  readonly q?: string | undefined
  readonly cursor?: string | undefined
  readonly limit: number
}

/** URL and headers for downloading a file while the access token is valid. */
export interface FileLink {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly filename: string
}

/** The account that owns the drive. */
export interface DriveAccount {
  readonly name: string | null
  readonly email: string | null
}

/** Sends requests to the drive on behalf of its owner. */
export interface DriveRequest {
  /**
   * Returns the JSON response.
   * @throws RemoteError `forbidden`, `not-found`, `status` or `unreachable`.
   */
  (path: string, options?: { readonly query?: QueryParameters; readonly post?: unknown }): Promise<unknown>
  /** Headers for a plain download. */
  readonly headers: Readonly<Record<string, string>>
  readonly api: string
}
type QueryParameters = Readonly<Record<string, string | number | undefined>>

/** Sends a request with content. @throws RemoteError unless `isSuccess` accepts the status. */
export type DriveSend = (
  url: string,
  options: Omit<OutgoingRequest, 'signal'> & { readonly signal?: AbortSignal },
  isSuccess?: (status: number) => boolean,
) => Promise<OutgoingResponse>

/** Where and how a file is stored. */
export interface DriveUpload {
  readonly request: DriveRequest
  readonly send: DriveSend
  /** `upload` of the endpoints. */
  readonly uploadUrl: string
  /** A result of `findFolder`. */
  readonly folder: string
  readonly signal: AbortSignal
  readonly onSent: (bytes: number) => void
}

export interface Drive {
  readonly id: DriveId
  /** Display name. */
  readonly title: string
  readonly endpoints: Endpoints
  readonly scopes: Readonly<Record<DriveAccessLevel, string>>
  /** Extra parameters that make the drive issue a refresh token. */
  readonly authorizationParameters: Readonly<Record<string, string>>
  /** Whether a response means "not found" even though its status does not say so. */
  readonly isNotFound?: (status: number, body: string) => boolean
  /** Whether a response means that the drive has no space left. */
  readonly isFull: (status: number, body: string) => boolean
  account(request: DriveRequest): Promise<DriveAccount>
  list(request: DriveRequest, query: ListQuery): Promise<DriveListing>
  /** @throws RemoteError `not-found` for a missing file or a folder. */
  link(request: DriveRequest, fileId: string): Promise<FileLink>
  /** Returns how uploads name a folder. @throws RemoteError `not-found` for a missing folder or a file. */
  findFolder(request: DriveRequest, folderId: string): Promise<string>
  /** Stores a new file; never replaces one. @returns its location. @throws RemoteError */
  upload(upload: DriveUpload, file: OutgoingFile): Promise<string>
}
