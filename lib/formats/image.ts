import type { FormatRow } from './format.ts'

export const image = [
  {
    id: 'jpg',
    name: 'JPEG image',
    extensions: ['jpg', 'jpeg', 'jpe', 'jfif', 'pjpeg'],
    mimeTypes: ['image/jpeg', 'image/jpg'],
    lossy: true,
  },
  { id: 'png', name: 'Portable Network Graphics', extensions: ['png'], mimeTypes: ['image/png'], via: true },
  {
    id: 'webp',
    name: 'WebP image',
    extensions: ['webp'],
    mimeTypes: ['image/webp'],
    lossy: true,
    animated: true,
  },
  { id: 'avif', name: 'AV1 image', extensions: ['avif'], mimeTypes: ['image/avif'], lossy: true },
  {
    id: 'gif',
    name: 'Graphics Interchange Format',
    extensions: ['gif'],
    mimeTypes: ['image/gif'],
    animated: true,
  },
  {
    id: 'tiff',
    name: 'Tagged Image File Format',
    extensions: ['tiff', 'tif'],
    mimeTypes: ['image/tiff'],
    multiPage: true,
    via: true,
  },
  {
    id: 'svg',
    name: 'Scalable Vector Graphics',
    extensions: ['svg'],
    mimeTypes: ['image/svg+xml'],
    vector: true,
  },
  {
    id: 'svgz',
    name: 'Compressed Scalable Vector Graphics',
    extensions: ['svgz'],
    mimeTypes: ['image/svg+xml'],
    vector: true,
  },
  {
    id: 'heic',
    name: 'High Efficiency image (HEVC)',
    extensions: ['heic', 'heif', 'hif'],
    mimeTypes: ['image/heic', 'image/heif'],
    lossy: true,
  },
  {
    id: 'bmp',
    name: 'Windows bitmap',
    extensions: ['bmp', 'dib'],
    mimeTypes: ['image/bmp', 'image/x-ms-bmp'],
  },
] as const satisfies readonly FormatRow[]
