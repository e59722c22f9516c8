import { engines as allEngines } from '../../lib/engines/index.ts'
import * as plan from '../../lib/plan/index.ts'

/** As the functions of lib/plan, with all engines where none are named. */

type Request = Omit<plan.RouteRequest, 'engines'> & Partial<Pick<plan.RouteRequest, 'engines'>>

export const planRoute = (request: Request) => plan.planRoute({ engines: allEngines, ...request })

export const targetsOf = (from: Parameters<typeof plan.targetsOf>[0], engines = allEngines) =>
  plan.targetsOf(from, engines)

export const conversions = (
  engines = allEngines,
  operation?: Parameters<typeof plan.conversions>[1],
  from?: Parameters<typeof plan.conversions>[2],
) => plan.conversions(engines, operation, from)

export const candidates = () => plan.candidates(allEngines)
