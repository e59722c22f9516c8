/** Engines by the names of their projects; an engine without an entry is one of our own. */
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

/** `LibreOffice, Ghostscript`; empty if only engines of our own take part. */
export const listEngines = (ids: readonly string[]): string =>
  ids
    .map((id) => names[id])
    .filter((name) => name !== undefined)
    .join(', ')
