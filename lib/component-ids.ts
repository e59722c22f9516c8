/** Public names of the engines. Clients can select any of them but `pdf` with the `engine` field of a request. */
export const engineIds = [
  'ffmpeg',
  'vips',
  'imagemagick',
  'libreoffice',
  'pandoc',
  'calibre',
  'ghostscript',
  'vtracer',
  'potrace',
  'chromium',
  'fontforge',
  '7zip',
  'pdf',
] as const

export type EngineId = (typeof engineIds)[number]

/** Whether clients can select the engine. */
export const isPinnable = (id: EngineId): boolean => id !== 'pdf'

/** Container images. Engines that often run one after another share an image, its queue and its function. */
export type ImageId = 'av' | 'image' | 'office' | 'pdf' | 'document' | 'archive' | 'font' | 'browser'

/** Levels of confinement, from the weakest to the strongest. `toConfinementLevel` defines their requirements. */
export const confinementLevels = ['none', 'limits', 'filtered', 'namespaces'] as const

export type ConfinementLevel = (typeof confinementLevels)[number]

/** Cloud drives that users let the service read (OAuth 2.0 with PKCE). Each provider is implemented in one file. */

export const driveIds = ['google-drive', 'dropbox', 'onedrive'] as const

export type DriveId = (typeof driveIds)[number]

export const imageIds = [
  'av',
  'image',
  'office',
  'pdf',
  'document',
  'archive',
  'font',
  'browser',
] as const satisfies readonly ImageId[]
