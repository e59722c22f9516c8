import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import type { OptionFieldsProps } from './field-props.ts'
import { formatTimecode, parseTimecode } from './timecode.ts'
import words from './words/en.ts'

const describeLength = (seconds: number) =>
  seconds < 60 ? `${Number(seconds.toFixed(1))}\u00a0s` : formatTimecode(seconds)

/** Step of the arrow keys, which is also the minimum length of the selection, in seconds. */
const stepS = 0.1

/**
 * A player with a handle for each time option: start and end of a selection, or the time of a single frame. Hidden if
 * the browser cannot play the file.
 */
export default function Trim({
  file,
  options,
  values,
  onChange,
}: OptionFieldsProps & { readonly file: File }) {
  const url = useSignal('')
  const length = useSignal<number | undefined>(undefined)
  const player = useRef<HTMLVideoElement>(null)
  const stopAtS = useRef<number | undefined>(undefined)
  useEffect(() => {
    const objectUrl = URL.createObjectURL(file)
    url.value = objectUrl
    return () => URL.revokeObjectURL(objectUrl)
  }, [file, url])
  const names = ['start', 'end', 'timestamp'].filter((name) => options.some((option) => option.name === name))
  const getLabel = (name: string) => options.find((option) => option.name === name)?.label ?? name
  const duration = length.value
  const getSeconds = (name: string) =>
    parseTimecode(String(values[name] ?? '')) ?? (name === 'end' ? (duration ?? 0) : 0)
  const [start, end] = names.includes('start') ? [getSeconds('start'), getSeconds('end')] : [0, duration ?? 0]

  const setSeconds = (name: string, seconds: number) => {
    if (duration === undefined) return
    const min = name === 'end' ? Math.min(start + stepS, duration) : 0
    const max = name === 'start' ? Math.max(0, end - stepS) : duration
    const time = Math.min(max, Math.max(min, seconds))
    // Start and end of the recording are the defaults, so they are not sent.
    const isDefault =
      (name === 'start' && time < stepS / 2) || (name === 'end' && time > duration - stepS / 2)
    onChange(name, isDefault ? undefined : formatTimecode(time))
    if (player.current) player.current.currentTime = time
  }
  const play = () => {
    if (!player.current) return
    player.current.currentTime = start
    stopAtS.current = end
    void player.current.play().catch(() => {})
  }
  const setToCurrentTime = (name: string) => setSeconds(name, player.current?.currentTime ?? 0)
  const toPercent = (seconds: number) => `${(100 * seconds) / (duration || 1)}%`
  const mediaProps = {
    src: url.value,
    controls: true,
    preload: 'metadata' as const,
    onLoadedMetadata: () => {
      const { duration } = player.current ?? {}
      length.value = duration !== undefined && Number.isFinite(duration) ? duration : undefined
    },
    onError: () => {
      length.value = undefined
    },
    onTimeUpdate: () => {
      const { current } = player
      if (!current || stopAtS.current === undefined || current.currentTime < stopAtS.current) return
      stopAtS.current = undefined
      current.pause()
    },
  }
  return (
    <fieldset class="trim" aria-label={words.trim} hidden={duration === undefined}>
      {/* The attribute hides the video area of audio files. */}
      {url.value && (
        <video ref={player} {...mediaProps} data-audio={file.type.startsWith('audio/') || undefined} />
      )}
      {duration !== undefined && (
        <>
          <div class="trim-handles" dir="ltr" style={{ '--from': toPercent(start), '--to': toPercent(end) }}>
            {names.map((name) => (
              <input
                key={name}
                type="range"
                aria-label={words.sliderOf(getLabel(name))}
                aria-valuetext={formatTimecode(getSeconds(name))}
                min={0}
                max={duration}
                step={stepS}
                value={getSeconds(name)}
                onInput={(event) => setSeconds(name, Number(event.currentTarget.value))}
              />
            ))}
          </div>
          <p class="trim-words">
            {names.includes('start')
              ? words.selection(formatTimecode(start), formatTimecode(end), describeLength(end - start))
              : formatTimecode(getSeconds('timestamp'))}
          </p>
          <Actions names={names} onSet={setToCurrentTime} onPlay={play} />
        </>
      )}
    </fieldset>
  )
}

const Actions = (props: {
  readonly names: readonly string[]
  readonly onSet: (name: string) => void
  readonly onPlay: () => void
}) => (
  <div class="trim-actions">
    {props.names.includes('start') && (
      <>
        <button type="button" class="button small" onClick={() => props.onSet('start')}>
          {words.startHere}
        </button>
        <button type="button" class="button small" onClick={() => props.onSet('end')}>
          {words.endHere}
        </button>
        <button type="button" class="button small" onClick={props.onPlay}>
          {words.playSelection}
        </button>
      </>
    )}
    {props.names.includes('timestamp') && (
      <button type="button" class="button small" onClick={() => props.onSet('timestamp')}>
        {words.useThisFrame}
      </button>
    )}
  </div>
)
