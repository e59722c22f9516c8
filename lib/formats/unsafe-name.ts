import { AppError } from '../errors.ts'

/** Whether a name in an archive would end up outside of it, by the rules of Windows too: it may be unpacked there. */
export function isUnsafePath(name: string): boolean {
  return /^([/\\]|[A-Za-z]:[/\\])/.test(name) || name.split(/[/\\]/).includes('..')
}

export function unsafeNameError(name: string): AppError {
  const sentence = `The archive has an entry whose name leads out of it: ${JSON.stringify(name.slice(0, 80))}. It was not unpacked. Pack it again without that entry.`
  return new AppError('INVALID_INPUT', sentence, {
    field: 'file',
    reason: 'unsafe-name',
    name: name.slice(0, 255),
  })
}
