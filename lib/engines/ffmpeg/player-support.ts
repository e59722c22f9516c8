import type { Container } from './containers.ts'
import type { MediaStream } from './probe.ts'

/**
 * H.264 and HEVC profiles that only editing programs play, because browsers, phones and televisions only decode 4:2:0,
 * with 8 bits, or up to 10 bits in HEVC.
 */

/** High 10, High 4:2:2, High 4:4:4 Predictive and CAVLC 4:4:4 (H.264, annex A). */
const professionalH264Profiles = [110, 122, 244, 44]
/** Main, Main 10 and Main for still images (HEVC, annex A); 0 says nothing. */
const maxPlayableHevcProfile = 3

/** @param profile second byte of the decoder's configuration: `profile_idc`, in HEVC with flags before it. */
export function isProfessionalProfile(codec: string | undefined, profile: number | undefined): boolean {
  if (profile === undefined) return false
  if (codec === 'hevc') return (profile & 0x1f) > maxPlayableHevcProfile
  return codec === 'h264' && professionalH264Profiles.includes(profile)
}

/** Formats for players; Matroska and transport streams may contain professional profiles. */
const playerMuxers = ['mp4', 'mov', 'ipod', '3gp', '3g2', 'flv', 'f4v']
const playableH264Formats = ['yuv420p', 'yuvj420p', 'nv12', 'gray', '']
const playableFormatsByCodec: Readonly<Record<string, readonly string[]>> = {
  h264: playableH264Formats,
  hevc: [...playableH264Formats, 'yuv420p10le', 'gray10le', 'p010le'],
}

export const lacksPlayerSupport = ({ codec_name, pix_fmt }: MediaStream, { muxer }: Container): boolean =>
  playerMuxers.includes(muxer) && playableFormatsByCodec[codec_name]?.includes(pix_fmt) === false
