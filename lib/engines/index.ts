import { calibre } from './calibre.ts'
import { chromium } from './chromium.ts'
import type { Engine } from './engine.ts'
import { ffmpeg } from './ffmpeg.ts'
import { fontforge } from './fontforge.ts'
import { ghostscript } from './ghostscript.ts'
import { imagemagick } from './imagemagick.ts'
import { libreoffice } from './libreoffice.ts'
import { pandoc } from './pandoc.ts'
import { pdf } from './pdf.ts'
import { potrace } from './potrace.ts'
import { sevenZip } from './seven-zip.ts'
import { vips } from './vips.ts'
import { vtracer } from './vtracer.ts'

/** All engines. To add one, create its file, list it here, and add its packages to `layers/packages.json`. */
export const engines: readonly Engine[] = [
  vips,
  ffmpeg,
  libreoffice,
  imagemagick,
  pdf,
  ghostscript,
  chromium,
  vtracer,
  potrace,
  sevenZip,
  fontforge,
  pandoc,
  calibre,
]
