import { sayDay } from './format-values.ts'

interface Bar {
  readonly date: string
  readonly value: number
}

const height = 120
const gap = 2

/** A picture of a series, whose table stands beside it: nothing here can be learned from it alone. */
export function Bars({
  label,
  bars,
  say,
}: {
  readonly label: string
  readonly bars: readonly Bar[]
  readonly say: (value: number) => string
}) {
  const most = Math.max(...bars.map(({ value }) => value), Number.MIN_VALUE)
  const width = 600
  const each = width / Math.max(bars.length, 1)
  return (
    <figure class="bars">
      <figcaption>{label}</figcaption>
      <svg viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none" role="img" aria-label={label}>
        {bars.map(({ date, value }, at) => {
          const tall = Math.max(value > 0 ? 2 : 0, (value / most) * height)
          return (
            <rect key={date} x={at * each} y={height - tall} width={Math.max(1, each - gap)} height={tall}>
              <title>{`${sayDay(date)}: ${say(value)}`}</title>
            </rect>
          )
        })}
      </svg>
      {bars.length > 0 && (
        <p class="ends hint" aria-hidden="true">
          <span>{sayDay(bars[0]?.date ?? '')}</span>
          <span>{say(most)}</span>
          <span>{sayDay(bars.at(-1)?.date ?? '')}</span>
        </p>
      )}
    </figure>
  )
}
