import cronstrue from 'cronstrue'
import shell from '../../words/en.ts'

/**
 * Describes `0 3 * * *` as "At 03:00"; undefined if it is not a cron expression. Catalogs load the locale of their
 * language, such as `pt_BR`.
 */
export function describeCron(cron: string): string | undefined {
  try {
    const locale = shell.lang.replace('-', '_')
    const text = cronstrue.toString(cron, { locale, use24HourTimeFormat: true, verbose: true })
    // The Japanese locale translates "At" literally; the time needs no such word.
    return text.replace(/^次において実施/, '')
  } catch {
    return undefined
  }
}
