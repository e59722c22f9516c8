import words from '../words/en.ts'

/** Content shown if a section does not exist, is loading or failed to load. */

export function NotFound() {
  return (
    <section class="alone">
      <h1>{words.notFound}</h1>
      <p class="lead">{words.notFoundLead}</p>
      <p>
        <a class="button primary" href="/">
          {words.toStart}
        </a>
      </p>
    </section>
  )
}

export function LoadFailed(props: { readonly onRetry: () => void }) {
  return (
    <section class="alone">
      <p class="notice problem" role="alert">
        {words.loadFailed}
      </p>
      <button type="button" class="button" onClick={props.onRetry}>
        {words.tryAgain}
      </button>
    </section>
  )
}

export const Loading = () => (
  <p class="loading" role="status">
    {words.loading}
  </p>
)
