import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { runFfprobe } from '../engines/support/inspect-result.ts'
import { createRawInputArgs } from '../engines/support/raw-media.ts'

const run = promisify(execFile)

export interface MediaFacts {
  /** Duration of the file in seconds, or of its decoded streams if the container has no duration. */
  readonly seconds: number
  readonly streams: number
  /** Channels of the first audio stream. */
  readonly channels: number
  /** Duration of the first audio stream, from its samples, because timestamps in a damaged file can jump. */
  readonly audioS: number | undefined
  /** Peak level in dBFS; undefined without audio. */
  readonly peakDb: number | undefined
  /** Difference between the darkest and the lightest pixel of the video; undefined without video. */
  readonly spread: number | undefined
  /** Number of decoded frames. */
  readonly frames: number
}

/** Probes a file and decodes all of it. */
export async function readMediaFacts(path: string): Promise<MediaFacts> {
  const probe = await runFfprobe(path)
  const has = (type: string) => probe.streams.some((stream) => stream.codec_type === type)
  const output = await run(
    'ffmpeg',
    [
      ...['-nostdin', '-hide_banner', '-nostats', ...createRawInputArgs(path), '-i', path],
      ...(has('audio') ? ['-map', '0:a:0', '-af', 'volumedetect'] : []),
      ...(has('video') ? ['-map', '0:v:0', '-vf', 'scale=32:24,signalstats,metadata=print:file=-'] : []),
      ...['-f', 'null', '-'],
    ],
    { maxBuffer: 64 * 1024 * 1024, timeout: 120_000 },
  )
  const listNumbers = (text: string, pattern: RegExp) =>
    [...text.matchAll(pattern)].map(([, found]) => Number(found))
  const audio = probe.streams.find(({ codec_type }) => codec_type === 'audio')
  const [channels, rate] = [audio?.channels ?? 0, Number(audio?.sample_rate ?? 0)]
  const [samples] = listNumbers(output.stderr, /n_samples: (\d+)/g)
  const clock = /time=(\d+):(\d+):(\d+\.\d+)(?![\s\S]*time=\d)/.exec(output.stderr)
  const [, hours, minutes, secondsPart] = (clock ?? []).map(Number)
  const playedS = (hours ?? 0) * 3600 + (minutes ?? 0) * 60 + (secondsPart ?? 0)
  const minLevels = listNumbers(output.stdout, /signalstats\.YMIN=(\d+)/g)
  const maxLevels = listNumbers(output.stdout, /signalstats\.YMAX=(\d+)/g)
  return {
    seconds: playedS,
    streams: probe.streams.length,
    channels,
    audioS: samples && channels > 0 && rate > 0 ? samples / channels / rate : undefined,
    peakDb: listNumbers(output.stderr, /max_volume: (-?[\d.]+) dB/g)[0],
    frames: maxLevels.length,
    spread: has('video') ? Math.max(0, ...maxLevels) - Math.min(255, ...minLevels) : undefined,
  }
}
