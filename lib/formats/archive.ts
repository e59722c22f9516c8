import type { FormatRow } from './format.ts'

export const archive = [
  {
    id: 'zip',
    name: 'ZIP archive',
    extensions: ['zip'],
    mimeTypes: ['application/zip', 'application/x-zip-compressed'],
  },
  {
    id: 'jar',
    name: 'Java archive',
    extensions: ['jar', 'war', 'ear'],
    mimeTypes: ['application/java-archive', 'application/x-java-archive'],
  },
  {
    id: '7z',
    name: '7-Zip archive',
    extensions: ['7z'],
    mimeTypes: ['application/x-7z-compressed'],
  },
  {
    id: 'rar',
    name: 'RAR archive',
    extensions: ['rar'],
    mimeTypes: ['application/vnd.rar', 'application/x-rar-compressed'],
  },
  {
    id: 'tar',
    name: 'Tape archive',
    extensions: ['tar'],
    mimeTypes: ['application/x-tar'],
  },
  {
    id: 'tgz',
    name: 'Tape archive compressed with gzip',
    extensions: ['tgz', 'taz'],
    mimeTypes: ['application/x-gtar-compressed', 'application/x-compressed-tar'],
  },
  {
    id: 'tbz2',
    name: 'Tape archive compressed with bzip2',
    extensions: ['tbz2', 'tbz'],
    mimeTypes: ['application/x-bzip2-compressed-tar', 'application/x-bzip-compressed-tar'],
  },
  {
    id: 'txz',
    name: 'Tape archive compressed with XZ',
    extensions: ['txz'],
    mimeTypes: ['application/x-xz-compressed-tar'],
  },
  {
    id: 'tzst',
    name: 'Tape archive compressed with Zstandard',
    extensions: ['tzst'],
    mimeTypes: ['application/x-zstd-compressed-tar'],
  },
  {
    id: 'gz',
    name: 'gzip',
    extensions: ['gz'],
    mimeTypes: ['application/gzip', 'application/x-gzip'],
  },
  {
    id: 'bz2',
    name: 'bzip2',
    extensions: ['bz2'],
    mimeTypes: ['application/x-bzip2', 'application/x-bzip'],
  },
  {
    id: 'xz',
    name: 'XZ',
    extensions: ['xz'],
    mimeTypes: ['application/x-xz'],
  },
  {
    id: 'zst',
    name: 'Zstandard',
    extensions: ['zst'],
    mimeTypes: ['application/zstd', 'application/x-zstd'],
  },
  {
    id: 'lz4',
    name: 'LZ4',
    extensions: ['lz4'],
    mimeTypes: ['application/x-lz4'],
  },
  {
    id: 'iso',
    name: 'ISO 9660 disc image',
    extensions: ['iso'],
    mimeTypes: ['application/vnd.efi.iso', 'application/x-iso9660-image'],
  },
  {
    id: 'cab',
    name: 'Microsoft cabinet',
    extensions: ['cab'],
    mimeTypes: ['application/vnd.ms-cab-compressed'],
  },
  {
    id: 'cpio',
    name: 'cpio archive',
    extensions: ['cpio'],
    mimeTypes: ['application/x-cpio'],
  },
] as const satisfies readonly FormatRow[]
