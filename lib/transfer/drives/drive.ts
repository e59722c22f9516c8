import type { DriveId } from '../../component-ids.ts'
import type { OutgoingRequest, OutgoingResponse } from '../guarded-http.ts'
import type { OutgoingFile } from '../transfer.ts'

/** URLs of a drive; settings can override them. */
export interface Endpoints {
  readonly authorize: string
  readonly token: string
  /** URL of the API, without a trailing slash. */
  readonly api: string
  /** URL of the API for the content of files, without a trailing slash. */
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
  /** Size in bytes; null if the drive does not report it. */
  readonly size: number | null
  /** Time of the last change (RFC 3339). */
  readonly modifiedAt: string | null
  readonly thumbnailUrl: string | null
  readonly path: string | null
}

interface DriveListing {
  readonly items: readonly DriveItem[]
  /** Cursor of the next page in the drive's own format; null on the last page. */
  readonly nextCursor: string | null
}

interface ListQuery {
  /** Id of the folder, or `root`. */
  readonly folderId: string
  /** Words to search for in names. */
  readonly q?: string | undefined
  readonly cursor?: string | undefined
  readonly limit: number
}

/** URL and headers for downloading a file, which work while the access token is valid. */
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
   * Sends a request and returns the JSON of the response.
   * @throws RemoteError `forbidden`, `not-found`, `status` or `unreachable`.
   */
  (path: string, options?: { readonly query?: QueryParameters; readonly post?: unknown }): Promise<unknown>
  /** Headers for downloading a file. */
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
  /** The `upload` URL of the endpoints. */
  readonly uploadUrl: string
  /** The folder, as `findFolder` returned it. */
  readonly folder: string
  readonly signal: AbortSignal
  readonly onSent: (bytes: number) => void
}

export interface Drive {
  readonly id: DriveId
  /** Name of the drive as shown to users. */
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
  /** Returns the link of a file. @throws RemoteError `not-found` for a missing file or a folder. */
  link(request: DriveRequest, fileId: string): Promise<FileLink>
  /**
   * Returns the name by which uploads refer to a folder.
   * @throws RemoteError `not-found` for a missing folder or a file.
   */
  findFolder(request: DriveRequest, folderId: string): Promise<string>
  /** Stores a new file; never replaces an existing one. @returns the location of the file. @throws RemoteError */
  upload(upload: DriveUpload, file: OutgoingFile): Promise<string>
}
