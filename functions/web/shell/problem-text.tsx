import type { Problem } from '../api.ts'
import words from '../words/en.ts'

/** Shows what happened and what to do, with the service's own message below for people who use its API. */
export const ProblemText = ({
  problem: { message, detail },
  isOpen,
}: {
  readonly problem: Pick<Problem, 'message' | 'detail'>
  /** Whether the service's own message is visible from the start. */
  readonly isOpen?: boolean
}) => (
  <div class="problem-text">
    {/* If the error has no translation, the service's own message is all there is to show. */}
    <p {...(message === detail && { lang: 'en' })}>{message}</p>
    {detail !== undefined && detail !== message && (
      <details open={isOpen}>
        <summary>{words.problemDetail}</summary>
        <p lang="en">{detail}</p>
      </details>
    )}
  </div>
)
