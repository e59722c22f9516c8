import type { FormatId } from '../../formats/index.ts'

/**
 * How a format is read. `layers/imagemagick/policy.xml` permits only the coders of these sources and of the
 * targets.
 */
interface MagickSource {
  /** Name in `convert -list format`. */
  readonly coder: string
  /** Use only this image of the file; all of them when left out. */
  readonly only?: 'first' | 'largest'
  /** Where transparent, the merged image may be blended with white, which only Photoshop does. */
  readonly mayBeBlendedWithWhite?: true
  /** Arguments directly after the input file. */
  readonly args?: readonly string[]
}

const singleImage = (coder: string, ...args: string[]): MagickSource => ({ coder, only: 'first', args })

export const magickSources = {
  jpg: singleImage('jpeg'),
  png: singleImage('png'),
  webp: { coder: 'webp' },
  // A frame may cover only a part of the canvas.
  gif: { coder: 'gif', args: ['-coalesce'] },
  bmp: singleImage('bmp'),
  bmp2: singleImage('bmp'),
  bmp3: singleImage('bmp'),
  tiff: { coder: 'tiff' },
  // The first is the merged image of all layers, which Photoshop stores for other programs.
  psd: { ...singleImage('psd'), mayBeBlendedWithWhite: true },
  psb: { ...singleImage('psb'), mayBeBlendedWithWhite: true },
  // The layers are merged.
  xcf: { coder: 'xcf', only: 'largest' },
  tga: singleImage('tga'),
  ico: { coder: 'ico', only: 'largest' },
  cur: { coder: 'cur', only: 'largest' },
  hdr: singleImage('hdr'),
  exr: singleImage('exr'),
  dds: singleImage('dds'),
  pcx: singleImage('pcx'),
  dcx: { coder: 'dcx' },
  // The pnm coder reads all of these formats by their magic bytes, regardless of the file name.
  ppm: singleImage('pnm'),
  pgm: singleImage('pnm'),
  pbm: singleImage('pnm'),
  pnm: singleImage('pnm'),
  pam: singleImage('pnm'),
  pfm: singleImage('pfm'),
  xpm: singleImage('xpm'),
  xbm: singleImage('xbm'),
  xwd: singleImage('xwd'),
  sgi: singleImage('sgi'),
  ras: singleImage('ras'),
  jp2: singleImage('jp2'),
  j2k: singleImage('j2k'),
  pgx: singleImage('pgx'),
  jng: singleImage('jng'),
  mng: { coder: 'mng' },
  ptif: singleImage('tiff'),
  pict: singleImage('pict'),
  sixel: singleImage('sixel'),
  viff: singleImage('viff'),
  wbmp: singleImage('wbmp'),
  otb: singleImage('otb'),
  palm: singleImage('palm'),
  jbig: singleImage('jbig'),
  avs: singleImage('avs'),
  aai: singleImage('aai'),
  art: singleImage('art'),
  cal: singleImage('cal'),
  vicar: singleImage('vicar'),
  hrz: singleImage('hrz'),
  mtv: singleImage('mtv'),
  rgf: singleImage('rgf'),
  pcd: { coder: 'pcd', only: 'largest' },
  // Measurements have no defined black and white.
  fits: singleImage('fits', '-auto-level'),
  cin: singleImage('cin'),
  // Without this argument, samples are read as linear, which makes film scans too bright.
  dpx: singleImage('dpx', '-set', 'colorspace', 'sRGB'),
  miff: singleImage('miff'),
} as const satisfies Partial<Record<FormatId, MagickSource>>

export type MagickSourceId = keyof typeof magickSources
export const magickSource = (id: MagickSourceId): MagickSource => magickSources[id]
