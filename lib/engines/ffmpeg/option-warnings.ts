import { describeNames } from '../../model/warning-details.ts'
import type { MediaWarning } from './recipe.ts'

export function createUnusedOptionWarning(name: string): MediaWarning {
  return {
    code: 'OPTION_NOT_USED',
    message: `${name} was ignored because the codec does not support it.`,
    details: describeNames([name]),
  }
}

/** Creates the warning for a value that the codec does not support, so that another one is used. */
export function createNearestValueWarning(name: string, requested: number, used: number): MediaWarning {
  const message = `${name} is ${used} instead of ${requested}: the codec does not support the requested value.`
  return { code: 'OPTION_NOT_USED', message, details: describeNames([name]) }
}
