import { engines as allEngines } from '../../lib/engines/index.ts'
import * as plan from '../../lib/plan/index.ts'

/** The functions of lib/plan, with all engines by default. */

type Request = Omit<plan.RouteRequest, 'engines'> & Partial<Pick<plan.RouteRequest, 'engines'>>

export const planRoute = (request: Request) => plan.planRoute({ engines: allEngines, ...request })

export const listTargets = (from: Parameters<typeof plan.listTargets>[0], engines = allEngines) =>
  plan.listTargets(from, engines)

export const conversions = (
  engines = allEngines,
  operation?: Parameters<typeof plan.findConversions>[1],
  from?: Parameters<typeof plan.findConversions>[2],
) => plan.findConversions(engines, operation, from)

export const candidates = () => plan.listCandidates(allEngines)
