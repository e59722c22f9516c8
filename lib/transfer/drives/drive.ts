/** A drive of a person, who lets the service read it (OAuth 2.0 with PKCE). Each is one file, in its documented dialect. */

export const driveIds = ['google-drive', 'dropbox', 'onedrive'] as const
export type DriveId = (typeof driveIds)[number]

/** Addresses of a drive; settings may put others in their place. */
export interface Endpoints {
  readonly authorize: string
  readonly token: string
  /** Without a slash at the end. */
  readonly api: string
}

export interface DriveItem {
  readonly id: string
  readonly name: string
  readonly isFolder: boolean
  readonly mimeType: string | null
  /** Bytes; null where the drive does not say. */
  readonly size: number | null
  /** RFC 3339. */
  readonly modifiedAt: string | null
  readonly thumbnailUrl: string | null
  readonly path: string | null
}

export interface DriveListing {
  readonly items: readonly DriveItem[]
  /** Where the next page begins, in the drive's own words. */
  readonly nextCursor: string | null
}

export interface ListQuery {
  /** `root`, or the id of an item. */
  readonly folderId: string
  /** Words of names to look for. */
  readonly q?: string | undefined
  readonly cursor?: string | undefined
  readonly limit: number
}

/** Where a file is to be had for the time that the access token holds. */
export interface FileLink {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly filename: string
}

/** Whose drive it is. */
export interface DriveAccount {
  readonly name: string | null
  readonly email: string | null
}

/** Asks the drive as its owner. */
export interface DriveRequest {
  /**
   * The JSON that it answers.
   * @throws RemoteError `forbidden`, `not-found`, `status` or `unreachable`.
   */
  (path: string, options?: { readonly query?: QueryParameters; readonly post?: unknown }): Promise<unknown>
  /** What a plain download has to send along. */
  readonly headers: Readonly<Record<string, string>>
  readonly api: string
}
export type QueryParameters = Readonly<Record<string, string | number | undefined>>

export interface Drive {
  readonly id: DriveId
  /** For people. */
  readonly title: string
  readonly endpoints: Endpoints
  readonly scope: string
  /** What makes the drive give out a token that outlives the hour. */
  readonly authorizationParameters: Readonly<Record<string, string>>
  /** Whether an answer says that there is no such file, where its status does not. */
  readonly isNotFound?: (status: number, body: string) => boolean
  account(request: DriveRequest): Promise<DriveAccount>
  list(request: DriveRequest, query: ListQuery): Promise<DriveListing>
  /** @throws RemoteError `not-found` for what is gone or no file. */
  link(request: DriveRequest, fileId: string): Promise<FileLink>
}
