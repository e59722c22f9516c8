import type { Job } from '../../api.ts'
import { Thumb } from '../../grid/thumbnail.tsx'
import { Block } from '../../ui/components.tsx'
import { saySize } from '../../ui/format-values.ts'
import type { Run } from './run-tool.ts'
import words from './words/en.ts'

/** How far it is, and what came of it. */
export function Progress({ state, onCancel }: { readonly state: Run; readonly onCancel: () => void }) {
  if (state.state === 'over') return <Outcome job={state.job} />
  const isUploading = state.state === 'uploading'
  const value = isUploading ? state.share : state.job.progress.percent / 100
  return (
    <div class="stack">
      <label class="tool-progress">
        {isUploading ? words.uploading : words.working}
        <progress max={1} value={value} />
      </label>
      <button type="button" class="button" onClick={onCancel}>
        {words.cancel}
      </button>
    </div>
  )
}

function Outcome({ job }: { readonly job: Job }) {
  if (job.error || !job.result)
    return (
      <p class="notice problem" role="alert">
        {job.error?.message ?? words.nothing}
      </p>
    )
  return (
    <Block title={words.results}>
      {job.warnings.map(({ message }) => (
        <p key={message} class="notice">
          {message}
        </p>
      ))}
      <ul class="stack">
        {job.result.files.map(({ filename, size, mimeType, downloadUrl }) => (
          <li key={downloadUrl} class="tool-result">
            <Thumb url={downloadUrl} type={mimeType} size={size} />
            <a class="button" href={downloadUrl} download>
              <bdi>{filename}</bdi>
            </a>
            <span class="meta">{saySize(size)}</span>
          </li>
        ))}
      </ul>
      <p>
        <a href={`/history/${job.jobId}`}>{words.details}</a>
      </p>
    </Block>
  )
}
