import { type Colors, isHdr } from './dynamic-range.ts'

/** How a picture of light and color differences is meant: by ffmpeg's names, and what is told of one. */
interface Meaning {
  /** Of the filter `scale`. */
  readonly matrix: string
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

/** The same for films whose pictures may follow each other as they are. */
export const colorsMeant = (colors: Colors): string =>
  isHdr(colors) ? colors.color_transfer : (meaningOf(colors)?.matrix ?? colors.color_space)

const isYuv = ({ pix_fmt }: Colors) => /^(?:yuv|nv|p0)/.test(pix_fmt)

/**
 * Filters that give the pictures of a part the numbers that mean its colors in the film of the first: a film tells
 * once how its colors are meant, and those of old television and of HD are not the same. None where they agree.
 */
export function colorsOfFirst(first: Colors, part: Colors): string[] {
  const [wanted, had] = [meaningOf(first), meaningOf(part)]
  if (!wanted || !had || wanted.matrix === had.matrix || !isYuv(first) || !isYuv(part)) return []
  const [space, primaries, transfer] = wanted.told
  return [
    `scale=in_color_matrix=${had.matrix}:out_color_matrix=${wanted.matrix}`,
    'format=yuv420p',
    `setparams=colorspace=${space}:color_primaries=${primaries}:color_trc=${transfer}`,
  ]
}
