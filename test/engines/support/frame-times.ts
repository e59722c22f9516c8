import { execFileSync } from 'node:child_process'

const shownEntries =
  'packet=codec_type,pts_time:stream=codec_type,width,height:stream_side_data=rotation:format_tags=title'

interface ProbeOutput {
  readonly packets: readonly { readonly codec_type: string; readonly pts_time: string }[]
  readonly streams: readonly {
    readonly codec_type: string
    readonly width?: number
    readonly height?: number
    readonly side_data_list?: readonly { readonly rotation?: number }[]
  }[]
  readonly format: { readonly tags?: { readonly title?: string } }
}

/** Returns when each video frame and each audio packet begins, in seconds, according to ffprobe. */
export function readPacketTimes(path: string) {
  const args = ['-v', 'error', '-show_entries', shownEntries, '-of', 'json', path]
  const probeOutput = JSON.parse(
    execFileSync('ffprobe', args, { encoding: 'utf8', maxBuffer: 2 ** 30 }),
  ) as ProbeOutput
  const times = (type: string) =>
    probeOutput.packets
      .filter(({ codec_type }) => codec_type === type)
      .map(({ pts_time }) => Number(pts_time))
      .sort((a, b) => a - b)
  const videoStream = probeOutput.streams.find(({ codec_type }) => codec_type === 'video')
  const rotation = videoStream?.side_data_list?.find((data) => data.rotation !== undefined)?.rotation
  const { width, height } = videoStream ?? {}
  return {
    video: times('video'),
    audio: times('audio'),
    title: probeOutput.format.tags?.title,
    width,
    height,
    rotation,
  }
}
