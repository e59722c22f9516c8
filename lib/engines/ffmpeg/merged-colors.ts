import { type Colors, isHdr } from './dynamic-range.ts'

/** How a picture of light and color differences is meant: by ffmpeg's names, and what is told of one. */
interface Meaning {
  /** Of the filter `scale`. */
  readonly matrix: 'bt601' | 'bt709' | 'bt2020'
  /** Space, primaries and transfer, of the filter `setparams`. */
  readonly told: readonly [string, string, string]
}

const hd: Meaning = { matrix: 'bt709', told: ['bt709', 'bt709', 'bt709'] }
const meanings: Readonly<Record<string, Meaning>> = {
  bt709: hd,
  smpte170m: { matrix: 'bt601', told: ['smpte170m', 'smpte170m', 'smpte170m'] },
  bt470bg: { matrix: 'bt601', told: ['bt470bg', 'bt470bg', 'smpte170m'] },
  bt2020nc: { matrix: 'bt2020', told: ['bt2020nc', 'bt2020', 'bt2020-10'] },
}

/** Of a film that tells nothing players think as of others of its height. */
function meaningOf(colors: Colors): Meaning | undefined {
  // As it leaves `usualRange`.
  if (isHdr(colors)) return hd
  if (colors.color_space !== 'unknown') return meanings[colors.color_space]
  return { matrix: (colors.height ?? 0) >= 720 ? 'bt709' : 'bt601', told: ['unknown', 'unknown', 'unknown'] }
}

/** Primaries that are far from those of television, in the words of the filter `zscale`. */
const wide: Readonly<Record<string, string>> = {
  bt2020: '2020',
  smpte431: 'smpte431',
  // Display P3, as phones have it.
  smpte432: 'smpte432',
}
const usual = '709'

function primariesOf(colors: Colors): string {
  // As it leaves `usualRange`.
  if (isHdr(colors)) return usual
  if (colors.color_primaries === 'unknown' && colors.color_space.startsWith('bt2020')) return '2020'
  return wide[colors.color_primaries] ?? usual
}

const transfers: Readonly<Record<string, string>> = {
  smpte170m: '601',
  'bt2020-10': '2020_10',
  'bt2020-12': '2020_12',
  'iec61966-2-1': 'iec61966-2-1',
}
const transferOf = (colors: Colors) => (isHdr(colors) ? usual : (transfers[colors.color_transfer] ?? usual))

const matrices = { bt601: '170m', bt709: '709', bt2020: '2020_ncl' } as const

/** The same for films whose pictures may follow each other as they are. */
export const colorsMeant = (colors: Colors): string =>
  isHdr(colors)
    ? colors.color_transfer
    : `${meaningOf(colors)?.matrix ?? colors.color_space} ${primariesOf(colors)}`

const isYuv = ({ pix_fmt }: Colors) => /^(?:yuv|nv|p0)/.test(pix_fmt)

/**
 * Filters that give the pictures of a part the numbers that mean its colors in the film of the first: a film tells
 * once how its colors are meant, and those of old television and of HD are not the same. None where they agree.
 */
export function colorsOfFirst(first: Colors, part: Colors): string[] {
  const [wanted, had] = [meaningOf(first), meaningOf(part)]
  if (!wanted || !had || !isYuv(first) || !isYuv(part)) return []
  if (primariesOf(first) !== primariesOf(part)) return otherPrimaries([first, wanted], [part, had])
  if (wanted.matrix === had.matrix) return []
  const [space, primaries, transfer] = wanted.told
  return [
    `scale=in_color_matrix=${had.matrix}:out_color_matrix=${wanted.matrix}`,
    'format=yuv420p',
    `setparams=colorspace=${space}:color_primaries=${primaries}:color_trc=${transfer}`,
  ]
}

function otherPrimaries([first, wanted]: [Colors, Meaning], [part, had]: [Colors, Meaning]): string[] {
  const from = `min=${matrices[had.matrix]}:pin=${primariesOf(part)}:tin=${transferOf(part)}`
  const into = `m=${matrices[wanted.matrix]}:p=${primariesOf(first)}:t=${transferOf(first)}`
  // Of odd sides as of any, and deep enough for what is to be spread.
  return ['format=yuv444p12le', `zscale=${from}:${into}`, 'format=yuv444p']
}
