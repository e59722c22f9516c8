// Detects recursive loops with a trace header that counts how many times each function ran in one chain of requests.
// SQS stores the header with a message, and the SDK adds the header of the running invocation to its requests.
// https://docs.aws.amazon.com/lambda/latest/dg/invocation-recursion.html
import { createHash, randomBytes } from 'node:crypto'

/** Maximum number of times a function may run in one chain of requests; the next invocation is stopped. */
export const maxChainedInvocations = 16

const rootField = 'Root='
const lineageField = 'Lineage='

/** The trace header of the next invocation of a function, and its number in the chain. */
export interface ChainedInvocation {
  readonly traceHeader: string
  readonly number: number
}

/**
 * Continues the chain of requests that led to a batch.
 * @param traceHeaders headers of the messages of the batch; for each function, the highest count applies
 */
export function continueLineage(traceHeaders: readonly string[], functionName: string): ChainedInvocation {
  const fields = traceHeaders.flatMap((header) => header.split(';'))
  const root = fields.find((field) => field.startsWith(rootField)) ?? `${rootField}${createTraceId()}`
  const counts = new Map<string, number>()
  for (const field of fields) {
    if (!field.startsWith(lineageField)) continue
    for (const entry of field.slice(lineageField.length).split('|')) {
      const [id = '', count] = entry.split(':')
      counts.set(id, Math.max(counts.get(id) ?? 0, Number(count)))
    }
  }
  const id = hashFunctionName(functionName)
  const number = (counts.get(id) ?? 0) + 1
  counts.set(id, number)
  const lineage = [...counts].map((entry) => entry.join(':')).join('|')
  return { traceHeader: `${root};${lineageField}${lineage}`, number }
}

/** Returns the hash that names a function in the header. */
const hashFunctionName = (functionName: string) =>
  createHash('sha256').update(functionName).digest('hex').slice(0, 8)

const createTraceId = () =>
  `1-${Math.floor(Date.now() / 1000).toString(16)}-${randomBytes(12).toString('hex')}`
