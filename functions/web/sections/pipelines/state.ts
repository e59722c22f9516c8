import { effect, signal } from '@preact/signals'
import { checkSteps, type StepCheck } from './check-steps.ts'
import { type Pipeline, type PipelineStep, parsePipeline } from './pipeline.ts'

/** The pipeline on the page, which is stored in this browser. */

const storageKey = 'pipeline'

function loadPipeline(): Pipeline {
  try {
    return parsePipeline(localStorage.getItem(storageKey))
  } catch {
    return parsePipeline(null)
  }
}

export const pipeline = signal<Pipeline>(loadPipeline())
/** Check results of the steps that have been checked. */
export const checks = signal<readonly StepCheck[]>([])
export const isChecking = signal(false)

/** Debounce delay, so that not every key press causes a request. */
const pauseMs = 250

let timer: ReturnType<typeof setTimeout> | undefined
let latestVersion = 0

effect(() => {
  const { from, steps } = pipeline.value
  clearTimeout(timer)
  const version = ++latestVersion
  timer = setTimeout(() => {
    isChecking.value = true
    void checkSteps(from, steps).then((newChecks) => {
      // A newer change is already being checked.
      if (version !== latestVersion) return
      checks.value = newChecks
      isChecking.value = false
      savePipeline()
    })
  }, pauseMs)
})

/** Stores the pipeline without passwords. */
function savePipeline(): void {
  const { steps } = pipeline.value
  const stepsWithoutSecrets = steps.map((step, at): PipelineStep => {
    const secretOptions = checks.value[at]?.options.filter(({ widget }) => widget === 'password') ?? []
    const secretNames = new Set(secretOptions.map(({ name }) => name))
    return {
      ...step,
      values: Object.fromEntries(Object.entries(step.values).filter(([name]) => !secretNames.has(name))),
    }
  })
  try {
    localStorage.setItem(storageKey, JSON.stringify({ ...pipeline.value, steps: stepsWithoutSecrets }))
  } catch {
    // Storage is denied or full, so the pipeline lasts until the page is closed.
  }
}

export function updatePipeline(changedFields: Partial<Pipeline>): void {
  pipeline.value = { ...pipeline.value, ...changedFields }
}

const createStepKey = () => crypto.randomUUID?.() ?? String(Math.random())

export const addStep = (step: Omit<PipelineStep, 'key' | 'values'>) =>
  updatePipeline({ steps: [...pipeline.value.steps, { ...step, key: createStepKey(), values: {} }] })

export const updateStep = (key: string, changedFields: Partial<PipelineStep>) =>
  updatePipeline({
    steps: pipeline.value.steps.map((step) => (step.key === key ? { ...step, ...changedFields } : step)),
  })

export const removeStep = (key: string) =>
  updatePipeline({ steps: pipeline.value.steps.filter((step) => step.key !== key) })

export function moveStep(at: number, by: 1 | -1): void {
  const steps = [...pipeline.value.steps]
  const [movedStep] = steps.splice(at, 1)
  if (!movedStep) return
  steps.splice(at + by, 0, movedStep)
  updatePipeline({ steps })
}
