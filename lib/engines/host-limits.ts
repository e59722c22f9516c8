import { availableParallelism } from 'node:os'
import { processEnvironment } from '../config.ts'
import type { EngineLimits } from './engine.ts'

/** Memory in MB that is reserved for Node, our own code and the AWS SDK. */
export const runtimeMemoryMb = 256

/** More threads than this hardly make a program faster. */
const maxThreads = 8

/** Read once: each call would read files of the kernel. */
const availableProcessors = availableParallelism()

/**
 * Returns the number of threads that one program should use. On Lambda, the number of processors depends on the memory
 * size.
 */
export const getAvailableThreads = (processors = availableProcessors): number =>
  Math.min(maxThreads, Math.max(1, processors))

/**
 * Lowers the memory limit of a step if the Lambda function has less memory than its engine declares.
 * @param functionMb memory of the Lambda function; unlimited elsewhere
 */
export function computeEffectiveLimits(
  limits: EngineLimits,
  functionMb = Number(processEnvironment['AWS_LAMBDA_FUNCTION_MEMORY_SIZE'] || Number.POSITIVE_INFINITY),
): EngineLimits {
  return { ...limits, memoryMb: Math.min(limits.memoryMb, functionMb - runtimeMemoryMb) }
}
