import { execFileSync } from 'node:child_process'

const asked =
  'packet=codec_type,pts_time:stream=codec_type,width,height:stream_side_data=rotation:format_tags=title'

interface Told {
  readonly packets: readonly { readonly codec_type: string; readonly pts_time: string }[]
  readonly streams: readonly {
    readonly codec_type: string
    readonly width?: number
    readonly height?: number
    readonly side_data_list?: readonly { readonly rotation?: number }[]
  }[]
  readonly format: { readonly tags?: { readonly title?: string } }
}

/** When each picture is shown and each packet of sound begins, in seconds, by ffprobe. */
export function timesIn(path: string) {
  const args = ['-v', 'error', '-show_entries', asked, '-of', 'json', path]
  const told = JSON.parse(execFileSync('ffprobe', args, { encoding: 'utf8', maxBuffer: 2 ** 30 })) as Told
  const times = (type: string) =>
    told.packets
      .filter(({ codec_type }) => codec_type === type)
      .map(({ pts_time }) => Number(pts_time))
      .sort((a, b) => a - b)
  const film = told.streams.find(({ codec_type }) => codec_type === 'video')
  const rotation = film?.side_data_list?.find((data) => data.rotation !== undefined)?.rotation
  const { width, height } = film ?? {}
  return {
    pictures: times('video'),
    sounds: times('audio'),
    title: told.format.tags?.title,
    width,
    height,
    rotation,
  }
}
