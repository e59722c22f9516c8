import type { ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'

const loadedComponents = new Map<() => Promise<unknown>, ComponentType<never>>()

/** A part that few need at once, in a chunk of its own; nothing stands there until it has come. */
export function Lazy<Props extends object>({
  load,
  ...props
}: { readonly load: () => Promise<{ readonly default: ComponentType<Props> }> } & Props) {
  const [Part, setPart] = useState<ComponentType<Props> | undefined>(
    () => loadedComponents.get(load) as ComponentType<Props> | undefined, // put there below
  )
  useEffect(() => {
    if (Part) return
    const tryLoad = () =>
      void load().then(
        (module) => {
          loadedComponents.set(load, module.default as ComponentType<never>)
          setPart(() => module.default)
        },
        (error: unknown) => {
          if (navigator.onLine) return reportError(error)
          window.addEventListener('online', tryLoad, { once: true })
        },
      )
    tryLoad()
    return () => window.removeEventListener('online', tryLoad)
  }, [Part, load])
  return Part ? <Part {...(props as unknown as Props)} /> : null // all but what is this component's own
}
