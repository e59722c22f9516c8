import type { FormatRow } from './format.ts'

export const archive = [
  {
    id: 'zip',
    name: 'ZIP archive',
    extensions: ['zip'],
    mimeTypes: ['application/zip', 'application/x-zip-compressed'],
  },
] as const satisfies readonly FormatRow[]
