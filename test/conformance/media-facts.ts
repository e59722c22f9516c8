import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { runFfprobe } from '../engines/inspect-result.ts'
import { rawInput } from '../engines/raw-media.ts'

const run = promisify(execFile)

export interface MediaFacts {
  /** Seconds; of what decodes where the container does not tell. */
  readonly seconds: number
  readonly streams: number
  /** Of the first sound. */
  readonly channels: number
  /** Of the first sound, by its samples: times in a damaged file leap. */
  readonly heardS: number | undefined
  /** Loudest sample in dB below the top; undefined without sound. */
  readonly peakDb: number | undefined
  /** Between the darkest and the lightest dot of the film; undefined without a picture. */
  readonly spread: number | undefined
  /** That are decoded. */
  readonly pictures: number
}

/** Probes what is in a file and decodes all of it. */
export async function mediaFacts(path: string): Promise<MediaFacts> {
  const probe = await runFfprobe(path)
  const has = (type: string) => probe.streams.some((stream) => stream.codec_type === type)
  const decoded = await run(
    'ffmpeg',
    [
      ...['-nostdin', '-hide_banner', '-nostats', ...rawInput(path), '-i', path],
      ...(has('audio') ? ['-map', '0:a:0', '-af', 'volumedetect'] : []),
      ...(has('video') ? ['-map', '0:v:0', '-vf', 'scale=32:24,signalstats,metadata=print:file=-'] : []),
      ...['-f', 'null', '-'],
    ],
    { maxBuffer: 64 * 1024 * 1024, timeout: 120_000 },
  )
  const numbers = (text: string, pattern: RegExp) =>
    [...text.matchAll(pattern)].map(([, found]) => Number(found))
  const sound = probe.streams.find(({ codec_type }) => codec_type === 'audio')
  const [channels, rate] = [sound?.channels ?? 0, Number(sound?.sample_rate ?? 0)]
  const [samples] = numbers(decoded.stderr, /n_samples: (\d+)/g)
  const clock = /time=(\d+):(\d+):(\d+\.\d+)(?![\s\S]*time=\d)/.exec(decoded.stderr)
  const [, hours, minutes, rest] = (clock ?? []).map(Number)
  const played = (hours ?? 0) * 3600 + (minutes ?? 0) * 60 + (rest ?? 0)
  const dark = numbers(decoded.stdout, /signalstats\.YMIN=(\d+)/g)
  const light = numbers(decoded.stdout, /signalstats\.YMAX=(\d+)/g)
  return {
    seconds: played,
    streams: probe.streams.length,
    channels,
    heardS: samples && channels > 0 && rate > 0 ? samples / channels / rate : undefined,
    peakDb: numbers(decoded.stderr, /max_volume: (-?[\d.]+) dB/g)[0],
    pictures: light.length,
    spread: has('video') ? Math.max(0, ...light) - Math.min(255, ...dark) : undefined,
  }
}
