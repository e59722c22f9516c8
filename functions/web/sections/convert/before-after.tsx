import { useEffect, useId, useState } from 'preact/hooks'
import { adoptStyles } from '../../shell/styles.ts'
import { formatPercent } from '../../ui/format-values.ts'
import rules from './before-after.css'
import lazyWords from './lazy/words/en.ts'

adoptStyles(rules)

/** Zoom levels of the result relative to its size in pixels; the default is the size that fits. */
const zoomLevels = [1, 2, 4] as const

/** Returns the horizontal position of a pointer within an element, in percent from the left. */
function getPointerPercent({
  clientX,
  currentTarget,
}: {
  clientX: number
  currentTarget: HTMLElement
}): number {
  const { left, width } = currentTarget.getBoundingClientRect()
  return Math.round(Math.min(100, Math.max(0, (100 * (clientX - left)) / width)))
}

/**
 * Shows the result over its source, with a line between them that follows the pointer and a slider; shows only the
 * result if the browser cannot display the source.
 */
export default function BeforeAfter({
  before,
  after,
  name,
}: {
  readonly before: File | undefined
  /** URL of the result. */
  readonly after: string
  readonly name: string
}) {
  const [beforeUrl, setBeforeUrl] = useState<string | undefined>(undefined)
  const [hasBefore, setHasBefore] = useState(false)
  const [dividerPercent, setDividerPercent] = useState(50)
  const [pixels, setPixels] = useState(0)
  const [zoom, setZoom] = useState(0)
  useEffect(() => {
    if (!before) return undefined
    const url = URL.createObjectURL(before)
    setBeforeUrl(url)
    return () => URL.revokeObjectURL(url)
  }, [before])
  return (
    <div class="compared">
      {/* The element scrolls when zoomed, so keyboard users must be able to focus it. */}
      <section class="compared-view" aria-label={name} {...(zoom > 0 && { tabIndex: 0 })}>
        <div
          class="compared-area"
          dir="ltr"
          data-zoomed={zoom > 0 || undefined}
          style={zoom > 0 ? { inlineSize: `${pixels * zoom}px` } : {}}
          onPointerDown={(event) => {
            if (event.button !== 0) return
            event.preventDefault()
            event.currentTarget.setPointerCapture(event.pointerId)
            setDividerPercent(getPointerPercent(event))
          }}
          onPointerMove={(event) => {
            if (event.buttons & 1) setDividerPercent(getPointerPercent(event))
          }}
        >
          <img src={after} alt={name} onLoad={(event) => setPixels(event.currentTarget.naturalWidth)} />
          {beforeUrl && (
            <img
              src={beforeUrl}
              alt=""
              hidden={!hasBefore}
              style={{ clipPath: `inset(0 ${100 - dividerPercent}% 0 0)` }}
              onLoad={() => setHasBefore(true)}
            />
          )}
          {hasBefore && <span class="compared-line" style={{ left: `${dividerPercent}%` }} />}
        </div>
      </section>
      <div class="compared-tools">
        {hasBefore && <Slider dividerPercent={dividerPercent} onChange={setDividerPercent} />}
        {/* A vector drawing may have no size in pixels. */}
        {pixels > 0 && <ZoomField zoom={zoom} onChange={setZoom} />}
      </div>
    </div>
  )
}

/** The slider has the source on the left in every language, like the images. */
const Slider = ({
  dividerPercent,
  onChange,
}: {
  readonly dividerPercent: number
  readonly onChange: (dividerPercent: number) => void
}) => (
  <div class="compared-slider" dir="ltr">
    <span>{lazyWords.before}</span>
    <input
      type="range"
      min={0}
      max={100}
      value={dividerPercent}
      aria-label={lazyWords.beforeAfter}
      onInput={(event) => onChange(Number(event.currentTarget.value))}
    />
    <span>{lazyWords.after}</span>
  </div>
)

function ZoomField({ zoom, onChange }: { readonly zoom: number; readonly onChange: (zoom: number) => void }) {
  const id = useId()
  return (
    <span class="compared-zoom">
      <label for={id}>{lazyWords.zoom}</label>
      <select id={id} value={zoom} onChange={(event) => onChange(Number(event.currentTarget.value))}>
        <option value={0}>{lazyWords.zoomToFit}</option>
        {zoomLevels.map((each) => (
          <option key={each} value={each}>
            {formatPercent(each)}
          </option>
        ))}
      </select>
    </span>
  )
}
