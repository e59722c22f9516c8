// The errors that most operations of the event bus share.
import { ApiError } from '../signed-api.ts'

export const createValidationError = (message: string) => new ApiError('ValidationException', message)

export const createResourceNotFoundError = (message: string, status = 400) =>
  new ApiError('ResourceNotFoundException', message, status)

export const createLimitExceededError = () =>
  new ApiError('LimitExceededException', 'The requested resource exceeds the maximum number allowed.')

export const createThrottlingError = () => new ApiError('ThrottlingException', 'Rate exceeded')

export const createInvalidPatternError = (reason: string) =>
  new ApiError('InvalidEventPatternException', `Event pattern is not valid. Reason: ${reason}`)
