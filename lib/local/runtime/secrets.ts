import { createHash, randomBytes } from 'node:crypto'
import { readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as z from 'zod'
import { DamagedDataError } from './damaged-data-error.ts'
import { describeFileError, syncFolder } from './data-files.ts'

const secretFields = {
  /** The secret with which identities are signed and passwords are sealed. */
  serviceSecret: z.string().min(1),
  /** Access key of the embedded AWS servers. */
  accessKeyId: z.string().min(1),
  secretAccessKey: z.string().min(1),
}
const DataFolderSecrets = z.object(secretFields)
export type DataFolderSecrets = z.infer<typeof DataFolderSecrets>

/** The object is strict, so that a damaged field name is noticed. Files of older versions have no checksum. */
const StoredSecrets = z.strictObject({ ...secretFields, checksum: z.string().optional() })

export const secretsFile = 'secrets.json'

/**
 * Reads the secrets of the data folder; undefined if there are none.
 * @throws DamagedSecretsError if the file of secrets is damaged
 */
export async function readStoredSecrets(dataDir: string): Promise<DataFolderSecrets | undefined> {
  return (await readStored(dataDir))?.secrets
}

/**
 * Loads the random secrets of the data folder. The first start creates them, readable by the service only. The caller
 * must hold the lock of the folder and ensure that no data in it needs other secrets.
 */
export async function loadSecrets(dataDir: string): Promise<DataFolderSecrets> {
  const storedSecrets = await readStored(dataDir)
  const secrets = storedSecrets?.secrets ?? {
    serviceSecret: randomBytes(32).toString('base64url'),
    accessKeyId: `MUTABOR${randomBytes(8).toString('hex').toUpperCase()}`,
    secretAccessKey: randomBytes(30).toString('base64url'),
  }
  if (!storedSecrets?.hasChecksum) await writeSecrets(dataDir, secrets)
  return secrets
}

async function readStored(dataDir: string) {
  const path = join(dataDir, secretsFile)
  const text = await readFile(path, 'utf8').catch((error) => {
    if (error.code === 'ENOENT') return undefined
    throw new Error(`The file ${path} cannot be read (${describeFileError(error)}).`, { cause: error })
  })
  if (text === undefined) return undefined
  const parsedSecrets = StoredSecrets.safeParse(parseJson(path, text))
  if (!parsedSecrets.success) throw createDamagedError(path, 'it does not contain the expected fields')
  const { checksum, ...secrets } = parsedSecrets.data
  if (checksum !== undefined && checksum !== computeChecksum(secrets))
    throw createDamagedError(
      path,
      'its checksum does not match the secrets (if you changed them yourself, remove "checksum")',
    )
  return { secrets, hasChecksum: checksum !== undefined }
}

function parseJson(path: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw createDamagedError(path, text.trim() === '' ? 'it is empty' : 'it is not valid JSON')
  }
}

const createDamagedError = (path: string, reason: string) =>
  new DamagedSecretsError(`The file ${path} is damaged: ${reason}. Restore a backup.`, reason)

/** The file of secrets exists, but its content is not what was written. */
export class DamagedSecretsError extends DamagedDataError {
  readonly reason: string

  constructor(message: string, reason: string) {
    super(message)
    this.reason = reason
  }
}

const computeChecksum = ({ serviceSecret, accessKeyId, secretAccessKey }: DataFolderSecrets): string =>
  createHash('sha256')
    .update(JSON.stringify([serviceSecret, accessKeyId, secretAccessKey]))
    .digest('hex')

/** Writes the secrets atomically, even if the power fails. */
async function writeSecrets(dataDir: string, secrets: DataFolderSecrets): Promise<void> {
  const path = join(dataDir, secretsFile)
  const text = JSON.stringify({ ...secrets, checksum: computeChecksum(secrets) })
  await writeFile(`${path}.new`, text, { mode: 0o600, flush: true })
  await rename(`${path}.new`, path)
  // From now on, data is written that needs these secrets, so they must be on disk first.
  await syncFolder(dataDir)
}
