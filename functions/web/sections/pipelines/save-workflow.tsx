import type { createWorkflow } from '../../../routes/workflows.ts'
import { ask, type DataOf } from '../../api.ts'
import { announce } from '../../shell/announce.ts'
import { go } from '../../shell/router.ts'
import { Block, Field, Form } from '../../ui/components.tsx'
import { tasksOf } from './pipeline.ts'
import { checks, pipeline } from './state.ts'
import words from './words/en.ts'

/** By the clock, from an address: a workflow has nobody who would bring it a file. */
export function Save() {
  const { url, steps } = pipeline.value
  const create = async (given: FormData) => {
    const options = checks.value.map((checked) => checked.options)
    const workflow = await ask<DataOf<typeof createWorkflow>>('/v1/workflows', {
      method: 'POST',
      body: {
        name: given.get('name'),
        cron: given.get('cron'),
        timezone: Intl.DateTimeFormat().resolvedOptions().timeZone || 'UTC',
        tasks: tasksOf({ operation: 'import/url', url }, steps, options),
      },
    })
    announce(words.saved)
    go(`/workflows/${workflow.id}`)
  }
  return (
    <Block title={words.save}>
      {url ? (
        <Form submit={words.saveButton} does={create} isQuiet>
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
        <p class="hint">{words.saveNeedsAddress}</p>
      )}
    </Block>
  )
}
