import * as z from 'zod'
import type { Tools } from '../engine.ts'

/** What tells how the colors of a film are meant, in the words of ffprobe. */
export const Colors = z.object({ pix_fmt: z.string(), color_space: z.string(), color_transfer: z.string() })
export type Colors = z.infer<typeof Colors>

/** Transfers of high dynamic range (BT.2100), by their names in ffmpeg. */
const names: Readonly<Record<string, string>> = { smpte2084: 'PQ', 'arib-std-b67': 'HLG' }

/** Whether a film, as phones take them, has lights and colors that usual screens have not. */
export const isHdr = ({ pix_fmt, color_transfer }: Colors) =>
  color_transfer in names && /^(yuv|p0|p2|p4)/.test(pix_fmt)

/** In cd/m²: the white of paper (BT.2408), and the lights that films are made for as a rule. */
const [white, brightest] = [203, 1000]

/**
 * Filters that give a film the colors of usual screens (BT.709); none for one that has them. Lights up to seven tenths of
 * white stay as they are, and all above come closer together.
 */
export function usualRange(video: Colors): string[] {
  if (!isHdr(video)) return []
  const { color_transfer, color_space } = video
  const matrix = color_space === 'bt2020c' ? '2020_cl' : color_space === 'bt709' ? '709' : '2020_ncl'
  return [
    // Of odd sides as of any, and deep enough for what is to be spread.
    'format=yuv444p12le',
    `zscale=tin=${color_transfer}:pin=2020:min=${matrix}:t=linear:npl=${white}`,
    'format=gbrpf32le',
    'zscale=p=709',
    `tonemap=mobius:param=0.7:desat=0:peak=${(brightest / white).toFixed(2)}`,
    'zscale=t=709:m=709:r=limited',
    'format=yuv444p',
  ]
}

/** What is told of a film that went through these. @param keepers codecs that would not need them. */
export function rangeWarnings(
  video: Colors,
  keepers: readonly string[] = [],
): { readonly code: string; readonly message: string }[] {
  if (!isHdr(video)) return []
  const way = keepers.length > 0 ? ` codec=${keepers[0]} keeps them.` : ''
  const message = `The film is of high dynamic range (${names[video.color_transfer]}): its colors were converted to those of usual screens.${way}`
  return [{ code: 'COLORS_CONVERTED', message }]
}

export function warnOfRange(video: Colors, tools: Tools): void {
  for (const { code, message } of rangeWarnings(video)) tools.warn(code, message)
}
