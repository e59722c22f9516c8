import { createOTP } from '@better-auth/utils/otp'
import { APIError, getSessionFromCtx } from 'better-auth/api'
import { symmetricDecrypt } from 'better-auth/crypto'
import type { Table } from '../../aws/table.ts'

/** Length of a TOTP step in seconds. better-auth accepts the current step, the one before and the one after. */
const periodS = 30
const acceptedStepOffsets = [0, -1, 1] as const

type Context = Parameters<typeof getSessionFromCtx>[0]

/**
 * Reserves the time step of a TOTP code before better-auth verifies it, so that an intercepted code works only once.
 * RFC 6238, 5.2: "The verifier MUST NOT accept the second attempt of the OTP".
 * @throws APIError 401 INVALID_CODE if the step is not later than the last step that was used.
 */
export async function reserveTotpStep(
  context: Context,
  code: unknown,
  table: Table,
  now = Date.now(),
): Promise<void> {
  const userId = await findSigningInUserId(context)
  if (userId === undefined || typeof code !== 'string') return
  const step = await findMatchingStep(code, userId, context, now)
  // The code is wrong: better-auth refuses it and counts the attempt.
  if (step === undefined) return
  const { applied } = await table.update(
    { pk: `TOTP#${userId}`, sk: 'TOTP' },
    { set: { lastStep: step, ttl: (step + 10) * periodS } },
    { condition: { below: { lastStep: step } } },
  )
  if (applied) return
  throw new APIError('UNAUTHORIZED', { code: 'INVALID_CODE' })
}

/**
 * Returns the account of the session, or the account whose password was accepted but whose second factor is missing.
 */
async function findSigningInUserId(context: Context): Promise<string | undefined> {
  const session = await getSessionFromCtx(context)
  if (session) return session.user.id
  const { name } = context.context.createAuthCookie('two_factor')
  const pendingCookie = await context.getSignedCookie(name, context.context.secret)
  if (!pendingCookie) return undefined
  return (await context.context.internalAdapter.findVerificationValue(pendingCookie))?.value
}

async function findMatchingStep(
  code: string,
  userId: string,
  { context }: Context,
  now: number,
): Promise<number | undefined> {
  const where = [{ field: 'userId', value: userId }]
  const storedFactor = await context.adapter.findOne<{ secret: string }>({ model: 'twoFactor', where })
  if (!storedFactor) return undefined
  const secret = await symmetricDecrypt({ key: context.secretConfig, data: storedFactor.secret })
  const currentStep = Math.floor(now / 1000 / periodS)
  const otp = createOTP(secret, { digits: 6, period: periodS })
  for (const offset of acceptedStepOffsets)
    if ((await otp.hotp(currentStep + offset)) === code) return currentStep + offset
  return undefined
}
