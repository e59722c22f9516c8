import { randomBytes } from 'node:crypto'
import { readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as z from 'zod'

const DataFolderSecrets = z.object({
  /** Signs identities and seals passwords. */
  serviceSecret: z.string(),
  /** Access key of the embedded AWS servers. */
  accessKeyId: z.string(),
  secretAccessKey: z.string(),
})
export type DataFolderSecrets = z.infer<typeof DataFolderSecrets>

/** Loads the random secrets of the data folder, which are created at the first start, readable by the service only. */
export async function loadSecrets(dataDir: string): Promise<DataFolderSecrets> {
  const path = join(dataDir, 'secrets.json')
  const known = await readFile(path, 'utf8').catch((error) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  if (known !== undefined) return DataFolderSecrets.parse(JSON.parse(known))
  const secrets: DataFolderSecrets = {
    serviceSecret: randomBytes(32).toString('base64url'),
    accessKeyId: `MUTABOR${randomBytes(8).toString('hex').toUpperCase()}`,
    secretAccessKey: randomBytes(30).toString('base64url'),
  }
  // Atomic, even if the power fails.
  await writeFile(`${path}.new`, JSON.stringify(secrets), { mode: 0o600, flush: true })
  await rename(`${path}.new`, path)
  return secrets
}
