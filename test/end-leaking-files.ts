import { isMainThread } from 'node:worker_threads'
import { endLeaking } from './end-leaking.ts'

// Loaded before each file of tests, and with it before all that is forked there.
const isFileOfTests = isMainThread && /\.(test|slow)\.ts$/.test(process.argv[1] ?? '')
if (isFileOfTests) endLeaking(30_000)
