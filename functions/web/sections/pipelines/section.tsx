import '../convert/entry.ts'
import { listFormats } from '../../api.ts'
import { useStyles } from '../../shell/styles.ts'
import { Block, Copyable, Field, Page, Shown } from '../../ui/components.tsx'
import { useLoaded } from '../../ui/use-query.ts'
import { type Catalogue, createCatalogue } from '../convert/format-catalog.ts'
import rules from './pipelines.css'
import { curlOf, type Source, tasksOf } from './pipeline.ts'
import { Sample } from './trial-run.tsx'
import { Save } from './save-workflow.tsx'
import { change, checks, pipeline } from './state.ts'
import { AddStep, StepCard } from './step.tsx'
import words from './words/en.ts'

useStyles(rules)

/** Steps that follow one another, put together by hand and checked while that is done. */
export default function Pipelines() {
  const formats = useLoaded('formats', async () => createCatalogue(await listFormats()))
  return (
    <Page title={words.title} lead={words.lead}>
      <Shown of={formats}>{(catalogue) => <Editor catalogue={catalogue} />}</Shown>
    </Page>
  )
}

function Editor({ catalogue }: { readonly catalogue: Catalogue }) {
  const { from, steps } = pipeline.value
  const works = steps.length > 0 && steps.every((_, at) => checks.value[at]?.verdict)
  const next = steps.length === 0 ? from || undefined : checks.value[steps.length - 1]?.verdict?.to
  return (
    <>
      <Block title={words.source}>
        <SourceFields catalogue={catalogue} />
      </Block>
      <Block title={words.steps}>
        <ol class="pipeline" aria-label={words.steps}>
          {steps.map((step, at) => (
            <StepCard key={step.key} step={step} at={at} count={steps.length} catalogue={catalogue} />
          ))}
        </ol>
        {next && <AddStep from={next} catalogue={catalogue} />}
        {!from && <p class="hint">{words.sourceFirst}</p>}
      </Block>
      {works && <Sample />}
      {works && <Take />}
      {works && <Save />}
    </>
  )
}

function SourceFields({ catalogue }: { readonly catalogue: Catalogue }) {
  const { from, url } = pipeline.value
  const readable = catalogue.formats.filter(({ canRead }) => canRead)
  return (
    <div class="form">
      <Field label={words.format} hint={words.formatHint}>
        {(ids) => (
          <select {...ids} value={from} onChange={(event) => change({ from: event.currentTarget.value })}>
            <option value="">{words.choose}</option>
            {readable.map(({ id, name }) => (
              <option key={id} value={id}>
                {`${id.toUpperCase()} – ${name}`}
              </option>
            ))}
          </select>
        )}
      </Field>
      <Field label={words.address} hint={words.addressHint}>
        {(ids) => (
          <input
            {...ids}
            type="url"
            dir="ltr"
            placeholder="https://"
            autocomplete="off"
            value={url}
            onInput={(event) => change({ url: event.currentTarget.value.trim() })}
          />
        )}
      </Field>
    </div>
  )
}

/** To be run elsewhere: as a command, and as what the service takes. */
function Take() {
  const { steps, url, from } = pipeline.value
  const options = checks.value.map((checked) => checked.options)
  const tasks = (source: Source) => tasksOf(source, steps, options)
  const source: Source = url
    ? { operation: 'import/url', url }
    : { operation: 'import/upload', upload_id: words.uploadId }
  return (
    <>
      <Block title={words.command}>
        <p class="hint">{url ? words.commandUrl : words.commandFile(`sample.${from}`)}</p>
        <Copyable label={words.command} text={curlOf(pipeline.value, location.origin, tasks)} />
      </Block>
      <Block title={words.json}>
        <p class="hint">{words.jsonHint}</p>
        <Copyable label={words.json} text={JSON.stringify({ tasks: tasks(source) }, null, 2)} />
      </Block>
    </>
  )
}
