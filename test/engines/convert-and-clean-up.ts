import type { ConversionSpec } from '../../lib/conversion/plan-files.ts'
import type { FormatId } from '../../lib/formats/index.ts'
import { type AlongWays, alongWays } from './convert-along-routes.ts'
import { removeAfterTests } from './run-engine.ts'

/** Along its ways, in folders that go when the tests are over. */
export function byWays(
  source: string,
  to: FormatId,
  options: ConversionSpec['options'] = {},
): Promise<AlongWays> {
  return alongWays(source, to, { options, onFolder: removeAfterTests })
}
