import type { FormatId } from '../../formats/index.ts'

/**
 * How ImageMagick reads a format. `layers/imagemagick/policy.xml` permits only the coders of these sources and of the
 * targets.
 */
interface MagickSource {
  /** Name in `convert -list format`. */
  readonly coder: string
  /** Uses only this image of the file; all of them if omitted. */
  readonly only?: 'first' | 'largest'
  /** `identify -ping` misses profiles and metadata, so the pixels are decoded as well (ImageMagick 6.9.11). */
  readonly hidesProfilesFromPing?: true
  /** Transparent areas of the merged image may be blended with white, which only Photoshop does. */
  readonly mayBeBlendedWithWhite?: true
  /** Arguments directly after the input file. */
  readonly args?: readonly string[]
}

const createSingleImageSource = (coder: string, ...args: string[]): MagickSource => ({
  coder,
  only: 'first',
  args,
})

export const magickSources = {
  jpg: createSingleImageSource('jpeg'),
  png: createSingleImageSource('png'),
  webp: { coder: 'webp' },
  // Merges frames, because a frame may cover only a part of the canvas.
  gif: { coder: 'gif', args: ['-coalesce'] },
  bmp: { ...createSingleImageSource('bmp'), hidesProfilesFromPing: true },
  bmp2: createSingleImageSource('bmp'),
  bmp3: createSingleImageSource('bmp'),
  tiff: { coder: 'tiff' },
  // The first image merges all layers; Photoshop stores it for other programs.
  psd: { ...createSingleImageSource('psd'), hidesProfilesFromPing: true, mayBeBlendedWithWhite: true },
  psb: { ...createSingleImageSource('psb'), hidesProfilesFromPing: true, mayBeBlendedWithWhite: true },
  // ImageMagick merges the layers.
  xcf: { coder: 'xcf', only: 'largest' },
  tga: createSingleImageSource('tga'),
  ico: { coder: 'ico', only: 'largest' },
  cur: { coder: 'cur', only: 'largest' },
  hdr: createSingleImageSource('hdr'),
  exr: createSingleImageSource('exr'),
  dds: createSingleImageSource('dds'),
  pcx: createSingleImageSource('pcx'),
  dcx: { coder: 'dcx' },
  // The pnm coder reads all of these formats by their magic bytes, regardless of the file name.
  ppm: createSingleImageSource('pnm'),
  pgm: createSingleImageSource('pnm'),
  pbm: createSingleImageSource('pnm'),
  pnm: createSingleImageSource('pnm'),
  pam: createSingleImageSource('pnm'),
  pfm: createSingleImageSource('pfm'),
  xpm: createSingleImageSource('xpm'),
  xbm: createSingleImageSource('xbm'),
  xwd: createSingleImageSource('xwd'),
  sgi: createSingleImageSource('sgi'),
  ras: createSingleImageSource('ras'),
  jp2: createSingleImageSource('jp2'),
  j2k: createSingleImageSource('j2k'),
  pgx: createSingleImageSource('pgx'),
  jng: createSingleImageSource('jng'),
  mng: { coder: 'mng' },
  ptif: createSingleImageSource('tiff'),
  pict: { ...createSingleImageSource('pict'), hidesProfilesFromPing: true },
  sixel: createSingleImageSource('sixel'),
  viff: createSingleImageSource('viff'),
  wbmp: createSingleImageSource('wbmp'),
  otb: createSingleImageSource('otb'),
  palm: createSingleImageSource('palm'),
  jbig: createSingleImageSource('jbig'),
  avs: createSingleImageSource('avs'),
  aai: createSingleImageSource('aai'),
  art: createSingleImageSource('art'),
  cal: createSingleImageSource('cal'),
  vicar: createSingleImageSource('vicar'),
  hrz: createSingleImageSource('hrz'),
  mtv: createSingleImageSource('mtv'),
  rgf: createSingleImageSource('rgf'),
  pcd: { coder: 'pcd', only: 'largest' },
  // Measurements have no defined black and white, so their range is stretched.
  fits: createSingleImageSource('fits', '-auto-level'),
  cin: createSingleImageSource('cin'),
  // Without this argument, samples are read as linear, which makes film scans too bright.
  dpx: createSingleImageSource('dpx', '-set', 'colorspace', 'sRGB'),
  miff: createSingleImageSource('miff'),
} as const satisfies Partial<Record<FormatId, MagickSource>>

export type MagickSourceId = keyof typeof magickSources
export const getMagickSource = (id: MagickSourceId): MagickSource => magickSources[id]

/** Sources for which ImageMagick reports the bits per channel of the file; for some others, it always reports 16. */
const deepSources: readonly string[] =
  'png tiff ptif psd psb exr hdr cin dpx ppm pgm pnm pam sgi jp2 j2k pgx miff'.split(' ')
export const mayHaveDeepColor = (from: FormatId) => deepSources.includes(from)
