import type { EngineId } from '../component-ids.ts'
import type { Engine } from '../engines/engine.ts'

/** Engines whose code runs in decoder processes, because it reads files itself. */
export const engineModules: Partial<Readonly<Record<EngineId, () => Promise<Engine>>>> = {
  vips: async () => (await import('../engines/vips.ts')).vips,
  pdf: async () => (await import('../engines/pdf.ts')).pdf,
  vtracer: async () => (await import('../engines/vtracer.ts')).vtracer,
  potrace: async () => (await import('../engines/potrace.ts')).potrace,
}
