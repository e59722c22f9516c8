import type { Container } from './containers.ts'
import type { MediaStream } from './probe.ts'

/**
 * H.264 profiles that only editing programs play, because browsers, phones and televisions only decode 8 bits and
 * 4:2:0.
 */

/** High 10, High 4:2:2, High 4:4:4 Predictive and CAVLC 4:4:4 (H.264, annex A). */
const professionalH264Profiles = [110, 122, 244, 44]

/** @param profile `profile_idc`, the second byte of the decoder's configuration. */
export const isProfessionalProfile = (profile: number | undefined): boolean =>
  profile !== undefined && professionalH264Profiles.includes(profile)

/** Formats for players; Matroska and transport streams may contain professional H.264. */
const playerMuxers = ['mp4', 'mov', 'ipod', '3gp', '3g2', 'flv', 'f4v']
const playablePixelFormats = ['yuv420p', 'yuvj420p', 'nv12', 'gray', '']

export const lacksPlayerSupport = ({ codec_name, pix_fmt }: MediaStream, { muxer }: Container): boolean =>
  codec_name === 'h264' && playerMuxers.includes(muxer) && !playablePixelFormats.includes(pix_fmt)
