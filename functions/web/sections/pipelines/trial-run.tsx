import { useSignal } from '@preact/signals'
import { useEffect, useId, useRef } from 'preact/hooks'
import { callApi, explainError, type Job, Problem, toProblem } from '../../api.ts'
import { announce } from '../../shell/announce.ts'
import { Block, ServiceErrorNotice } from '../../ui/components.tsx'
import { FileButton } from '../../ui/file-button.tsx'
import { WarningText } from '../../ui/warning-text.tsx'
import { uploadFile } from '../convert/upload-file.ts'
import { watchJob } from '../convert/watch-job.ts'
import { buildTasks, type PipelineSource } from './pipeline.ts'
import { checks, pipeline } from './state.ts'
import words from './words/en.ts'

type RunState =
  | { readonly state: 'idle' }
  | { readonly state: 'sending' }
  | { readonly state: 'running'; readonly percent: number }
  | { readonly state: 'over'; readonly job: Job }

/** Runs the pipeline on one file. */
export function TrialRun() {
  const run = useSignal<RunState>({ state: 'idle' })
  const problem = useSignal<Problem | undefined>(undefined)
  const file = useSignal<File | undefined>(undefined)
  const abortController = useRef(new AbortController())
  useEffect(() => () => abortController.current.abort(), [])
  const fileNameId = useId()
  const { url, from } = pipeline.value

  const start = async () => {
    const { signal } = abortController.current
    problem.value = undefined
    run.value = { state: 'sending' }
    try {
      const source = await createSource(url, file.value, signal)
      const options = checks.value.map((stepCheck) => stepCheck.options)
      const job = await callApi<Job>('/v1/jobs', {
        method: 'POST',
        body: { tasks: buildTasks(source, pipeline.value.steps, options) },
        signal,
      })
      const onProgress = (progress: { stage: string; job?: Job }) => {
        run.value = { state: 'running', percent: progress.job?.progress.percent ?? 0 }
      }
      const finishedJob = await watchJob(job, onProgress, signal)
      run.value = { state: 'over', job: finishedJob }
      if (finishedJob.error) announce((await explainError(finishedJob.error)).message)
      else announce(finishedJob.status === 'completed' ? words.trialDone : words.trialFailed)
    } catch (error) {
      if (signal.aborted) return
      run.value = { state: 'idle' }
      problem.value = toProblem(error)
    }
  }
  const isBusy = run.value.state === 'sending' || run.value.state === 'running'
  return (
    <Block title={words.trial}>
      <div class="form">
        {url ? (
          <p class="hint">{words.trialUrl}</p>
        ) : (
          <p class="trial-file">
            <FileButton
              label={words.trialFile(from.toUpperCase())}
              describedBy={fileNameId}
              onChoose={([chosenFile]) => {
                file.value = chosenFile
              }}
            />
            <bdi id={fileNameId}>{file.value?.name}</bdi>
          </p>
        )}
        <p>
          <button
            type="button"
            class="button primary"
            disabled={isBusy || (!url && !file.value)}
            onClick={() => void start()}
          >
            {words.trialRun}
          </button>
        </p>
        {run.value.state === 'running' && (
          <progress max={100} value={run.value.percent} aria-label={words.trial} />
        )}
        {run.value.state === 'sending' && <p class="hint">{words.sending}</p>}
        {problem.value && (
          <p class="notice problem" role="alert">
            {problem.value.message}
          </p>
        )}
        {run.value.state === 'over' && <TrialResult job={run.value.job} />}
      </div>
    </Block>
  )
}

async function createSource(
  url: string,
  file: File | undefined,
  signal: AbortSignal,
): Promise<PipelineSource> {
  if (url) return { operation: 'import/url', url }
  if (!file) throw new Problem('NO_FILES', words.trialNoFile)
  const upload = await uploadFile({
    file,
    multipartUpload: undefined,
    onMultipartStart: () => {},
    onProgress: () => {},
    signal,
  })
  return { operation: 'import/upload', upload_id: upload }
}

function TrialResult({ job: { status, error, result, warnings } }: { readonly job: Job }) {
  if (error) return <ServiceErrorNotice error={error} />
  if (status !== 'completed' || !result)
    return (
      <p class="notice problem" role="alert">
        {words.trialFailed}
      </p>
    )
  return (
    <>
      <ul class="stack" aria-label={words.trialDone}>
        {result.files.map(({ downloadUrl, filename }) => (
          <li key={downloadUrl}>
            <a class="button" href={downloadUrl} download={filename}>
              <span class="icon icon-download" aria-hidden="true" />
              <bdi>{filename}</bdi>
            </a>
          </li>
        ))}
      </ul>
      {warnings.map((warning) => (
        <div key={warning.message} class="notice">
          <WarningText warning={warning} />
        </div>
      ))}
    </>
  )
}
