import type { Transporter } from 'nodemailer'
import type { Config } from '../config.ts'
import type { Log } from '../log.ts'

/** Emails to account owners. */
export interface Email {
  readonly to: string
  readonly subject: string
  readonly text: string
}

export interface Mailer {
  /** `log` if no mail server is configured; operators then find the emails in the log. */
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
      send: async ({ to, subject, text }) =>
        log.warn({ to, subject, text }, 'SMTP_URL is not set, email not sent'),
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
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    // nodemailer need not read any file or URL, because emails are plain text without attachments.
    disableFileAccess: true,
    disableUrlAccess: true,
  })
}

/**
 * Matches names that may appear in emails. An attacker who signs up with someone else's email address must not be able
 * to send them a text or link. The apostrophe is escaped, because one non-Latin-1 character in a bundle doubles the
 * memory of its code.
 */
const plainNamePattern = /^[\p{L}\p{M}\p{N} .'\u2019-]{1,60}$/u
const createGreeting = (name: string) =>
  plainNamePattern.test(name) && !/\.\p{L}/u.test(name) ? `Hello ${name},` : 'Hello,'
const ignoreHint = 'If you did not request this, you can ignore this email.'

export const emailTemplates = {
  confirmAddress: (name: string, url: string) => ({
    subject: 'Confirm your email address',
    text: [
      createGreeting(name),
      'Please confirm your email address by opening this link:',
      url,
      ignoreHint,
    ].join('\n\n'),
  }),
  resetPassword: (name: string, url: string) => ({
    subject: 'Choose a new password',
    text: [
      createGreeting(name),
      'Open this link within an hour to choose a new password:',
      url,
      'You will be signed out of all other sessions.',
      ignoreHint,
    ].join('\n\n'),
  }),
  alreadyRegistered: (name: string, url: string) => ({
    subject: 'You already have an account',
    text: [
      createGreeting(name),
      `Someone tried to sign up at ${url} with your email address, but you already have an account there. You can sign in, or reset your password if you forgot it.`,
      ignoreHint,
    ].join('\n\n'),
  }),
  confirmNewAddress: (name: string, newAddress: string, url: string) => ({
    subject: 'Confirm your new email address',
    text: [
      createGreeting(name),
      `Open this link to change the email address of your account to ${newAddress}:`,
      url,
      ignoreHint,
    ].join('\n\n'),
  }),
  webhookDisabled: (name: string, { url, reason }: { url: string; reason: string }) => ({
    subject: 'Your webhook was disabled',
    text: [
      createGreeting(name),
      `Your webhook at ${url} was disabled: ${reason}`,
      'Once the webhook works again, enable it and replay the events that it missed.',
    ].join('\n\n'),
  }),
  workflowPaused: (name: string, { workflow, reason }: { workflow: string; reason: string }) => ({
    subject: 'Your workflow was paused',
    text: [
      createGreeting(name),
      `Your workflow “${workflow}” was paused: ${reason}`,
      'Fix the problem and enable the workflow again.',
    ].join('\n\n'),
  }),
} as const
