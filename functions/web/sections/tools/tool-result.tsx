import type { Job } from '../../api.ts'
import { Thumbnail } from '../../grid/thumbnail.tsx'
import { Block } from '../../ui/components.tsx'
import { formatSize } from '../../ui/format-values.ts'
import { WarningText } from '../../ui/warning-text.tsx'
import type { RunState } from './run-tool.ts'
import words from './words/en.ts'

/** The progress of a run, then its results. */
export function RunProgress({
  state,
  onCancel,
}: {
  readonly state: RunState
  readonly onCancel: () => void
}) {
  if (state.state === 'over') return <ToolResult job={state.job} />
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

function ToolResult({ job }: { readonly job: Job }) {
  if (!job.result)
    return (
      <p class="notice problem" role="alert">
        {words.nothing}
      </p>
    )
  return (
    <Block title={words.results}>
      {job.warnings.map((warning) => (
        <div key={warning.message} class="notice">
          <WarningText warning={warning} />
        </div>
      ))}
      <ul class="stack">
        {job.result.files.map(({ filename, size, mimeType, downloadUrl }) => (
          <li key={downloadUrl} class="tool-result">
            <Thumbnail url={downloadUrl} type={mimeType} size={size} />
            <span>
              <bdi>{filename}</bdi> <span class="meta">{formatSize(size)}</span>
            </span>
            <a class="button primary" href={downloadUrl} download={filename}>
              {words.download}
              <span class="visually-hidden">
                {' '}
                <bdi>{filename}</bdi>
              </span>
            </a>
          </li>
        ))}
      </ul>
      <p>
        <a href={`/history/${job.jobId}`}>{words.details}</a>
      </p>
    </Block>
  )
}
