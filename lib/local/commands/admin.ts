import { randomBytes } from 'node:crypto'
import { parseArgs } from 'node:util'
import * as z from 'zod'
import { createAccount } from '../../access/auth/create-account.ts'
import { type AccountChange, updateAccount } from '../../access/manage-accounts.ts'
import { findAccountByEmail } from '../../accounts/accounts.ts'
import { ConfigError, processEnvironment, readConfig } from '../../config.ts'
import { openDailyKeys } from '../../crypto/derived-keys.ts'
import { deriveKey } from '../../crypto/sealed.ts'
import { AppError } from '../../errors.ts'
import { createLog } from '../../log.ts'
import { planIds, toPlanId } from '../../plans.ts'
import { accountNameSchema } from '../../validation/display-name.ts'
import { parseInput } from '../../validation/parse-input.ts'
import { formatFailure } from '../runtime/failure-text.ts'
import { openReplayTarget, ReplayError, type ReplayTarget } from './replay/replay-target.ts'

/** Manages accounts from the terminal, for example to create the first administrator. */
const usage = `Usage: npm run admin -- create-user EMAIL [--name NAME]   creates an account and prints its password
       npm run admin -- set-plan EMAIL PLAN                ${planIds.join(', ')}
       npm run admin -- make-admin EMAIL

Set DATA_DIR as for the service, which may be running or not.`

class UsageError extends Error {}

const NameInput = z.object({ name: accountNameSchema })

const commands: Readonly<
  Record<
    string,
    (target: ReplayTarget, email: string, otherArgs: readonly string[], name?: string) => Promise<string>
  >
> = {
  'create-user': async (target, email, _otherArgs, name = email.split('@')[0] ?? email) => {
    const input = parseInput(NameInput, { name }, 'name')
    const password = randomBytes(12).toString('base64url')
    const id = await createAccount({ email, password, ...input }, createAccountServices(target))
    if (id === undefined) throw new UsageError(`An account with the email address ${email} already exists.`)
    return `Created account ${id} for ${email}, password ${password}`
  },
  'set-plan': async (target, email, [name = '']) => {
    const plan = toPlanId(name)
    if (!plan) throw new UsageError(`Expected one of the plans ${planIds.join(', ')}, got "${name}".`)
    return changeAccount(target, email, { plan }, `now has the plan ${plan}`)
  },
  'make-admin': (target, email) => changeAccount(target, email, { role: 'ADMIN' }, 'is now an administrator'),
}

async function changeAccount(
  target: ReplayTarget,
  email: string,
  to: AccountChange,
  result: string,
): Promise<string> {
  const services = createAccountServices(target)
  const account = await findAccountByEmail(services, email)
  if (!account)
    throw new UsageError(`There is no account with the email address ${email}. Create it with create-user.`)
  await updateAccount(account.id, to, { id: 'command' }, services)
  return `${account.email} ${result}.`
}

function createAccountServices({ table, vault, secret }: ReplayTarget) {
  if (!vault || secret === undefined)
    throw new UsageError('SERVICE_SECRET is not set: set it to the secret of the deployment.')
  const key = (purpose: 'owner' | 'cursor' | 'idempotency' | 'accounts' | 'signed urls') =>
    deriveKey(secret, purpose)
  const keys = {
    owner: key('owner'),
    cursor: key('cursor'),
    idempotency: key('idempotency'),
    accounts: key('accounts'),
    signedUrls: key('signed urls'),
    download: openDailyKeys({ SERVICE_SECRET: secret }),
  }
  const config = readConfig(processEnvironment)
  const log = createLog({ LOG_LEVEL: 'silent', LOG_FILE: undefined })
  return { table, vault, keys, config, log }
}

async function main(): Promise<string> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { name: { type: 'string' } },
  })
  const [name = '', email, ...extraPositionals] = positionals
  const command = commands[name]
  if (!command || !email) throw new UsageError(usage)
  const target = await openReplayTarget()
  try {
    return await command(target, email, extraPositionals, values.name)
  } finally {
    await target.close()
  }
}

try {
  process.stdout.write(`${await main()}\n`)
} catch (error) {
  const isExpected = [UsageError, AppError, ReplayError, ConfigError].some((kind) => error instanceof kind)
  process.stderr.write(`${isExpected && error instanceof Error ? error.message : formatFailure(error)}\n`)
  process.exitCode = 1
}
