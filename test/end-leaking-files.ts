import { isMainThread } from 'node:worker_threads'
import { endLeaking } from './end-leaking.ts'

// Loaded before each test file, and therefore also in the processes that it forks.
const isTestFile = isMainThread && /\.(test|slow)\.ts$/.test(process.argv[1] ?? '')
if (isTestFile) endLeaking(30_000)
