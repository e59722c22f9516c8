import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { ask, type Job, Problem, problemOf } from '../../api.ts'
import { announce } from '../../shell/announce.ts'
import { Block, Field } from '../../ui/components.tsx'
import { watchJob } from '../convert/watch-job.ts'
import { send } from '../convert/upload-file.ts'
import { type Source, tasksOf } from './pipeline.ts'
import { checks, pipeline } from './state.ts'
import words from './words/en.ts'

type Run =
  | { readonly state: 'idle' }
  | { readonly state: 'sending' }
  | { readonly state: 'running'; readonly percent: number }
  | { readonly state: 'over'; readonly job: Job }

/** The pipeline on one file, by the service itself. */
export function Sample() {
  const run = useSignal<Run>({ state: 'idle' })
  const problem = useSignal<Problem | undefined>(undefined)
  const file = useSignal<File | undefined>(undefined)
  const ended = useRef(new AbortController())
  useEffect(() => () => ended.current.abort(), [])
  const { url, from } = pipeline.value

  const begin = async () => {
    const { signal } = ended.current
    problem.value = undefined
    run.value = { state: 'sending' }
    try {
      const source = await sourceOf(url, file.value, signal)
      const options = checks.value.map((checked) => checked.options)
      const job = await ask<Job>('/v1/jobs', {
        method: 'POST',
        body: { tasks: tasksOf(source, pipeline.value.steps, options) },
        signal,
      })
      const tell = (progress: { stage: string; job?: Job }) => {
        run.value = { state: 'running', percent: progress.job?.progress.percent ?? 0 }
      }
      const over = await watchJob(job, tell, signal)
      run.value = { state: 'over', job: over }
      announce(over.status === 'completed' ? words.sampleDone : (over.error?.message ?? over.status))
    } catch (error) {
      if (signal.aborted) return
      run.value = { state: 'idle' }
      problem.value = problemOf(error)
    }
  }
  const isBusy = run.value.state === 'sending' || run.value.state === 'running'
  return (
    <Block title={words.sample}>
      <div class="form">
        {url ? (
          <p class="hint">{words.sampleUrl}</p>
        ) : (
          <Field label={words.sampleFile(from.toUpperCase())}>
            {(ids) => (
              <input
                {...ids}
                type="file"
                onChange={(event) => {
                  file.value = event.currentTarget.files?.[0]
                }}
              />
            )}
          </Field>
        )}
        <p>
          <button
            type="button"
            class="button primary"
            disabled={isBusy || (!url && !file.value)}
            onClick={() => void begin()}
          >
            {words.sampleRun}
          </button>
        </p>
        {run.value.state === 'running' && (
          <progress max={100} value={run.value.percent} aria-label={words.sample} />
        )}
        {run.value.state === 'sending' && <p class="hint">{words.sending}</p>}
        {problem.value && (
          <p class="notice problem" role="alert">
            {problem.value.message}
          </p>
        )}
        {run.value.state === 'over' && <Outcome job={run.value.job} />}
      </div>
    </Block>
  )
}

async function sourceOf(url: string, file: File | undefined, signal: AbortSignal): Promise<Source> {
  if (url) return { operation: 'import/url', url }
  if (!file) throw new Problem('NO_FILES', words.sampleNone)
  const upload = await send({ file, begun: undefined, onBegun: () => {}, onProgress: () => {}, signal })
  return { operation: 'import/upload', upload_id: upload }
}

function Outcome({ job: { status, error, result, warnings } }: { readonly job: Job }) {
  if (status !== 'completed' || !result)
    return (
      <p class="notice problem" role="alert">
        {error?.message ?? words.sampleFailed}
      </p>
    )
  return (
    <>
      <ul class="stack" aria-label={words.sampleDone}>
        {result.files.map(({ downloadUrl, filename }) => (
          <li key={downloadUrl}>
            <a class="button" href={downloadUrl} download={filename}>
              <span class="icon icon-download" aria-hidden="true" />
              <bdi>{filename}</bdi>
            </a>
          </li>
        ))}
      </ul>
      {warnings.map(({ message }) => (
        <p key={message} class="notice">
          {message}
        </p>
      ))}
    </>
  )
}
