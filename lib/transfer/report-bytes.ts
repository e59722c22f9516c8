/**
 * Returns a function that takes the current position in a file, parts of which may be sent again, and reports only new
 * bytes.
 */
export function createByteReporter(onSent: (bytes: number) => void): (position: number) => void {
  let reportedBytes = 0
  return (position) => {
    onSent(Math.max(0, position - reportedBytes))
    reportedBytes = Math.max(reportedBytes, position)
  }
}
