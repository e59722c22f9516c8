import { readFile } from 'node:fs/promises'
import * as z from 'zod'
import type { BrowserPage } from './page.ts'

const programsUrl = new URL('../../../layers/browser/', import.meta.url)
const programTexts = new Map<string, Promise<string>>()

/** Returns the source code of `layers/browser/<name>.js`. Each file is read only once. */
function loadProgramText(name: string): Promise<string> {
  const text =
    programTexts.get(name) ??
    readFile(new URL(`${name}.js`, programsUrl), 'utf8').then((moduleText) =>
      moduleText.replaceAll(/^export /gm, ''),
    )
  programTexts.set(name, text)
  return text
}

const Reply = z.looseObject({
  result: z.looseObject({ value: z.unknown().optional() }),
  exceptionDetails: z
    .looseObject({ exception: z.looseObject({ description: z.string().optional() }).optional() })
    .optional(),
})

/**
 * One of our functions threw an error in a page. Scripts of the page can cause that by removing what the function
 * needs.
 */
export class EvaluationFailure extends Error {
  override readonly name = 'EvaluationFailure'
}

/**
 * Runs one of our functions in a page whose own scripts are disabled, or in an isolated world. Arguments and result are
 * passed as JSON.
 * @throws EvaluationFailure
 */
export async function evaluate<T>(
  call: BrowserPage['call'],
  schema: z.ZodType<T>,
  [name, fn]: readonly [program: string, fn: string],
  args: object,
): Promise<T> {
  const expression = `(() => {${await loadProgramText(name)}\nreturn ${fn}(${JSON.stringify(args)})})()`
  const params = { expression, returnByValue: true }
  const { result, exceptionDetails } = await call(Reply, 'Runtime.evaluate', params)
  if (exceptionDetails) {
    const reason = exceptionDetails.exception?.description ?? 'no reason'
    throw new EvaluationFailure(`${fn} failed in the browser: ${reason}`)
  }
  return schema.parse(result.value)
}
