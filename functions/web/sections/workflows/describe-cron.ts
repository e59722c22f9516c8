import cronstrue from 'cronstrue'
import shell from '../../words/en.ts'

/** `0 3 * * *` reads "At 03:00"; undefined for what is no cron. The words of a language come with its catalogue. */
export function describeCron(cron: string): string | undefined {
  try {
    return cronstrue.toString(cron, { locale: shell.lang, use24HourTimeFormat: true, verbose: true })
  } catch {
    return undefined
  }
}
