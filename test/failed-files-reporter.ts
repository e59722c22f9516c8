import type { TestEvent } from 'node:test/reporters'

/** A reporter for Node's test runner that prints `{"ran": number of files, "failed": [paths of the failed files]}`. */
export default async function* reportFailedFiles(events: AsyncIterable<TestEvent>) {
  const finishedFiles = new Set<string>()
  const failedFiles = new Set<string>()
  for await (const event of events) {
    // A test may be defined in an imported file: only the summary names the file that was run.
    if (event.type === 'test:summary' && event.data.file) {
      finishedFiles.add(event.data.file)
      if (!event.data.success) failedFiles.add(event.data.file)
    }
    // A killed file has no summary. If one of its tests had failed before, only that test is reported; otherwise the
    // file itself is reported as a test.
    if (event.type === 'test:fail') {
      const { entryFile, file, name } = event.data as typeof event.data & { readonly entryFile?: string }
      const killedFile = entryFile ?? (file?.endsWith(name) ? file : undefined)
      if (killedFile === undefined) continue
      finishedFiles.add(killedFile)
      failedFiles.add(killedFile)
    }
  }
  yield JSON.stringify({ ran: finishedFiles.size, failed: [...failedFiles].sort() })
}
