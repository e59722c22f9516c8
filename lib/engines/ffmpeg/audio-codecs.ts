import type { QualityScale } from '../options.ts'
import { defaultLayouts, type LayoutName } from './channel-layouts.ts'
import { getVorbisBitrates } from './vorbis-bitrates.ts'

/** Encoder settings of an audio codec. `ffmpeg -h encoder=NAME` lists what an encoder supports. */
export interface AudioCodec {
  readonly encoder: string
  /** Name of the codec in ffprobe. */
  readonly name: string
  readonly maxChannels: number
  /** Supported channel layouts; all layouts up to `maxChannels` if omitted. */
  readonly layouts?: readonly LayoutName[]
  /** Supported sample rates in Hz; any if omitted. */
  readonly sampleRates?: readonly number[]
  /** Sample rate in Hz for bit rates below 16 kbit/s, if the encoder refuses such bit rates at 16,000 Hz. */
  readonly lowBitrateSampleRate?: number
  /** kbit/s of a stereo track by quality; omitted for lossless codecs and those with a fixed bit rate. */
  readonly kbits?: QualityScale
  /** Returns the only bit rates (kbit/s) that are supported at a sample rate (Hz). */
  readonly allowedKbits?: (sampleRateHz: number) => readonly number[]
  /** Returns the lowest and highest bit rate of a track, in bits per second; any if omitted. */
  readonly bitrateRange?: (sampleRateHz: number, channels: number) => readonly [min: number, max: number]
  readonly args?: readonly string[]
  /** Options for more than two channels; the stream specifier is appended to their names. */
  readonly surroundOptions?: Readonly<Record<string, string>>
  /** Sample size in bits up to which the codec is lossless. */
  readonly losslessBits?: number
  /** Whether the encoder writes undecodable data if the low half of every sample is zero. */
  readonly failsOnPaddedSamples?: true
}

