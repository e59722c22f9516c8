import { type Colors, isHdr } from './dynamic-range.ts'

/** Color space of YUV frames, by ffmpeg's names. */
interface ColorSpec {
  /** Matrix for the filter `scale`. */
  readonly matrix: 'bt601' | 'bt709' | 'bt2020'
  /** Color space, primaries and transfer for the filter `setparams`. */
  readonly params: readonly [string, string, string]
}

const bt709: ColorSpec = { matrix: 'bt709', params: ['bt709', 'bt709', 'bt709'] }
const colorSpecs: Readonly<Record<string, ColorSpec>> = {
  bt709,
  smpte170m: { matrix: 'bt601', params: ['smpte170m', 'smpte170m', 'smpte170m'] },
  bt470bg: { matrix: 'bt601', params: ['bt470bg', 'bt470bg', 'smpte170m'] },
  bt2020nc: { matrix: 'bt2020', params: ['bt2020nc', 'bt2020', 'bt2020-10'] },
}

/** Returns the color space. Without color information, players guess it from the height of the video. */
function findColorSpec(colors: Colors): ColorSpec | undefined {
  // `createSdrFilters` converts HDR to BT.709.
  if (isHdr(colors)) return bt709
  if (colors.color_space !== 'unknown') return colorSpecs[colors.color_space]
  return {
    matrix: (colors.height ?? 0) >= 720 ? 'bt709' : 'bt601',
    params: ['unknown', 'unknown', 'unknown'],
  }
}

/** Wide-gamut primaries, by their names in the filter `zscale`. */
const wideGamutPrimaries: Readonly<Record<string, string>> = {
  bt2020: '2020',
  smpte431: 'smpte431',
  // Display P3, used by phones.
  smpte432: 'smpte432',
}
const bt709Name = '709'

function getPrimaries(colors: Colors): string {
  // `createSdrFilters` converts HDR to BT.709.
  if (isHdr(colors)) return bt709Name
  if (colors.color_primaries === 'unknown' && colors.color_space.startsWith('bt2020')) return '2020'
  return wideGamutPrimaries[colors.color_primaries] ?? bt709Name
}

const transferByName: Readonly<Record<string, string>> = {
  smpte170m: '601',
  'bt2020-10': '2020_10',
  'bt2020-12': '2020_12',
  'iec61966-2-1': 'iec61966-2-1',
}
const getTransfer = (colors: Colors) =>
  isHdr(colors) ? bt709Name : (transferByName[colors.color_transfer] ?? bt709Name)

const matrices = { bt601: '170m', bt709: '709', bt2020: '2020_ncl' } as const

/** Returns a value that is equal for videos whose frames can be concatenated without color conversion. */
export const getColorSignature = (colors: Colors): string =>
  isHdr(colors)
    ? colors.color_transfer
    : `${findColorSpec(colors)?.matrix ?? colors.color_space} ${getPrimaries(colors)}`

const isYuv = ({ pix_fmt }: Colors) => /^(?:yuv|nv|p0)/.test(pix_fmt)

/**
 * Returns the filters that convert a video to the color space of the first one, since the merged video has only one. SD
 * and HD television use different color spaces. Returns no filters if the color spaces are equal.
 */
export function createColorMatchFilters(firstColors: Colors, otherColors: Colors): string[] {
  const [target, source] = [findColorSpec(firstColors), findColorSpec(otherColors)]
  if (!target || !source || !isYuv(firstColors) || !isYuv(otherColors)) return []
  if (getPrimaries(firstColors) !== getPrimaries(otherColors))
    return createPrimariesFilters([firstColors, target], [otherColors, source])
  if (target.matrix === source.matrix) return []
  const [space, primaries, transfer] = target.params
  return [
    `scale=in_color_matrix=${source.matrix}:out_color_matrix=${target.matrix}`,
    'format=yuv420p',
    `setparams=colorspace=${space}:color_primaries=${primaries}:color_trc=${transfer}`,
  ]
}

function createPrimariesFilters(
  [firstColors, target]: [Colors, ColorSpec],
  [colors, source]: [Colors, ColorSpec],
): string[] {
  const inputParams = `min=${matrices[source.matrix]}:pin=${getPrimaries(colors)}:tin=${getTransfer(colors)}`
  const outputParams = `m=${matrices[target.matrix]}:p=${getPrimaries(firstColors)}:t=${getTransfer(firstColors)}`
  // A pixel format that supports odd dimensions and has enough bits for the conversion.
  return ['format=yuv444p12le', `zscale=${inputParams}:${outputParams}`, 'format=yuv444p']
}
