import type { FormatId } from '../../formats/index.ts'

/** How a file is read. `layers/imagemagick/policy.xml` permits these coders and those of the targets, and no other. */
interface Source {
  /** As `convert -list format` names it. */
  readonly coder: string
  /** One of the pictures inside is the picture; left out, all of them are. */
  readonly takes?: 'first' | 'largest'
  /** Its merged picture may be mixed with white where it is transparent, as Photoshop does it and no other. */
  readonly mixed?: true
  /** After reading, before all else. */
  readonly args?: readonly string[]
}

const one = (coder: string, ...args: string[]): Source => ({ coder, takes: 'first', args })

export const sources = {
  jpg: one('jpeg'),
  png: one('png'),
  webp: { coder: 'webp' },
  // A picture may be a part of its canvas.
  gif: { coder: 'gif', args: ['-coalesce'] },
  bmp: one('bmp'),
  bmp2: one('bmp'),
  bmp3: one('bmp'),
  tiff: { coder: 'tiff' },
  // The first is the picture with all layers merged, as Photoshop stores it for other programs.
  psd: { ...one('psd'), mixed: true },
  psb: { ...one('psb'), mixed: true },
  // The layers, as many as there are, come to lie over each other.
  xcf: { coder: 'xcf', takes: 'largest' },
  tga: one('tga'),
  ico: { coder: 'ico', takes: 'largest' },
  cur: { coder: 'cur', takes: 'largest' },
  hdr: one('hdr'),
  exr: one('exr'),
  dds: one('dds'),
  pcx: one('pcx'),
  dcx: { coder: 'dcx' },
  // This one reads all of them by their first letters, whatever the file's name says.
  ppm: one('pnm'),
  pgm: one('pnm'),
  pbm: one('pnm'),
  pnm: one('pnm'),
  pam: one('pnm'),
  pfm: one('pfm'),
  xpm: one('xpm'),
  xbm: one('xbm'),
  xwd: one('xwd'),
  sgi: one('sgi'),
  ras: one('ras'),
  jp2: one('jp2'),
  j2k: one('j2k'),
  pgx: one('pgx'),
  jng: one('jng'),
  mng: { coder: 'mng' },
  ptif: one('tiff'),
  pict: one('pict'),
  sixel: one('sixel'),
  viff: one('viff'),
  wbmp: one('wbmp'),
  otb: one('otb'),
  palm: one('palm'),
  jbig: one('jbig'),
  avs: one('avs'),
  aai: one('aai'),
  art: one('art'),
  cal: one('cal'),
  vicar: one('vicar'),
  hrz: one('hrz'),
  mtv: one('mtv'),
  rgf: one('rgf'),
  pcd: { coder: 'pcd', takes: 'largest' },
  // Values of a measurement have no black and white of their own.
  fits: one('fits', '-auto-level'),
  cin: one('cin'),
  // Taken as linear otherwise, which makes films too bright.
  dpx: one('dpx', '-set', 'colorspace', 'sRGB'),
  miff: one('miff'),
} as const satisfies Partial<Record<FormatId, Source>>

export type SourceId = keyof typeof sources
export const sourceOf = (id: SourceId): Source => sources[id]
