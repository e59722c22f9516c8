// `npm run fuzz -- api --requests 100000 --seed 1` sends many requests made from the OpenAPI document to a service of
// its own and checks every reply; `npm run fuzz -- decoders` reads changed files (decoders.ts).
import { parseArgs } from 'node:util'

async function fuzzApi(args: string[]): Promise<void> {
  const { fuzz } = await import('./api.ts')
  const { values } = parseArgs({
    args,
    options: { requests: { type: 'string', default: '10000' }, seed: { type: 'string', default: '1' } },
  })
  const startedAt = Date.now()
  let shownCount = 0
  const result = await fuzz({
    requests: Number(values.requests),
    seed: Number(values.seed),
    onProgress: ({ requests, statuses, failures }) => {
      for (const failure of failures.slice(shownCount)) console.log(failure)
      shownCount = failures.length
      if (requests % 5000 === 0) console.log(requests, JSON.stringify(statuses))
    },
  })
  console.log(JSON.stringify({ ...result, seconds: Math.round((Date.now() - startedAt) / 1000) }, null, 2))
  if (result.failures.length > 0 || result.unreached.length > 0) process.exitCode = 1
}

const [name, ...args] = process.argv.slice(2)
if (name === 'api') await fuzzApi(args)
else if (name === 'decoders') {
  const { main } = await import('./decoders.ts')
  await main(args)
} else {
  console.error('Usage: npm run fuzz -- api|decoders [options]')
  process.exitCode = 2
}
