import type { FormatId } from '../../../lib/formats/index.ts'
import type { ConversionSpec } from '../../../lib/plan/plan-files.ts'
import { convertAlongRoutes, type RouteResult } from './convert-along-routes.ts'
import { removeAfterTests } from './run-engine.ts'

/** Converts along the planned routes, in folders that are removed after the tests. */
export function convertAndCleanUp(
  source: string,
  to: FormatId,
  options: ConversionSpec['options'] = {},
): Promise<RouteResult> {
  return convertAlongRoutes(source, to, { options, onFolder: removeAfterTests })
}
