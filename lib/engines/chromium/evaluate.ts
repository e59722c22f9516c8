import { readFile } from 'node:fs/promises'
import * as z from 'zod'
import type { Page } from './page.ts'

const programs = new URL('../../../layers/browser/', import.meta.url)
const known = new Map<string, Promise<string>>()

/** The functions of `layers/browser/<name>.js`, read once. */
function programText(name: string): Promise<string> {
  const text =
    known.get(name) ??
    readFile(new URL(`${name}.js`, programs), 'utf8').then((module) => module.replaceAll(/^export /gm, ''))
  known.set(name, text)
  return text
}

const Answer = z.looseObject({
  result: z.looseObject({ value: z.unknown().optional() }),
  exceptionDetails: z
    .looseObject({ exception: z.looseObject({ description: z.string().optional() }).optional() })
    .optional(),
})

/** Runs one of our functions in a page, which has no script of its own; what it gives passes as JSON. */
export async function evaluate<T>(
  call: Page['call'],
  schema: z.ZodType<T>,
  [name, fn]: readonly [program: string, fn: string],
  args: object,
): Promise<T> {
  const expression = `(() => {${await programText(name)}\nreturn ${fn}(${JSON.stringify(args)})})()`
  const asked = { expression, returnByValue: true }
  const { result, exceptionDetails } = await call(Answer, 'Runtime.evaluate', asked)
  if (exceptionDetails) {
    throw new Error(`${fn} failed in the browser: ${exceptionDetails.exception?.description ?? 'no reason'}`)
  }
  return schema.parse(result.value)
}
