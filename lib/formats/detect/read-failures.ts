import type { ByteSource } from './byte-source.ts'

/**
 * Runs checks of a file. Checks treat an unreadable file as damaged, but an interrupted read says nothing about the
 * file, so the error of the read is thrown instead of the result of the checks.
 */
export async function rethrowReadFailures<T>(
  { filename, size, read }: ByteSource,
  check: (source: ByteSource) => Promise<T>,
): Promise<T> {
  const failures: unknown[] = []
  const readFully: ByteSource['read'] = async (start, end) => {
    try {
      const bytes = await read(start, end)
      if (bytes.length < Math.min(end, size) - start) throw new Error('a file was not read completely')
      return bytes
    } catch (error) {
      failures.push(error)
      throw error
    }
  }
  const [result] = await Promise.allSettled([check({ filename, size, read: readFully })])
  if (failures.length > 0) throw failures[0]
  if (result.status === 'rejected') throw result.reason
  return result.value
}
