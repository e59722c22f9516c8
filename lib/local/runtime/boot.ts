/**
 * A step that starts a part of the service. Parts start in the order of their list and stop in reverse order.
 * @template Inputs input of the first step
 */
interface Step<Inputs, Parts, Name extends keyof Parts = keyof Parts> {
  readonly name: Name
  /**
   * Starts the part.
   * @param parts the parts of earlier steps
   * @param getLaterPart returns a promise of a later part, for parts that call a part that starts later
   */
  start(parts: Inputs & Parts, getLaterPart: GetLaterPart<Parts>): Parts[Name] | Promise<Parts[Name]>
  stop?(parts: Inputs & Parts): unknown
}

/** A step with any name, whose result has the type of the part with that name. */
export type AnyStep<Inputs, Parts> = { [Name in keyof Parts]: Step<Inputs, Parts, Name> }[keyof Parts]

type GetLaterPart<Parts> = <Name extends keyof Parts>(name: Name) => Promise<Parts[Name]>

interface RunningParts<Parts> {
  readonly parts: Parts
  /** Stops the steps in reverse order. If one fails, the others are still stopped before its error is thrown. */
  stop(): Promise<void>
}

/** Starts the steps one after another. If one fails, the earlier ones are stopped. */
export async function startSteps<Inputs extends object, Parts>(
  steps: readonly AnyStep<Inputs, Parts>[],
  inputs: Inputs,
): Promise<RunningParts<Inputs & Parts>> {
  const results = new Map(steps.map(({ name }) => [name, Promise.withResolvers<unknown>()]))
  // Each result has the type of the part with that name.
  const getLaterPart = ((name) => results.get(name)?.promise) as GetLaterPart<Parts>
  // The object is complete after the last step; each step only uses the parts before it.
  const parts = { ...inputs } as Inputs & Parts
  await using runningComponents = new AsyncDisposableStack()
  for (const step of steps) {
    const part = await step.start(parts, getLaterPart)
    Object.assign(parts, { [step.name]: part })
    runningComponents.defer(async () => void (await step.stop?.(parts)))
    results.get(step.name)?.resolve(part)
  }
  const startedComponents = runningComponents.move()
  return { parts, stop: () => startedComponents.disposeAsync() }
}
