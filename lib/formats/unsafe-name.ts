import { AppError } from '../errors.ts'

/** Returns whether an archive entry would be extracted outside of the target folder, on Windows as well. */
export function isUnsafePath(name: string): boolean {
  return /^([/\\]|[A-Za-z]:[/\\])/.test(name) || name.split(/[/\\]/).includes('..')
}

export function createUnsafeNameError(name: string): AppError {
  const sentence = `The archive contains an entry with an unsafe path: ${JSON.stringify(name.slice(0, 80))}. It was not extracted. Create the archive again without that entry.`
  return new AppError('INVALID_INPUT', sentence, {
    field: 'file',
    reason: 'unsafe-name',
    name: name.slice(0, 255),
  })
}
