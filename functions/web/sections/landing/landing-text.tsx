import type { LandingId } from '../../section-paths.ts'
import { PopularTasks } from '../../shell/popular.tsx'
import words from './words/en.ts'

/** Steps, options and questions of a landing page. It has no hooks, because it is also rendered on the server. */
export function LandingText({ id }: { readonly id: LandingId }) {
  const { steps, options, questions } = words.pages[id]
  return (
    <div class="landing">
      <section aria-labelledby="steps-title">
        <h2 id="steps-title">{words.howTo}</h2>
        <ol>
          {steps.map((step) => (
            <li key={step}>{step}</li>
          ))}
        </ol>
      </section>
      <section aria-labelledby="options-title">
        <h2 id="options-title">{words.options}</h2>
        <ul>
          {options.map((option) => (
            <li key={option}>{option}</li>
          ))}
        </ul>
      </section>
      <section class="questions" aria-labelledby="questions-title">
        <h2 id="questions-title">{words.questions}</h2>
        {questions.map(([question, answer]) => (
          <details key={question}>
            <summary>{question}</summary>
            <p>{answer}</p>
          </details>
        ))}
      </section>
      <PopularTasks except={id} />
    </div>
  )
}
