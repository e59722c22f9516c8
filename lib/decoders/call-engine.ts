import type { Chunk, Engine, EngineResult, Tools } from '../engines/engine.ts'
import type { EngineRequest } from './engine-messages.ts'

/** Calls the engine in this process. */
export async function callEngine(
  engine: Engine,
  request: EngineRequest,
  tools: Tools,
): Promise<EngineResult | readonly Chunk[] | undefined> {
  const { work } = request
  switch (request.method) {
    case 'run':
      return engine.run(work, tools)
    case 'split':
      return engine.split?.(work, tools, request.pool)
    case 'join':
      if (!engine.join) throw new Error(`${engine.id} splits steps but cannot join their results`)
      return engine.join(work, request.results, tools)
  }
}
