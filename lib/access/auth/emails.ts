import type { Transporter } from 'nodemailer'
import type { Config } from '../../config.ts'
import type { Log } from '../../log.ts'

/** What is written to people. */
export interface Email {
  readonly to: string
  readonly subject: string
  readonly text: string
}

export interface Mailer {
  /** `log` where no mail server is set: whoever runs the service finds the letters there. */
  readonly destination: 'mailbox' | 'log'
  send(email: Email): Promise<void>
}

const timeoutMs = 10_000

export function createMailer(
  { SMTP_URL, MAIL_FROM, PUBLIC_URL }: Pick<Config, 'SMTP_URL' | 'MAIL_FROM' | 'PUBLIC_URL'>,
  log: Log,
): Mailer {
  if (!SMTP_URL)
    return {
      destination: 'log',
      send: async ({ to, subject, text }) => log.warn({ to, subject, text }, 'no SMTP_URL, mail not sent'),
    }
  const host = URL.parse(PUBLIC_URL ?? '')?.hostname ?? 'localhost'
  const from = MAIL_FROM ?? `Mutabor <no-reply@${host}>`
  let transport: Promise<Transporter> | undefined
  return {
    destination: 'mailbox',
    send: async (email) => {
      transport ??= createTransporter(SMTP_URL)
      await (await transport).sendMail({ from, ...email })
    },
  }
}

async function createTransporter(smtpUrl: string): Promise<Transporter> {
  const { createTransport } = await import('nodemailer')
  return createTransport({
    url: smtpUrl,
    ...{ connectionTimeout: timeoutMs, greetingTimeout: timeoutMs, socketTimeout: timeoutMs },
    // Letters are made here, of text; nothing in them names a file or an address to fetch.
    ...{ disableFileAccess: true, disableUrlAccess: true },
  })
}

/**
 * Whoever signs up with the address of somebody else must not have us write to him what they like. The apostrophe is
 * escaped, as bundles keep it in a pattern as it is: by one such character all their code takes twice the memory.
 */
const plainName = /^[\p{L}\p{M}\p{N} .'\u2019-]{1,60}$/u
const greeting = (name: string) =>
  plainName.test(name) && !/\.\p{L}/u.test(name) ? `Hello ${name},` : 'Hello,'
const ignoreHint = 'If you did not ask for it, you need not do anything.'

export const emailTemplates = {
  confirmAddress: (name: string, url: string) => ({
    subject: 'Confirm your address',
    text: [greeting(name), 'open this page to confirm that this address is yours:', url, ignoreHint].join(
      '\n\n',
    ),
  }),
  resetPassword: (name: string, url: string) => ({
    subject: 'Choose a new password',
    text: [
      greeting(name),
      'open this page within an hour to choose a new password:',
      url,
      'Your other sessions end with it.',
      ignoreHint,
    ].join('\n\n'),
  }),
  alreadyRegistered: (name: string, url: string) => ({
    subject: 'You have an account already',
    text: [
      greeting(name),
      `somebody wanted to sign up with your address at ${url}, where you have an account. Sign in, or ask for a new password there.`,
      ignoreHint,
    ].join('\n\n'),
  }),
  confirmNewAddress: (name: string, newAddress: string, url: string) => ({
    subject: 'Confirm your new address',
    text: [
      greeting(name),
      `open this page to change the address of your account to ${newAddress}:`,
      url,
      ignoreHint,
    ].join('\n\n'),
  }),
  webhookDisabled: (name: string, { url, why }: { url: string; why: string }) => ({
    subject: 'A webhook was switched off',
    text: [
      greeting(name),
      `your webhook at ${url} is not called any more: ${why}`,
      'Once it works again, switch it on, and have what it missed sent once more.',
    ].join('\n\n'),
  }),
  workflowPaused: (name: string, { workflow, why }: { workflow: string; why: string }) => ({
    subject: 'A workflow was paused',
    text: [
      greeting(name),
      `your workflow “${workflow}” does not run any more: ${why}`,
      'Change what was wrong and switch it on again.',
    ].join('\n\n'),
  }),
} as const
