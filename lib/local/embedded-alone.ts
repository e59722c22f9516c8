import { mkdirSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { createLog } from '../log.ts'
import { lockDataFolder } from './data-lock.ts'
import { openEmbedded } from './embedded.ts'
import { loadSecrets } from './secrets.ts'

/** Starts the embedded AWS servers alone, for any AWS tool: `npm run embedded -- --data DIR --port-base N --json`. */
const { values } = parseArgs({
  options: {
    data: { type: 'string', default: '.data-embedded' },
    'port-base': { type: 'string', default: '0' },
    region: { type: 'string', default: 'eu-central-1' },
    json: { type: 'boolean', default: false },
  },
})

const dir = resolve(values.data)
mkdirSync(dir, { recursive: true, mode: 0o700 })
const lock = lockDataFolder(dir)
const secrets = await loadSecrets(dir)
const log = createLog({ LOG_LEVEL: 'info', LOG_FILE: `${dir}/embedded.log` })
const embedded = await openEmbedded({
  dir,
  region: values.region,
  credentials: secrets,
  ...(Number(values['port-base']) > 0 && { portBase: Number(values['port-base']) }),
  invoke: async (arn) => {
    throw new Error(`there is no function ${arn} here: functions run in the whole service only`)
  },
  log,
})

const variables = {
  ...Object.fromEntries(
    Object.entries(embedded.urls).map(([service, url]) => [`AWS_ENDPOINT_URL_${service}`, url]),
  ),
  AWS_ACCESS_KEY_ID: secrets.accessKeyId,
  AWS_SECRET_ACCESS_KEY: secrets.secretAccessKey,
  AWS_REGION: values.region,
  AWS_DEFAULT_REGION: values.region,
}
const lines = Object.entries(variables).map(([name, value]) => `export ${name}=${value}`)
process.stdout.write(values.json ? `${JSON.stringify(variables)}\n` : `${lines.join('\n')}\n`)

let ending = false
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    if (ending) return
    ending = true
    void embedded.close().then(() => {
      lock.release()
      process.exit(0)
    })
  })
}
