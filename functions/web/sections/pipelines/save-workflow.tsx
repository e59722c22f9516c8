import type { createWorkflow } from '../../../routes/workflows.ts'
import { callApi, type ReplyData } from '../../api.ts'
import { announce } from '../../shell/announce.ts'
import { navigate } from '../../shell/router.ts'
import { Block, Field, Form } from '../../ui/components.tsx'
import { buildTasks } from './pipeline.ts'
import { checks, pipeline } from './state.ts'
import words from './words/en.ts'

/** Saves the pipeline as a scheduled workflow. It needs a URL, because no user is present to upload a file. */
export function SaveWorkflow() {
  const { url, steps } = pipeline.value
  const create = async (formData: FormData) => {
    const options = checks.value.map((stepCheck) => stepCheck.options)
    const workflow = await callApi<ReplyData<typeof createWorkflow>>('/v1/workflows', {
      method: 'POST',
      body: {
        name: formData.get('name'),
        cron: formData.get('cron'),
        timezone: Intl.DateTimeFormat().resolvedOptions().timeZone || 'UTC',
        tasks: buildTasks({ operation: 'import/url', url }, steps, options),
      },
    })
    announce(words.saved)
    navigate(`/workflows/${workflow.id}`)
  }
  return (
    <Block title={words.schedule}>
      {url ? (
        <Form submitLabel={words.save} action={create} isQuiet>
          <Field label={words.name}>
            {(ids) => <input {...ids} name="name" type="text" required maxLength={200} autocomplete="off" />}
          </Field>
          <Field label={words.when} hint={words.whenHint}>
            {(ids) => (
              <select {...ids} name="cron">
                {Object.entries(words.crons).map(([cron, name]) => (
                  <option key={cron} value={cron}>
                    {name}
                  </option>
                ))}
              </select>
            )}
          </Field>
        </Form>
      ) : (
        <p class="hint">{words.scheduleNeedsUrl}</p>
      )}
    </Block>
  )
}
