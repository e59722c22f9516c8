import { formatDate } from './format-values.ts'

interface Bar {
  readonly date: string
  readonly value: number
}

const height = 120
const gap = 2
/** Limits the width of bars: in a chart of a few days, they are only as wide as in a chart of two weeks. */
const maxSlotWidth = 43

/** A bar chart, hidden from screen readers, because the table next to it has the same data. */
export function BarChart({
  label,
  bars,
  format,
}: {
  readonly label: string
  readonly bars: readonly Bar[]
  readonly format: (value: number) => string
}) {
  const max = Math.max(...bars.map(({ value }) => value), Number.MIN_VALUE)
  const width = 600
  const slotWidth = Math.min(maxSlotWidth, width / Math.max(bars.length, 1))
  return (
    <figure class="bars">
      <figcaption>{label}</figcaption>
      {bars.length > 0 && (
        <p class="hint" aria-hidden="true">
          {format(max)}
        </p>
      )}
      <svg viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none" role="img" aria-label={label}>
        {bars.map(({ date, value }, at) => {
          const barHeight = Math.max(value > 0 ? 2 : 0, (value / max) * height)
          return (
            <rect
              key={date}
              x={at * slotWidth}
              y={height - barHeight}
              width={Math.max(1, slotWidth - gap)}
              height={barHeight}
            >
              <title>{`${formatDate(date)}: ${format(value)}`}</title>
            </rect>
          )
        })}
      </svg>
      {bars.length > 0 && (
        <p class="ends hint" aria-hidden="true">
          <span>{formatDate(bars[0]?.date ?? '')}</span>
          {bars.length > 1 && <span>{formatDate(bars.at(-1)?.date ?? '')}</span>}
        </p>
      )}
    </figure>
  )
}
