import '../convert/entry.ts'
import { listFormats } from '../../api.ts'
import { adoptStyles } from '../../shell/styles.ts'
import { Block, Copyable, Field, Page, QueryView } from '../../ui/components.tsx'
import { useQuery } from '../../ui/use-query.ts'
import { createFormatCatalog, type FormatCatalog } from '../convert/format-catalog.ts'
import { buildCommandLine, buildTasks, type PipelineSource } from './pipeline.ts'
import rules from './pipelines.css'
import { SaveWorkflow } from './save-workflow.tsx'
import { checks, pipeline, updatePipeline } from './state.ts'
import { AddStep, StepCard } from './step.tsx'
import { TrialRun } from './trial-run.tsx'
import words from './words/en.ts'

adoptStyles(rules)

/** The pipeline editor, which checks the steps while they are edited. */
export default function Pipelines() {
  const formats = useQuery('formats', async () => createFormatCatalog(await listFormats()))
  return (
    <Page title={words.title} lead={words.lead}>
      <QueryView query={formats}>{(catalog) => <Editor catalog={catalog} />}</QueryView>
    </Page>
  )
}

function Editor({ catalog }: { readonly catalog: FormatCatalog }) {
  const { from, steps } = pipeline.value
  const isValid = steps.length > 0 && steps.every((_, at) => checks.value[at]?.result)
  const nextFormat = steps.length === 0 ? from || undefined : checks.value[steps.length - 1]?.result?.to
  return (
    <>
      <Block title={words.source}>
        <SourceFields catalog={catalog} />
      </Block>
      <Block title={words.steps}>
        <ol class="pipeline" aria-label={words.steps}>
          {steps.map((step, at) => (
            <StepCard key={step.key} step={step} at={at} count={steps.length} catalog={catalog} />
          ))}
        </ol>
        {nextFormat && <AddStep from={nextFormat} catalog={catalog} />}
        {!from && <p class="hint">{words.sourceFirst}</p>}
      </Block>
      {isValid && <TrialRun />}
      {isValid && <ExportBlocks />}
      {isValid && <SaveWorkflow />}
    </>
  )
}

function SourceFields({ catalog }: { readonly catalog: FormatCatalog }) {
  const { from, url } = pipeline.value
  const readableFormats = catalog.formats.filter(({ canRead }) => canRead)
  return (
    <div class="form">
      <Field label={words.format} hint={words.formatHint}>
        {(ids) => (
          <select
            {...ids}
            value={from}
            onChange={(event) => updatePipeline({ from: event.currentTarget.value })}
          >
            <option value="">{words.choose}</option>
            {readableFormats.map(({ id, name }) => (
              <option key={id} value={id}>
                {`${id.toUpperCase()} – ${name}`}
              </option>
            ))}
          </select>
        )}
      </Field>
      <Field label={words.url} hint={words.urlHint}>
        {(ids) => (
          <input
            {...ids}
            type="url"
            dir="ltr"
            placeholder="https://"
            autocomplete="off"
            value={url}
            onInput={(event) => updatePipeline({ url: event.currentTarget.value.trim() })}
          />
        )}
      </Field>
    </div>
  )
}

/** Shows the pipeline as a command and as JSON. */
function ExportBlocks() {
  const { steps, url, from } = pipeline.value
  const options = checks.value.map((stepCheck) => stepCheck.options)
  const tasks = (source: PipelineSource) => buildTasks(source, steps, options)
  const source: PipelineSource = url
    ? { operation: 'import/url', url }
    : { operation: 'import/upload', upload_id: words.uploadId }
  return (
    <>
      <Block title={words.command}>
        <p class="hint">{url ? words.commandUrl : words.commandFile(`sample.${from}`)}</p>
        <Copyable label={words.command} text={buildCommandLine(pipeline.value, location.origin, tasks)} />
      </Block>
      <Block title={words.json}>
        <p class="hint">{words.jsonHint}</p>
        <Copyable label={words.json} text={JSON.stringify({ tasks: tasks(source) }, null, 2)} />
      </Block>
    </>
  )
}
