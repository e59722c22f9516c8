/** Display names of engines; an engine without one is our own. */
const names: Readonly<Record<string, string>> = {
  '7zip': '7-Zip',
  calibre: 'Calibre',
  chromium: 'Chromium',
  ffmpeg: 'FFmpeg',
  fontforge: 'FontForge',
  ghostscript: 'Ghostscript',
  imagemagick: 'ImageMagick',
  libreoffice: 'LibreOffice',
  pandoc: 'Pandoc',
  potrace: 'Potrace',
  vips: 'libvips',
  vtracer: 'VTracer',
}

/** The display name of an engine, else its id. */
export const getEngineName = (id: string): string => names[id] ?? id

/** Formats as `LibreOffice, Ghostscript`; empty if there are only engines of our own. */
export const listEngines = (ids: readonly string[]): string =>
  ids
    .map((id) => names[id])
    .filter((name) => name !== undefined)
    .join(', ')
