import { readFileSync } from 'node:fs'
import type { ImageId } from '../component-ids.ts'
import type { FunctionName } from '../resources/functions.ts'
import jobCalls from './job-calls.json' with { type: 'json' }

/**
 * What the most common job uses: a conversion that is asked for once and whose result is downloaded once. The units of
 * the table are counted by `test/deployment/job-calls.test.ts`, the other calls by the benchmark (sections
 * `control-plane` and `scale`).
 */
export const usagePerJob = {
  requests: 3,
  writeUnits: jobCalls.writes.units,
  readUnits: jobCalls.reads.units,
  objects: 2,
  /** Messages for `prepare` and for the image. */
  messages: 2,
  /** Calls of SQS for these messages. */
  queue: 9,
  /** Calls of PutEvents: when the job is created and when it ends. */
  eventCalls: 2,
  /** Events in these calls: the upload, `created`, `queued`, `started` and `completed`. */
  events: 5,
  logGb: 8e-6,
}

/** What each event uses in addition that is published while a job runs: `started` after 300 ms, and its progress. */
export const usagePerProgressEvent = { writeUnits: 2, readUnits: 3, eventCalls: 1 }

/**
 * What the job of a client that was not seen recently uses in addition: each of its two rate-limit windows starts with
 * a write whose condition is not met.
 */
export const perNewClient = { writeUnits: 2 }

interface Invocations {
  readonly count: number
  /** Of each, warm. Estimates: 10 ms for each call of AWS that waits for another, and the CPU time. */
  readonly seconds: number
}

/** The functions that such a job invokes, besides that of its image. */
export const jobInvocations: { readonly [name in FunctionName]?: Invocations } = {
  conversion: { count: 1, seconds: 0.2 },
  jobs: { count: 2, seconds: 0.2 },
  prepare: { count: 1, seconds: 0.3 },
  'count-usage': { count: 1, seconds: 0.05 },
  'record-metrics': { count: 1, seconds: 0.03 },
}

const imagesReadme = readFileSync(new URL('../../layers/README.md', import.meta.url), 'utf8')

/**
 * Returns the size in MB and the seconds of a warm conversion from the table in layers/README.md, or undefined if they
 * were not measured.
 */
export function getMeasuredFigures(image: ImageId) {
  const [, imageMb, seconds] =
    new RegExp(`^\\| ${image} \\| ([\\d.]+) \\| [^|]+ \\| ([\\d.]+) \\|`, 'm').exec(imagesReadme) ?? []
  return seconds === undefined ? undefined : { imageMb: Number(imageMb), warmStartS: Number(seconds) }
}
