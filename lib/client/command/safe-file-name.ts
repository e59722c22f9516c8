import { basename } from 'node:path'

/** Removes folders, leading dots and control characters from a file name that the service sent. */
export const toSafeFileName = (filename: string): string =>
  basename(filename)
    .replace(/\p{Cc}/gu, '_')
    .replace(/^\.+/, '_') || 'result'
