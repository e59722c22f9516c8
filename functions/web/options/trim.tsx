import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import type { Props } from './field-props.ts'
import { clock, secondsIn } from './timecode.ts'
import words from './words/en.ts'

const lengthWords = (seconds: number) =>
  seconds < 60 ? `${Number(seconds.toFixed(1))}\u00a0s` : clock(seconds)

/** Seconds by which an arrow key moves a handle, and the least that a part may last. */
const step = 0.1

/**
 * The recording itself, and a handle for each moment that its options have: begin and end of a part, or one of a still.
 * What the browser cannot play has the fields of the options alone.
 */
export default function Trim({ file, options, values, onChange }: Props & { readonly file: File }) {
  const url = useSignal('')
  const length = useSignal<number | undefined>(undefined)
  const player = useRef<HTMLVideoElement>(null)
  const stopAt = useRef<number | undefined>(undefined)
  useEffect(() => {
    const made = URL.createObjectURL(file)
    url.value = made
    return () => URL.revokeObjectURL(made)
  }, [file, url])
  const names = ['start', 'end', 'timestamp'].filter((name) => options.some((option) => option.name === name))
  const labelOf = (name: string) => options.find((option) => option.name === name)?.label ?? name
  const whole = length.value
  const at = (name: string) => secondsIn(String(values[name] ?? '')) ?? (name === 'end' ? (whole ?? 0) : 0)
  const [start, end] = names.includes('start') ? [at('start'), at('end')] : [0, whole ?? 0]

  const set = (name: string, seconds: number) => {
    if (whole === undefined) return
    const least = name === 'end' ? Math.min(start + step, whole) : 0
    const most = name === 'start' ? Math.max(0, end - step) : whole
    const moment = Math.min(most, Math.max(least, seconds))
    // The whole length is what is taken without being asked for.
    const isUsual = (name === 'start' && moment < step / 2) || (name === 'end' && moment > whole - step / 2)
    onChange(name, isUsual ? undefined : clock(moment))
    if (player.current) player.current.currentTime = moment
  }
  const play = () => {
    if (!player.current) return
    player.current.currentTime = start
    stopAt.current = end
    void player.current.play().catch(() => {})
  }
  const here = (name: string) => () => set(name, player.current?.currentTime ?? 0)
  const share = (seconds: number) => `${(100 * seconds) / (whole || 1)}%`
  const media = {
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
      if (!current || stopAt.current === undefined || current.currentTime < stopAt.current) return
      stopAt.current = undefined
      current.pause()
    },
  }
  return (
    <fieldset class="trim" aria-label={words.trim} hidden={whole === undefined}>
      {/* A sound has no picture to make room for. */}
      {url.value && (
        <video ref={player} {...media} data-sound={file.type.startsWith('audio/') || undefined} />
      )}
      {whole !== undefined && (
        <>
          <div class="trim-handles" dir="ltr" style={{ '--from': share(start), '--to': share(end) }}>
            {names.map((name) => (
              <input
                key={name}
                type="range"
                aria-label={words.sliderOf(labelOf(name))}
                aria-valuetext={clock(at(name))}
                min={0}
                max={whole}
                step={step}
                value={at(name)}
                onInput={(event) => set(name, Number(event.currentTarget.value))}
              />
            ))}
          </div>
          <p class="trim-words">
            {names.includes('start')
              ? words.part(clock(start), clock(end), lengthWords(end - start))
              : clock(at('timestamp'))}
          </p>
          <div class="trim-actions">
            {names.includes('start') && (
              <>
                <button type="button" class="button small" onClick={here('start')}>
                  {words.startHere}
                </button>
                <button type="button" class="button small" onClick={here('end')}>
                  {words.endHere}
                </button>
                <button type="button" class="button small" onClick={play}>
                  {words.playPart}
                </button>
              </>
            )}
            {names.includes('timestamp') && (
              <button type="button" class="button small" onClick={here('timestamp')}>
                {words.takeThis}
              </button>
            )}
          </div>
        </>
      )}
    </fieldset>
  )
}
