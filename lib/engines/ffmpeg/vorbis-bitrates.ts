/** Bits per second and channel that libvorbis supports from a sample rate on, as tried with FFmpeg 5.1. */
interface BitrateRange {
  readonly fromRateHz: number
  readonly min: number
  /** Stereo needs less, because it is stored as one channel and the difference. */
  readonly minStereo: number
  /** For six channels; `min` if omitted. */
  readonly minSurround?: number
  readonly max: number
}

const ranges: readonly BitrateRange[] = [
  { fromRateHz: 40_000, min: 32_000, minStereo: 22_500, minSurround: 14_000, max: 238_000 },
  { fromRateHz: 26_000, min: 30_000, minStereo: 18_000, max: 189_000 },
  { fromRateHz: 19_000, min: 16_000, minStereo: 16_000, max: 86_000 },
  { fromRateHz: 15_000, min: 16_000, minStereo: 12_000, max: 86_000 },
  { fromRateHz: 9_000, min: 12_000, minStereo: 8_000, max: 44_000 },
  { fromRateHz: 0, min: 8_000, minStereo: 6_000, max: 32_000 },
]

/** Returns the lowest and highest bit rate of a track that libvorbis supports. It refuses all others. */
export function getVorbisBitrates(
  sampleRateHz: number,
  channels: number,
): readonly [min: number, max: number] {
  const range = ranges.find(({ fromRateHz }) => sampleRateHz >= fromRateHz)
  if (!range) throw new RangeError(`The sample rate ${sampleRateHz} is negative.`)
  const { min, minStereo, minSurround = min, max } = range
  return [channels * (channels === 2 ? minStereo : channels === 6 ? minSurround : min), channels * max]
}
