import { stopDecoders } from './detect-format.ts'
import { stopCounting } from './read-summary.ts'
import { stopEngines } from './run-engine.ts'

/** Ends all decoder processes of this process and removes their folders. */
export const stopDecoderProcesses = () => Promise.all([stopDecoders(), stopCounting(), stopEngines()])
