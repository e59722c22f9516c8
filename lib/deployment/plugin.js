// A plugin for the Serverless Framework, which only loads .js files; Node loads the TypeScript modules imported here.
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { createAliasResources, useAliases } from './canary.ts'
import { describeQuotas } from './concurrency.ts'
import { getStageFromArgs, readStage } from './stage.ts'
import { writePackages } from './zip-functions.ts'

/** Builds the packages of the functions before the framework looks for them. */
export default class Packages {
  constructor({ serviceDir, pluginManager, service }) {
    const folder = join(serviceDir, '.serverless')
    const isCanary = () => readStage(getStageFromArgs(process.argv)).canary !== undefined
    this.hooks = {
      'before:package:createDeploymentArtifacts': async () => {
        process.stdout.write(`${describeQuotas(readStage(getStageFromArgs(process.argv)))}\n`)
        await mkdir(folder, { recursive: true })
        await writePackages(folder)
      },
      'before:package:compileLayers': async () => skipLayerComparison(pluginManager),
      'before:package:compileFunctions': async () => {
        if (isCanary()) useAliases(service.functions)
      },
      'after:package:compileFunctions': async () => {
        const { Resources } = service.provider.compiledCloudFormationTemplate
        if (isCanary()) Object.assign(Resources, createAliasResources(service.functions))
      },
    }
  }
}

/** Keeps packaging offline: the framework would otherwise compare layers with those deployed, to skip small uploads. */
function skipLayerComparison({ plugins }) {
  const compiler = plugins.find((plugin) => plugin.constructor.name === 'AwsCompileLayers')
  if (!compiler?.compareWithLastLayer)
    throw new Error(
      'This version of the Serverless Framework compiles layers differently: adapt lib/deployment/plugin.js to it.',
    )
  compiler.compareWithLastLayer = async () => undefined
}
