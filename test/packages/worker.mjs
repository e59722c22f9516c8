// Replaces Lambda's runtime: calls the handler of an extracted package and depends on nothing outside of its folder.
const [file, exported] = process.env._HANDLER.split('.')
const module = await import(`${process.env.LAMBDA_TASK_ROOT}/${file}.mjs`)
const handler = module[exported]

const sendMessage = (message) => new Promise((resolve) => process.send(message, () => resolve()))

async function invoke({ id, event, remainingMs, context, traceHeader }) {
  const deadline = performance.now() + remainingMs
  // From here on, the SDK sends this trace header, so that the chain of messages continues.
  process.env._X_AMZN_TRACE_ID = traceHeader
  try {
    const getRemainingTimeInMillis = () => Math.floor(deadline - performance.now())
    const value = await handler(event, { ...context, getRemainingTimeInMillis })
    await sendMessage({ type: 'result', id, value })
  } catch (error) {
    console.error(error)
    const failure = { errorType: error?.name ?? 'Error', errorMessage: String(error?.message ?? error) }
    await sendMessage({ type: 'error', id, failure })
  }
}

process.on('message', (message) => message.type === 'invoke' && void invoke(message))
process.on('disconnect', () => process.exit(0))
process.once('SIGTERM', () => process.exit(0))
setInterval(() => void sendMessage({ type: 'alive' }), 2000)
