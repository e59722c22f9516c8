import type { ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'

const loadedComponents = new Map<() => Promise<unknown>, ComponentType<never>>()

/** Pause before loading a component again, for example if the server could not be reached. */
const retryMs = 5000

/** A component loaded as a separate chunk; renders nothing until it is loaded. */
export function Lazy<Props extends object>({
  load,
  ...props
}: { readonly load: () => Promise<{ readonly default: ComponentType<Props> }> } & Props) {
  const [Part, setPart] = useState<ComponentType<Props> | undefined>(
    () => loadedComponents.get(load) as ComponentType<Props> | undefined, // stored by the same function
  )
  useEffect(() => {
    if (Part) return
    let timer: ReturnType<typeof setTimeout> | undefined
    const tryLoad = () => {
      clearTimeout(timer)
      void load().then(
        (module) => {
          loadedComponents.set(load, module.default as ComponentType<never>) // props differ per component
          setPart(() => module.default)
        },
        () => {
          window.addEventListener('online', tryLoad, { once: true })
          timer = setTimeout(tryLoad, retryMs)
        },
      )
    }
    tryLoad()
    return () => {
      clearTimeout(timer)
      window.removeEventListener('online', tryLoad)
    }
  }, [Part, load])
  return Part ? <Part {...(props as unknown as Props)} /> : null // all props except `load`
}