const mpegSampleRates = [16000, 22050, 24000, 32000, 44100, 48000] as const
/** Bit rates (kbit/s) of MPEG audio layer II, at full sample rates and at the low sample rates of ISO 13818-3. */
const layer2Kbits = {
  full: [32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384],
  low: [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
} as const
/** Bit rates (kbit/s) of MP3, at full and low sample rates and at those of MPEG 2.5. */
const layer3Kbits = {
  full: [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
  low: [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
  lowest: [8, 16, 24, 32, 40, 48, 56, 64],
} as const
const dolbyKbits = [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384, 448, 512, 576, 640]
/**
 * At lower bit rates, the encoders of AC-3 and E-AC-3 in FFmpeg 5.1 fail at frames whose exponents alone are larger, as
 * tried with audio that changes all the time.
 */
const getDolbyBitrates = (_sampleRateHz: number, channels: number) =>
  [22_000 + 9_000 * channels, Number.POSITIVE_INFINITY] as const
const dolbyLayouts = [
  ...(['mono', 'stereo', '2.1', '3.0', '3.0(back)', '3.1', '4.0', '4.1'] as const),
  ...(['quad', 'quad(side)', '5.0', '5.0(side)', '5.1', '5.1(side)'] as const),
] as const
const dolbySampleRates = [32000, 44100, 48000] as const
const studioSampleRates = [44100, 48000, 88200, 96000, 176400, 192000] as const
const telephoneLimits = { maxChannels: 1, sampleRates: [8000] } as const

export const audioCodecs = {
  aac: {
    encoder: 'aac',
    name: 'aac',
    maxChannels: 6,
    layouts: ['mono', 'stereo', '2.1', '3.0', '3.0(back)', '3.1', '4.0', '4.1', 'quad', '5.0', '5.1'],
    sampleRates: [8000, 11025, 12000, ...mpegSampleRates, 64000, 88200, 96000],
    // A frame of 1024 samples has at most 6144 bits per channel.
    bitrateRange: (sampleRateHz, channels) => [0, 6 * sampleRateHz * channels],
    kbits: { low: 96, medium: 128, high: 192, highest: 256 },
  },
  mp3: {
    encoder: 'libmp3lame',
    name: 'mp3',
    maxChannels: 2,
    sampleRates: [8000, 11025, 12000, ...mpegSampleRates],
    allowedKbits: (rate) =>
      rate < 16_000 ? layer3Kbits.lowest : rate < 32_000 ? layer3Kbits.low : layer3Kbits.full,
    kbits: { low: 96, medium: 128, high: 192, highest: 320 },
  },
  opus: {
    encoder: 'libopus',
    name: 'opus',
    maxChannels: 8,
    layouts: defaultLayouts,
    // By default, ffmpeg 5 writes 5.0 and 6.1 in an order that players do not expect (RFC 7845, 5.1.1.2).
    surroundOptions: { mapping_family: '1' },
    sampleRates: [8000, 12000, 16000, 24000, 48000],
    bitrateRange: (_, channels) => [500, 256_000 * channels],
    kbits: { low: 64, medium: 96, high: 128, highest: 192 },
  },
  vorbis: {
    encoder: 'libvorbis',
    name: 'vorbis',
    maxChannels: 8,
    layouts: defaultLayouts,
    // Above 50 kHz the encoder does not accept a bit rate.
    sampleRates: [8000, 11025, 12000, ...mpegSampleRates],
    lowBitrateSampleRate: 8_000,
    bitrateRange: getVorbisBitrates,
    kbits: { low: 96, medium: 128, high: 160, highest: 256 },
  },
  ac3: {
    encoder: 'ac3',
    name: 'ac3',
    maxChannels: 6,
    layouts: dolbyLayouts,
    sampleRates: dolbySampleRates,
    allowedKbits: () => dolbyKbits,
    bitrateRange: getDolbyBitrates,
    kbits: { low: 128, medium: 160, high: 192, highest: 320 },
  },
  eac3: {
    encoder: 'eac3',
    name: 'eac3',
    maxChannels: 6,
    layouts: dolbyLayouts,
    sampleRates: dolbySampleRates,
    bitrateRange: getDolbyBitrates,
    kbits: { low: 96, medium: 128, high: 192, highest: 320 },
  },
  dts: {
    encoder: 'dca',
    name: 'dts',
    maxChannels: 6,
    layouts: ['mono', 'stereo', 'quad(side)', '5.0(side)', '5.1(side)'],
    sampleRates: [48000],
    // The encoders of DTS, MLP and TrueHD are experimental in ffmpeg and require this flag.
    args: ['-strict', '-2', '-b:a', '768k'],
  },
  mp2: {
    encoder: 'mp2',
    name: 'mp2',
    maxChannels: 2,
    sampleRates: mpegSampleRates,
    allowedKbits: (rate) => (rate < 32_000 ? layer2Kbits.low : layer2Kbits.full),
    kbits: { low: 96, medium: 128, high: 192, highest: 320 },
  },
  wma: {
    encoder: 'wmav2',
    name: 'wmav2',
    maxChannels: 2,
    sampleRates: [22050, 32000, 44100, 48000],
    bitrateRange: () => [24_000, Number.POSITIVE_INFINITY],
    kbits: { low: 96, medium: 128, high: 160, highest: 192 },
  },
  amr: {
    encoder: 'libopencore_amrnb',
    name: 'amr_nb',
    maxChannels: 1,
    sampleRates: [8000],
    args: ['-b:a', '12.2k'],
  },
  awb: {
    encoder: 'libvo_amrwbenc',
    name: 'amr_wb',
    maxChannels: 1,
    sampleRates: [16000],
    args: ['-b:a', '23.85k'],
  },
  speex: { encoder: 'libspeex', name: 'speex', maxChannels: 2, sampleRates: [8000, 16000, 32000] },
  flac: { encoder: 'flac', name: 'flac', maxChannels: 8, losslessBits: 24 },
  alac: {
    encoder: 'alac',
    name: 'alac',
    maxChannels: 8,
    layouts: ['mono', 'stereo', '3.0', '4.0', '5.0', '5.1', '6.1(back)', '7.1(wide)'],
    losslessBits: 24,
  },
  wavpack: { encoder: 'wavpack', name: 'wavpack', maxChannels: 255, losslessBits: 32 },
  tta: { encoder: 'tta', name: 'tta', maxChannels: 16, losslessBits: 24 },
  pcm: { encoder: 'pcm_s16le', name: 'pcm_s16le', maxChannels: 255, losslessBits: 16 },
  'pcm-be': { encoder: 'pcm_s16be', name: 'pcm_s16be', maxChannels: 255, losslessBits: 16 },
  'pcm-planar': { encoder: 'pcm_s16be_planar', name: 'pcm_s16be_planar', maxChannels: 16, losslessBits: 16 },
  alaw: { encoder: 'pcm_alaw', name: 'pcm_alaw', ...telephoneLimits },
  mulaw: { encoder: 'pcm_mulaw', name: 'pcm_mulaw', ...telephoneLimits },
  'pcm-8k': { encoder: 'pcm_s16le', name: 'pcm_s16le', ...telephoneLimits },
  'pcm-stereo': { encoder: 'pcm_s16le', name: 'pcm_s16le', maxChannels: 2, layouts: ['stereo'] },
  'pcm-cd': {
    encoder: 'pcm_s16le',
    name: 'pcm_s16le',
    maxChannels: 2,
    layouts: ['stereo'],
    sampleRates: [44100],
  },
  gsm: { encoder: 'libgsm', name: 'gsm', ...telephoneLimits },
  g726: { encoder: 'g726', name: 'adpcm_g726', ...telephoneLimits, args: ['-b:a', '32k'] },
  g722: { encoder: 'g722', name: 'adpcm_g722', maxChannels: 1, sampleRates: [16000] },
  codec2: { encoder: 'libcodec2', name: 'codec2', ...telephoneLimits, args: ['-mode', '3200'] },
  dfpwm: { encoder: 'dfpwm', name: 'dfpwm', maxChannels: 1, sampleRates: [48000] },
  adx: { encoder: 'adpcm_adx', name: 'adpcm_adx', maxChannels: 2 },
  yamaha: { encoder: 'adpcm_yamaha', name: 'adpcm_yamaha', maxChannels: 1, sampleRates: [44100] },
  sbc: { encoder: 'sbc', name: 'sbc', maxChannels: 2, sampleRates: [16000, 32000, 44100, 48000] },
  // The files have no header, so readers assume stereo at 48 kHz.
  aptx: { encoder: 'aptx', name: 'aptx', maxChannels: 2, layouts: ['stereo'], sampleRates: [48000] },
  mlp: {
    encoder: 'mlp',
    name: 'mlp',
    maxChannels: 6,
    layouts: ['mono', 'stereo', '2.1', '3.0', '3.0(back)', '3.1', '4.0', '4.1', 'quad', '5.0', '5.1'],
    sampleRates: studioSampleRates,
    args: ['-strict', '-2'],
    losslessBits: 24,
    failsOnPaddedSamples: true,
  },
  truehd: {
    encoder: 'truehd',
    name: 'truehd',
    maxChannels: 6,
    layouts: ['stereo', '5.0', '5.1'],
    sampleRates: studioSampleRates,
    args: ['-strict', '-2'],
    losslessBits: 24,
    failsOnPaddedSamples: true,
  },
  // The format has one audio block per frame, at 25 frames per second.
  amv: {
    encoder: 'adpcm_ima_amv',
    name: 'adpcm_ima_amv',
    maxChannels: 1,
    sampleRates: [22050],
    args: ['-block_size', '882'],
  },
} as const satisfies Record<string, AudioCodec>

export type AudioCodecId = keyof typeof audioCodecs
