import cronstrue from 'cronstrue'
import shell from '../../words/en.ts'

/**
 * Describes `0 3 * * *` as "At 03:00"; undefined if it is not a cron expression. The German locale is loaded by the
 * German catalog.
 */
export function describeCron(cron: string): string | undefined {
  try {
    return cronstrue.toString(cron, { locale: shell.lang, use24HourTimeFormat: true, verbose: true })
  } catch {
    return undefined
  }
}
