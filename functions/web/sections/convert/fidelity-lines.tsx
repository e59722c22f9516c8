import { describeDroppedContent, describeKeptContent, type Fidelity } from './describe-fidelity.ts'

/** What a conversion kept, and what its target does not support. The section History loads this on demand. */
export default function FidelityLines({
  fidelity,
  target,
}: {
  readonly fidelity: Fidelity | undefined
  readonly target: string | undefined
}) {
  const lines = fidelity ? [describeKeptContent(fidelity), describeDroppedContent(fidelity, target)] : []
  const shownLines = lines.filter((line) => line !== undefined)
  if (shownLines.length === 0) return null
  return (
    <div class="hint">
      {shownLines.map((line) => (
        <p key={line}>{line}</p>
      ))}
    </div>
  )
}
