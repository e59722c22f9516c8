import type { Problem } from '../api.ts'
import words from '../words/en.ts'

/** What happened and what to do; the sentence of the service is below, for those who use its API. */
export const ProblemText = ({
  problem: { message, detail },
  isOpen,
}: {
  readonly problem: Pick<Problem, 'message' | 'detail'>
  /** Whether the sentence of the service is shown from the start. */
  readonly isOpen?: boolean
}) => (
  <div class="problem-text">
    {/* Without a translation, the page has only the sentence of the service. */}
    <p {...(message === detail && { lang: 'en' })}>{message}</p>
    {detail !== undefined && detail !== message && (
      <details open={isOpen}>
        <summary>{words.problemDetail}</summary>
        <p lang="en">{detail}</p>
      </details>
    )}
  </div>
)
