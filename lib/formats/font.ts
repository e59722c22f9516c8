import type { FormatRow } from './format.ts'

export const font = [
  {
    id: 'ttf',
    name: 'TrueType font',
    extensions: ['ttf'],
    mimeTypes: ['font/ttf', 'font/sfnt', 'application/x-font-ttf'],
  },
  {
    id: 'otf',
    name: 'OpenType font',
    extensions: ['otf'],
    mimeTypes: ['font/otf', 'application/x-font-otf', 'application/vnd.ms-opentype'],
  },
  {
    id: 'woff',
    name: 'Web Open Font Format',
    extensions: ['woff'],
    mimeTypes: ['font/woff', 'application/font-woff'],
  },
  { id: 'woff2', name: 'Web Open Font Format 2', extensions: ['woff2'], mimeTypes: ['font/woff2'] },
  { id: 'eot', name: 'Embedded OpenType', extensions: ['eot'], mimeTypes: ['application/vnd.ms-fontobject'] },
  {
    id: 'ttc',
    name: 'OpenType collection',
    extensions: ['ttc', 'otc'],
    mimeTypes: ['font/collection'],
    multiPage: true,
  },
  { id: 'dfont', name: 'Mac OS data fork font', extensions: ['dfont'], mimeTypes: ['application/x-dfont'] },
  {
    id: 'pfb',
    name: 'PostScript Type 1 font, binary',
    extensions: ['pfb'],
    mimeTypes: ['application/x-font-type1'],
    aliases: ['type1'],
  },
  {
    id: 'pfa',
    name: 'PostScript Type 1 font, text',
    extensions: ['pfa'],
    mimeTypes: ['application/x-font-type1'],
  },
  {
    id: 't42',
    name: 'PostScript Type 42 font',
    extensions: ['t42'],
    mimeTypes: ['application/x-font-type42'],
  },
  {
    id: 'cff',
    name: 'Compact Font Format, bare',
    extensions: ['cff'],
    mimeTypes: ['application/x-font-cff'],
  },
  {
    id: 'svg-font',
    name: 'SVG font',
    // SVG fonts share their extension with an image format; the content determines the format.
    extensions: ['svg'],
    mimeTypes: ['image/svg+xml'],
    aliases: ['svgfont'],
  },
  {
    id: 'ufo',
    name: 'Unified Font Object, zipped',
    extensions: ['ufo', 'ufoz'],
    mimeTypes: ['application/zip'],
  },
  {
    id: 'sfd',
    name: 'FontForge font',
    extensions: ['sfd'],
    mimeTypes: ['application/vnd.font-fontforge-sfd'],
  },
  {
    id: 'bdf',
    name: 'Glyph Bitmap Distribution Format',
    extensions: ['bdf'],
    mimeTypes: ['application/x-font-bdf'],
    lossy: true,
  },
] as const satisfies readonly FormatRow[]
