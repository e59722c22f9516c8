import { readFileSync } from 'node:fs'
import type { ImageId } from '../component-ids.ts'
import type { FunctionName } from '../resources/functions.ts'
import jobCalls from './job-calls.json' with { type: 'json' }

/**
 * Usage of the most common job: a conversion whose status is requested once and whose result is downloaded once.
 * `test/deployment/job-calls.test.ts` counts the table's read and write units; the benchmark (sections `control-plane`
 * and `scale`) counts the other calls.
 */
export const usagePerJob = {
  requests: 3,
  writeUnits: jobCalls.writes.units,
  readUnits: jobCalls.reads.units,
  objects: 2,
  /** One message for `prepare` and one for the image. */
  messages: 2,
  /** Number of SQS calls for these messages. */
  queue: 9,
  /** Number of PutEvents calls: one when the job is created and one when it ends. */
  eventCalls: 2,
  /** Number of events in these calls: the upload, `created`, `queued`, `started` and `completed`. */
  events: 5,
  logGb: 8e-6,
}

/** Additional usage of each event that a running job publishes: `started` after 300 ms, and each progress event. */
export const usagePerProgressEvent = { writeUnits: 2, readUnits: 3, eventCalls: 1 }

/**
 * Additional usage of a job whose client was not seen recently: each of its two rate-limit windows starts with a write
 * whose condition fails.
 */
export const usagePerNewClient = { writeUnits: 2 }

interface Invocations {
  readonly count: number
  /**
   * Seconds of one warm invocation, estimated from its CPU time plus 10 ms for each AWS call that waits for another.
   */
  readonly seconds: number
}

/** The functions that the most common job invokes, besides the function of its image. */
export const jobInvocations: { readonly [name in FunctionName]?: Invocations } = {
  conversion: { count: 1, seconds: 0.2 },
  jobs: { count: 2, seconds: 0.2 },
  prepare: { count: 1, seconds: 0.3 },
  'count-usage': { count: 1, seconds: 0.05 },
  'record-metrics': { count: 1, seconds: 0.03 },
}

const imagesReadme = readFileSync(new URL('../../layers/README.md', import.meta.url), 'utf8')

/**
 * Returns the size of an image in MB and the seconds that a warm conversion in it takes, from the table in
 * layers/README.md; undefined if they were not measured.
 */
export function getMeasuredFigures(image: ImageId) {
  const [, imageMb, seconds] =
    new RegExp(`^\\| ${image} \\| ([\\d.]+) \\| [^|]+ \\| ([\\d.]+) \\|`, 'm').exec(imagesReadme) ?? []
  return seconds === undefined ? undefined : { imageMb: Number(imageMb), warmConversionS: Number(seconds) }
}
