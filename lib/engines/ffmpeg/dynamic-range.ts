import * as z from 'zod'
import type { Tools } from '../engine.ts'
import { describeHdrConversion, knee, peakNits, whiteNits } from '../shared/image/hdr.ts'

/** Color properties of a video as reported by ffprobe. */
export const Colors = z.object({
  pix_fmt: z.string(),
  color_space: z.string(),
  color_transfer: z.string(),
  color_primaries: z.string().default('unknown'),
  /** If a file does not specify the color space, players guess it from the height. */
  height: z.number().optional(),
})
export type Colors = z.infer<typeof Colors>

/** HDR transfer functions (BT.2100) by their names in ffmpeg. */
const hdrTransferNames: Readonly<Record<string, string>> = { smpte2084: 'PQ', 'arib-std-b67': 'HLG' }

/** Whether a video is HDR, as many videos from phones are. */
export const isHdr = ({ pix_fmt, color_transfer }: Colors) =>
  color_transfer in hdrTransferNames && /^(yuv|p0|p2|p4)/.test(pix_fmt)

/** Returns the filters that convert an HDR video to SDR (BT.709); none for SDR videos. */
export function createSdrFilters(video: Colors): string[] {
  if (!isHdr(video)) return []
  const { color_transfer, color_space } = video
  const matrix = color_space === 'bt2020c' ? '2020_cl' : color_space === 'bt709' ? '709' : '2020_ncl'
  return [
    // A pixel format that supports odd dimensions and has enough bits for the tone mapping.
    'format=yuv444p12le',
    `zscale=tin=${color_transfer}:pin=2020:min=${matrix}:t=linear:npl=${whiteNits}`,
    'format=gbrpf32le',
    'zscale=p=709',
    `tonemap=mobius:param=${knee}:desat=0:peak=${(peakNits / whiteNits).toFixed(2)}`,
    'zscale=t=709:m=709:r=limited',
    'format=yuv444p',
  ]
}

/** Returns the warnings for a video that was converted to SDR. @param hdrCodec a codec that would preserve HDR */
export function createHdrWarnings(
  video: Colors,
  hdrCodec?: string,
): { readonly code: string; readonly message: string }[] {
  if (!isHdr(video)) return []
  const hint = hdrCodec === undefined ? '' : ` codec=${hdrCodec} keeps them.`
  const message = `${describeHdrConversion('video', hdrTransferNames[video.color_transfer] ?? '')}${hint}`
  return [{ code: 'COLORS_CONVERTED', message }]
}

export function warnHdrConverted(video: Colors, tools: Tools): void {
  for (const { code, message } of createHdrWarnings(video)) tools.warn(code, message)
}
