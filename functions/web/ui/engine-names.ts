/** Display names of engines; engines without a name here are part of this service. */
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

/** Returns the display name of an engine; if it has none, its id in capitals, such as `PDF`. */
export const getEngineName = (id: string): string => names[id] ?? id.toUpperCase()

/**
 * Returns the display names of engines, such as `LibreOffice, Ghostscript`; empty if all engines are part of this
 * service.
 */
export const listEngines = (ids: readonly string[]): string =>
  ids
    .map((id) => names[id])
    .filter((name) => name !== undefined)
    .join(', ')
