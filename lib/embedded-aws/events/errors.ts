// The errors that most operations of the event bus share.
import { ApiError } from '../signed-api.ts'

export const validationError = (message: string) => new ApiError('ValidationException', message)

export const resourceNotFoundError = (message: string, status = 400) =>
  new ApiError('ResourceNotFoundException', message, status)

export const limitExceededError = () =>
  new ApiError('LimitExceededException', 'The requested resource exceeds the maximum number allowed.')

export const throttlingError = () => new ApiError('ThrottlingException', 'Rate exceeded')

export const invalidPatternError = (reason: string) =>
  new ApiError('InvalidEventPatternException', `Event pattern is not valid. Reason: ${reason}`)
