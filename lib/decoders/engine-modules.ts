import type { EngineId } from '../component-ids.ts'
import type { Engine } from '../engines/engine.ts'

/** Functions that load the code of each engine. The code runs in decoder processes. */
export const engineModules: Readonly<Record<EngineId, () => Promise<Engine>>> = {
  vips: async () => (await import('../engines/vips.ts')).vips,
  imagemagick: async () => (await import('../engines/imagemagick.ts')).imagemagick,
  pdf: async () => (await import('../engines/pdf.ts')).pdf,
  ghostscript: async () => (await import('../engines/ghostscript.ts')).ghostscript,
  vtracer: async () => (await import('../engines/vtracer.ts')).vtracer,
  potrace: async () => (await import('../engines/potrace.ts')).potrace,
  '7zip': async () => (await import('../engines/seven-zip.ts')).sevenZip,
  fontforge: async () => (await import('../engines/fontforge.ts')).fontforge,
  pandoc: async () => (await import('../engines/pandoc.ts')).pandoc,
  libreoffice: async () => (await import('../engines/libreoffice.ts')).libreoffice,
  chromium: async () => (await import('../engines/chromium.ts')).chromium,
  calibre: async () => (await import('../engines/calibre.ts')).calibre,
  ffmpeg: async () => (await import('../engines/ffmpeg.ts')).ffmpeg,
}
