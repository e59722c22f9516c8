// Loaded into a service with `--import`. On each SIGUSR2, it writes a number to the file EVENT_LOOP_FILE: the longest
// time for which the main thread worked without handling events, in milliseconds of processor time. Unlike the time
// until a reply arrives, processor time hardly depends on what else runs on the machine.
import { renameSync, writeFileSync } from 'node:fs'
import { isMainThread } from 'node:worker_threads'

const { EVENT_LOOP_FILE: file = '' } = process.env

if (isMainThread && process.argv[1]?.endsWith('/commands/start.ts')) {
  const readCpuMs = () => {
    const { user, system } = process.threadCpuUsage()
    return (user + system) / 1000
  }
  let lastMs = readCpuMs()
  let maxBusyMs = 0
  setInterval(() => {
    const now = readCpuMs()
    maxBusyMs = Math.max(maxBusyMs, now - lastMs)
    lastMs = now
  }, 2).unref()
  process.on('SIGUSR2', () => {
    writeFileSync(`${file}.new`, String(maxBusyMs))
    renameSync(`${file}.new`, file)
    maxBusyMs = 0
  })
}
