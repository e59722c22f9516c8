import { availableParallelism } from 'node:os'
import { processEnvironment } from '../config.ts'
import type { EngineLimits } from './engine.ts'

/** Room for Node, our own code and the SDK beside the engine, in MB. */
export const runtimeMemoryMb = 256

/** Beyond it a program gains little more by another thread. */
const maxThreads = 8

/** Processors that one program may keep busy: those that are there, on Lambda as many as the memory buys. */
export const availableThreads = (processors = availableParallelism()): number =>
  Math.min(maxThreads, Math.max(1, processors))

/**
 * What a step may take where it runs: a function may have been given less memory than its engines ask for.
 * @param functionMb memory of the function, which Lambda tells it; undefined on one machine
 */
export function effectiveLimits(
  limits: EngineLimits,
  functionMb = Number(processEnvironment['AWS_LAMBDA_FUNCTION_MEMORY_SIZE'] || Number.POSITIVE_INFINITY),
): EngineLimits {
  return { ...limits, memoryMb: Math.min(limits.memoryMb, functionMb - runtimeMemoryMb) }
}
