import type { TestEvent } from 'node:test/reporters'

/** A reporter of Node's test runner: `{"ran": number, "failed": string[]}`, files by their paths. */
export default async function* failedFiles(events: AsyncIterable<TestEvent>) {
  const ran = new Set<string>()
  const failed = new Set<string>()
  for await (const { type, data } of events) {
    if (type !== 'test:pass' && type !== 'test:fail') continue
    if (!data.file) continue
    ran.add(data.file)
    if (type === 'test:fail' && data.todo === undefined) failed.add(data.file)
  }
  yield JSON.stringify({ ran: ran.size, failed: [...failed].sort() })
}
