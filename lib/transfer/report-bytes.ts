/**
 * Returns a function to call with the current position in a file. Parts of the file may be sent again, so the function
 * reports only bytes beyond the highest position so far.
 */
export function createByteReporter(onSent: (bytes: number) => void): (position: number) => void {
  let reportedBytes = 0
  return (position) => {
    onSent(Math.max(0, position - reportedBytes))
    reportedBytes = Math.max(reportedBytes, position)
  }
}
