/** An error that AWS documents: its code and sentence go to the client as they are. */
export class AwsError extends Error {
  readonly code: string
  readonly status: number

  constructor(code: string, message: string, status = 400) {
    super(message)
    this.name = 'AwsError'
    this.code = code
    this.status = status
  }
}

export const invalid = (message: string) => new AwsError('ValidationException', message)

export const notFound = (message: string, status = 400) =>
  new AwsError('ResourceNotFoundException', message, status)

export const badPattern = (reason: string) =>
  new AwsError('InvalidEventPatternException', `Event pattern is not valid. Reason: ${reason}`)
