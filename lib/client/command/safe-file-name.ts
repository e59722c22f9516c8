import { basename } from 'node:path'

/** What a service calls a result is a name and no more: no way to another folder, nothing hidden, nothing that steers a terminal. */
export const safeFileName = (filename: string): string =>
  basename(filename)
    .replace(/\p{Cc}/gu, '_')
    .replace(/^\.+/, '_') || 'result'
