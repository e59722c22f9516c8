/** Returns a proxy of the service with some members replaced. */
export function replaceMembers<Service extends object>(
  service: Service,
  changedMembers: Partial<Service>,
): Service {
  return new Proxy(service, {
    get: (target, name) => {
      if (name in changedMembers) return Reflect.get(changedMembers, name)
      const value = Reflect.get(target, name)
      // A proxy has no private fields, so methods are bound to the service.
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}

/** Returns a proxy that runs a function before one of the methods. */
export function runBefore<Service extends object>(
  service: Service,
  method: keyof Service,
  action: () => Promise<unknown>,
): Service {
  const call = Reflect.get(service, method)
  if (typeof call !== 'function') throw new Error(`${String(method)} is no method`)
  const callAfter = async (...args: unknown[]) => action().then(() => call.apply(service, args))
  return replaceMembers(service, { [method]: callAfter } as Partial<Service>) // has the type of the method
}

/** Returns a function that runs `action` only on its first call. */
export const once = (action: () => Promise<unknown>) => {
  let completion: Promise<unknown> | undefined
  return () => (completion ??= action())
}
