import type { TestEvent } from 'node:test/reporters'

/** A reporter of Node's test runner: `{"ran": number, "failed": string[]}`, files by their paths. */
export default async function* failedFiles(events: AsyncIterable<TestEvent>) {
  const ran = new Set<string>()
  const failed = new Set<string>()
  for await (const event of events) {
    // A test may stand in a file that others import: only the summary names the file that was run.
    if (event.type === 'test:summary' && event.data.file) {
      ran.add(event.data.file)
      if (!event.data.success) failed.add(event.data.file)
    }
    // One that ended without a summary, as in a crash, is a test by its own name.
    if (event.type === 'test:fail' && event.data.file?.endsWith(event.data.name)) {
      ran.add(event.data.file)
      failed.add(event.data.file)
    }
  }
  yield JSON.stringify({ ran: ran.size, failed: [...failed].sort() })
}
