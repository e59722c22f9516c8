import { parseArgs } from 'node:util'
import { redriveMessages, republishEvents } from '../../aws/dead-letters.ts'
import { ConfigError, processEnvironment, readConfig } from '../../config.ts'
import { findDeclaration, functionNames } from '../../resources/functions.ts'
import { queueIds } from '../../resources/queues.ts'
import { formatFailure } from '../runtime/failure-text.ts'
import { connectToRunningService, ReplayError } from './replay/replay-target.ts'

/** `npm run redrive -- av --stage prod` moves messages back from a dead-letter queue. */
const eventFunctionNames = functionNames.filter((name) => findDeclaration(name)?.deadLetter)

const usage = `Usage: npm run redrive -- QUEUE [--stage STAGE]

  QUEUE          ${[...queueIds, ...eventFunctionNames].join(', ')}
  --stage STAGE  stage of a deployment, with AWS_REGION and credentials (default: the running service of DATA_DIR)`

class UsageError extends Error {}

async function main(): Promise<string> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { stage: { type: 'string' } },
  })
  const [name] = positionals
  const isEventFunction = eventFunctionNames.some((eventFunctionName) => eventFunctionName === name)
  if (positionals.length !== 1 || !(isEventFunction || queueIds.some((queueId) => queueId === name)))
    throw new UsageError(usage)
  if (values.stage === undefined) await connectToRunningService()
  const { AWS_REGION: region } = readConfig(processEnvironment)
  const busName = values.stage === undefined ? 'mutabor' : `mutabor-${values.stage}`
  const queueName = `${busName}-${name}-dead`
  if (isEventFunction)
    return `${await republishEvents(queueName, busName, region)} events of ${queueName} were published on the bus again.`
  const { movedCount, isFinished } = await redriveMessages(queueName, region)
  return `${movedCount} messages of ${queueName} were moved back.${isFinished ? '' : ' SQS continues with the others.'}`
}

try {
  process.stdout.write(`${await main()}\n`)
} catch (error) {
  process.stderr.write(`${formatFailure(error, UsageError, ReplayError, ConfigError)}\n`)
  process.exitCode = 1
}
