import { parseArgs } from 'node:util'
import { redriveMessages, republishEvents } from '../../aws/dead-letters.ts'
import { ConfigError, processEnvironment, readConfig } from '../../config.ts'
import { findDeclaration, functionNames } from '../../resources/functions.ts'
import { queueIds } from '../../resources/queues.ts'
import { formatFailure } from '../runtime/failure-text.ts'
import { connectToRunningService, ReplayError } from './replay/replay-target.ts'

/** `npm run redrive -- av --stage prod` moves messages back from a dead-letter queue. */
const eventFunctions = functionNames.filter((name) => findDeclaration(name)?.deadLetter)

const usage = `Usage: npm run redrive -- QUEUE [--stage STAGE]

  QUEUE          ${[...queueIds, ...eventFunctions].join(', ')}
  --stage STAGE  stage of a deployment, with AWS_REGION and credentials (default: the running service of DATA_DIR)`

class UsageError extends Error {}

async function main(): Promise<string> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { stage: { type: 'string' } },
  })
  const [name] = positionals
  const isEventFunction = eventFunctions.some((eventFunction) => eventFunction === name)
  if (positionals.length !== 1 || !(isEventFunction || queueIds.some((queueId) => queueId === name)))
    throw new UsageError(usage)
  if (values.stage === undefined) await connectToRunningService()
  const { AWS_REGION: region } = readConfig(processEnvironment)
  const bus = values.stage === undefined ? 'mutabor' : `mutabor-${values.stage}`
  const queue = `${bus}-${name}-dead`
  if (isEventFunction)
    return `${await republishEvents(queue, bus, region)} events of ${queue} were published on the bus again.`
  const { movedCount, isFinished } = await redriveMessages(queue, region)
  return `${movedCount} messages of ${queue} were moved back.${isFinished ? '' : ' SQS continues with the others.'}`
}

try {
  process.stdout.write(`${await main()}\n`)
} catch (error) {
  process.stderr.write(`${formatFailure(error, UsageError, ReplayError, ConfigError)}\n`)
  process.exitCode = 1
}
