import { LossDetector } from '../../lib/jobs/run/loss-detector.ts'
import { createLog } from '../../lib/log.ts'
import type { Conversion } from '../../lib/plan/index.ts'
import { defined } from '../../lib/validation/defined.ts'
import type { RouteResult } from './run-route.ts'

const log = createLog({ LOG_LEVEL: 'silent', LOG_FILE: undefined })

/** Returns what the service would report for the result, such as `words=0.98 pages=1`, with `lost` if it would warn. */
export async function measureRetainedShares(
  { from, to }: Conversion,
  sample: string,
  routeResult: RouteResult,
): Promise<string> {
  const guard = new LossDetector(log)
  guard.start([{ path: sample, format: from }])
  const routeWarnings = routeResult.warnings.map((code) => ({ code, message: '' }))
  await guard.checkStep(
    { operation: 'convert', from, to, options: {} },
    { files: [routeResult], ...defined({ memberCounts: routeResult.listed }) },
    routeWarnings,
  )
  const shares = Object.entries(guard.fidelity ?? {}).flatMap(([unit, measure]) =>
    typeof measure === 'object' && 'share' in measure ? [`${unit}=${measure.share}`] : [],
  )
  return [...shares, ...(guard.shortfall ? ['lost'] : [])].join(' ')
}
